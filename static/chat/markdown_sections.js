// Large Markdown in sections of bounded size: parsed one after the other, so that drawing can pause between them and a text
// that grows is not parsed from its beginning each time. Pure.

import { blockSteps, blockTokens } from "./markdown.js";

/** Characters parsed at once; link definitions reach as far as this. */
const SECTION_LENGTH = 16_000;
/** A block longer than this, such as a list, is continued by another one. */
const MAX_BLOCK_LENGTH = SECTION_LENGTH;
/** Characters of markup in a text that are parsed; what follows is shown as plain text. */
export const MAX_MARKS = 40_000;
/** A section of more tokens is shown as plain text too: a short line of a wide table stands for many cells. */
const MAX_TOKENS = 40_000;
const PLAIN_LENGTH = 8000;
const MARKS = /[\n*_~\x60[\]!<>&\\|#:+=-]/g;
const ADDRESSES = /:\/\//g;
const MARKS_OF_ADDRESS = 4;

/**
 * @typedef {object} Section
 * @property {import("./markdown.js").Block[]} blocks
 * @property {number} end  where it ends in the text
 * @property {number} marks  of the text up to there
 * @property {number} settled  how many of the blocks stay as they are, whatever follows
 * @property {number} settledEnd  where those end @property {number} settledMarks  of the text up to there
 * @property {boolean} defines  whether it holds definitions of links
 */

/** @param {string} text @returns {string} with the line ends that sections count */
export function normalized(text) {
  return text.replace(/\r\n?/g, "\n");
}

/**
 * Parse a text section by section, pausing within each.
 * @param {string} text  normalized @param {{from?: number, marks?: number}} [start]  where a block begins, and the marks before it
 * @returns {Generator<Section | undefined, void, void>} a section, or nothing at a mere pause
 */
export function* sections(text, { from = 0, marks = 0 } = {}) {
  /** @type {Record<string, any>} */
  const env = {};
  for (let at = from; at < text.length; ) {
    const section = readSection(text, at, { env, maxMarks: MAX_MARKS - marks });
    yield;
    if (!section) {
      yield* plainSections(text, at, marks);
      return;
    }
    const { tokens, end } = section;
    const source = text.slice(at, end);
    const all = marks + count(source);
    const blocks = yield* blockSteps(tokens, env);
    // What is still to come may change the last two blocks: a line turns a paragraph into a heading or a list.
    const cut = end === text.length ? (blocks.at(-2)?.line ?? 0) : Infinity;
    const settledEnd = cut === Infinity ? end : at + lineOffset(source, cut);
    yield {
      blocks, end, marks: all, settled: blocks.filter(({ line }) => line < cut).length, settledEnd,
      settledMarks: marks + count(text.slice(at, settledEnd)), defines: Object.keys(env.references ?? {}).length > 0,
    };
    marks = all;
    at = end;
  }
}

/** @param {string} text @returns {import("./markdown.js").MdNode[]} its blocks, top to bottom */
export function markdownTree(text) {
  const nodes = [];
  for (const section of sections(normalized(text))) for (const { node } of section?.blocks ?? []) nodes.push(node);
  return nodes;
}

/**
 * The block tokens of one section, which ends before the last block that may go on behind it.
 * @param {string} text @param {number} at @param {{env: Record<string, any>, maxMarks: number}} how
 * @returns {{tokens: any[], end: number} | null} null where there is too much markup
 */
function readSection(text, at, { env, maxMarks }) {
  for (let length = SECTION_LENGTH; ; length *= 2) {
    const end = sectionEnd(text, at, at + length);
    const source = text.slice(at, end);
    if (count(source) > maxMarks) return null;
    const tokens = blockTokens(source, env);
    if (tokens.length > MAX_TOKENS) return null;
    if (end === text.length && length <= MAX_BLOCK_LENGTH) return { tokens, end };
    const last = tokens.findLastIndex(({ level, nesting, map }) => level === 0 && nesting >= 0 && map);
    const cut = last > 0 ? lineOffset(source, tokens[last].map[0]) : 0;
    // With less progress than that, what is parsed again would be more than what is new.
    if (end < text.length && cut >= source.length / 4) return { tokens: tokens.slice(0, last), end: at + cut };
    const within = length >= MAX_BLOCK_LENGTH ? lineOffset(source, lastLineWithin(tokens.slice(last))) : 0;
    if (within >= source.length / 4) return { tokens: blockTokens(source.slice(0, within), env), end: at + within };
    if (end === text.length || (tokens[last]?.type === "paragraph_open" && length >= MAX_BLOCK_LENGTH)) return { tokens, end };
  }
}

/** @param {string} text @param {number} at @param {number} limit @returns {number} after the last line, else the last word, that ends before the limit */
function sectionEnd(text, at, limit) {
  if (limit >= text.length) return text.length;
  const line = text.lastIndexOf("\n", limit) + 1;
  const word = text.lastIndexOf(" ", limit) + 1;
  return line > at ? line : word > at ? word : limit;
}

/** @param {any[]} tokens  of one block @returns {number} the line at which it can be continued by a block of its kind; 0: at none */
function lastLineWithin(tokens) {
  const [first] = tokens;
  if (first?.type === "paragraph_open") return first.map[1] - 1;
  if (first?.type === "table_open") return 0;
  const inner = tokens.findLast(({ level, nesting, map, type }) => level === 1 && nesting >= 0 && map && type !== "inline");
  return inner?.type === "paragraph_open" ? inner.map[1] - 1 : (inner?.map[0] ?? 0);
}

/** @param {string} text @param {number} at @param {number} marks @returns {Generator<Section, void, void>} */
function* plainSections(text, at, marks) {
  while (at < text.length) {
    const limit = at + PLAIN_LENGTH;
    const end = sectionEnd(text, at, limit);
    const node = { tag: "p", attrs: { class: "plain" }, children: [text.slice(at, end)] };
    // A paragraph that was not filled is drawn again with what is added to it.
    const isWhole = end < text.length;
    const settledEnd = isWhole ? end : at;
    yield { blocks: [{ node, line: 0 }], end, marks: MAX_MARKS, settled: isWhole ? 1 : 0, settledEnd, settledMarks: isWhole ? MAX_MARKS : marks, defines: false };
    marks = MAX_MARKS;
    at = end;
  }
}

/** @param {string} text @returns {number} how many characters of markup are in it; addresses, which take longer, count more */
function count(text) {
  return (text.match(MARKS)?.length ?? 0) + MARKS_OF_ADDRESS * (text.match(ADDRESSES)?.length ?? 0);
}

/** @param {string} text @param {number} line @returns {number} where the line begins */
function lineOffset(text, line) {
  let at = 0;
  for (; line > 0; line -= 1) at = text.indexOf("\n", at) + 1;
  return at;
}
