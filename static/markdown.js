// Markdown as a tree of safe nodes: no HTML, no images, only links with allowed schemes.

import { safeUrl } from "./element.js";
import MarkdownIt from "./vendor/markdown-it.mjs";

/** @typedef {string | {tag: string, attrs?: Record<string, string>, children: MdNode[]}} MdNode */

const HEADINGS = { h1: "h3", h2: "h3", h3: "h4", h4: "h4", h5: "h4", h6: "h4" };
export const BLOCKS = new Set(["p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"]);
const INLINES = new Set(["strong", "em", "s"]);

/** Maximum nesting of quotes and list items; deeper markers are text. As in chat/reader/blocks.py. */
export const MAX_BLOCK_DEPTH = 32;
/** Maximum nesting of emphasis and links; deeper ones are rendered without. */
export const MAX_INLINE_DEPTH = 8;
/** Longer paragraphs are parsed in pieces, since the parser takes more than linear time for hostile input. */
const MAX_INLINE_LENGTH = 2000;

const ADDRESS = /^[a-z][a-z0-9_]{0,30}:[A-Za-z0-9_-]{1,64}$/;

const OPTIONS = { html: false, linkify: true, breaks: true, typographer: false };
const blockParser = new MarkdownIt(OPTIONS);
const inlineParser = new MarkdownIt(OPTIONS);
// Models hardly ever mean indented text as code, and the server's reader does not treat it as code either.
blockParser.disable("code");
blockParser.core.ruler.enableOnly(["normalize", "block"]);
limitDepth(blockParser.block);
for (const parser of [blockParser, inlineParser]) {
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  parser.validateLink = (url) => safeUrl(url) !== null || ADDRESS.test(url);
}

/** Treat markers of quotes and lists nested deeper than MAX_BLOCK_DEPTH as text. @param {any} block  markdown-it's block parser */
function limitDepth(block) {
  const depths = new WeakMap();
  const { ruler, tokenize } = block;
  // Called for the content of each quote and list item.
  block.tokenize = function (state, ...lines) {
    const depth = (depths.get(state) ?? -1) + 1;
    depths.set(state, depth);
    tokenize.call(this, state, ...lines);
    depths.set(state, depth - 1);
  };
  for (const name of ["blockquote", "list"]) {
    const { fn, alt } = ruler.__rules__[ruler.__find__(name)];
    ruler.at(name, (state, ...rest) => (depths.get(state) ?? 0) < MAX_BLOCK_DEPTH && fn(state, ...rest), { alt });
  }
}

/** @typedef {{node: MdNode, line: number}} Block  a block at the top level and the line where it begins */

/**
 * @param {string} text @param {Record<string, any>} [env]  the link definitions found so far
 * @returns {any[]} the block tokens of markdown-it; inline text is not parsed yet
 */
function blockTokens(text, env = {}) {
  return blockParser.parse(text, env);
}

/** Convert tokens to blocks, yielding after each piece of text. @param {any[]} tokens @param {Record<string, any>} env @returns {Generator<void, Block[], void>} */
function* blockSteps(tokens, env) {
  const root = /** @type {{children: MdNode[]}} */ ({ children: [] });
  const open = [root];
  const lines = [];
  for (const token of tokens) {
    const parent = open.at(-1);
    if (token.type === "inline") for (const piece of inlinePieces(token.content)) {
      append(parent, inlineNodes(inlineParser.parseInline(piece, env)[0].children));
      yield;
    } else if (token.nesting === -1) {
      open.pop();
    } else {
      const node = token.nesting === 1 ? opened(token) : null;
      if (node) parent.children.push(node);
      else if (token.nesting === 0) append(parent, leaf(token));
      if (token.nesting === 1) open.push(node ?? parent);
    }
    while (lines.length < root.children.length) lines.push(token.map?.[0] ?? 0);
  }
  return root.children.map((node, at) => ({ node, line: lines[at] }));
}

/** @param {{children: MdNode[]}} parent @param {MdNode[]} nodes  may be too many for one call of push(...) */
function append(parent, nodes) {
  for (const node of nodes) parent.children.push(node);
}

/** @param {string} text @returns {Generator<string, void, void>} the text in pieces, split at line or word boundaries if possible */
function* inlinePieces(text) {
  let from = 0;
  while (text.length - from > MAX_INLINE_LENGTH) {
    const piece = text.slice(from, from + MAX_INLINE_LENGTH);
    const end = Math.max(piece.lastIndexOf("\n"), piece.lastIndexOf(" ")) + 1 || MAX_INLINE_LENGTH;
    yield piece.slice(0, end);
    from += end;
  }
  yield text.slice(from);
}

/** @param {any[]} tokens  of one piece of text @returns {MdNode[]} */
function inlineNodes(tokens) {
  const root = /** @type {{children: MdNode[]}} */ ({ children: [] });
  const open = [root];
  for (const token of tokens) {
    const parent = open.at(-1);
    if (token.nesting === 1) {
      const node = open.length <= MAX_INLINE_DEPTH ? opened(token) : null;
      if (node) parent.children.push(node);
      open.push(node ?? parent);
    } else if (token.nesting === -1) {
      open.pop();
    } else {
      append(parent, leaf(token));
    }
  }
  return root.children;
}

/** @param {any} token @returns {{tag: string, attrs?: Record<string, string>, children: MdNode[]} | null} null: only its children are rendered */
function opened(token) {
  const tag = HEADINGS[token.tag] ?? token.tag;
  if (token.hidden) return null;
  if (token.type === "link_open") return link(token.attrGet("href") ?? "");
  if (tag === "ol" && token.attrGet("start")) return { tag, attrs: { start: String(token.attrGet("start")) }, children: [] };
  if (tag === "th" || tag === "td") return cell(tag, token.attrGet("style") ?? "");
  if (BLOCKS.has(tag) || INLINES.has(tag) || tag === "h3" || tag === "h4") return { tag, children: [] };
  return null;
}

/** @param {string} tag @param {string} style  markdown-it's "text-align:right" */
function cell(tag, style) {
  return style.endsWith("right") ? { tag, attrs: { class: "r" }, children: [] } : { tag, children: [] };
}

/** @param {string} href  @returns {{tag: string, attrs: Record<string, string>, children: MdNode[]} | null} */
function link(href) {
  const url = safeUrl(href);
  if (!url) return ADDRESS.test(href) ? { tag: "a", attrs: { address: href }, children: [] } : null;
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  return { tag: "a", attrs: { href: url.href, rel: "noopener noreferrer", target: "_blank", host }, children: [] };
}

/** @param {any} token @returns {MdNode[]} */
function leaf(token) {
  switch (token.type) {
    case "text":
    case "text_special":
      return token.content === "" ? [] : [token.content];
    case "code_inline":
      return [{ tag: "code", children: [token.content] }];
    case "fence":
    case "code_block":
      return [{ tag: "pre", children: [{ tag: "code", children: [token.content.replace(/\n$/, "")] }] }];
    case "softbreak":
    case "hardbreak":
      return [{ tag: "br", children: [] }];
    case "hr":
      return [{ tag: "hr", children: [] }];
    case "image":
      return [plainAlt(token)];
    default:
      return token.content ? [String(token.content)] : [];
  }
}

/** Images are never loaded; the alternative text is shown. @param {any} token */
function plainAlt(token) {
  const words = (/** @type {any[]} */ children) =>
    children.map((child) => (child.children?.length ? words(child.children) : child.content)).join("");
  return words(token.children ?? []) || token.content || "";
}

/** Number of characters parsed at once. Link definitions only apply within a section, and a longer block, such as a list, is split. */
const SECTION_LENGTH = 16_000;
/** Maximum number of markup characters that are parsed; the text after them is plain. */
export const MAX_MARKS = 40_000;
/** A section with more tokens is plain text too: a short line of a wide table yields many cells. */
const MAX_TOKENS = 40_000;
const PLAIN_LENGTH = 8000;
const MARKS = /[\n*_~\x60[\]!<>&\\|#:+=-]/g;
const ADDRESSES = /:\/\//g;

/**
 * @typedef {object} Section
 * @property {Block[]} blocks
 * @property {number} end  end offset in the text
 * @property {number} marks  of the text up to there
 * @property {number} settled  number of blocks that no further text can change
 * @property {number} settledEnd  their end offset @property {number} settledMarks  markup characters up to it
 * @property {boolean} defines  whether it contains link definitions
 */

/** @param {string} text @returns {string} with \n line endings, as `sections` expects */
export function normalized(text) {
  return text.replace(/\r\n?/g, "\n");
}

/**
 * Parse a text in sections, yielding within each of them.
 * @param {string} text  normalized @param {{from?: number, marks?: number}} [start]  the start of a block, and the markup characters before it
 * @returns {Generator<Section | undefined, void, void>} a section, or undefined at a pause
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
    // Further text may change the last two blocks: a line can turn a paragraph into a heading or a list.
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

/** @param {string} text @returns {MdNode[]} its blocks, top to bottom */
export function markdownTree(text) {
  const nodes = [];
  for (const section of sections(normalized(text))) for (const { node } of section?.blocks ?? []) nodes.push(node);
  return nodes;
}

/**
 * The block tokens of one section, which ends before the last block, as that may continue.
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
    if (end === text.length && length <= SECTION_LENGTH) return { tokens, end };
    const last = tokens.findLastIndex(({ level, nesting, map }) => level === 0 && nesting >= 0 && map);
    const cut = last > 0 ? lineOffset(source, tokens[last].map[0]) : 0;
    // Less progress would mean parsing more text again than new text.
    if (end < text.length && cut >= source.length / 4) return { tokens: tokens.slice(0, last), end: at + cut };
    const within = length >= SECTION_LENGTH ? lineOffset(source, lastLineWithin(tokens.slice(last))) : 0;
    if (within >= source.length / 4) return { tokens: blockTokens(source.slice(0, within), env), end: at + within };
    if (end === text.length || (tokens[last]?.type === "paragraph_open" && length >= SECTION_LENGTH)) return { tokens, end };
  }
}

/**
 * @param {string} text
 * @param {number} at @param {number} limit @returns {number} end of the last line, else of the last word, before the limit
 */
function sectionEnd(text, at, limit) {
  if (limit >= text.length) return text.length;
  const line = text.lastIndexOf("\n", limit) + 1;
  const word = text.lastIndexOf(" ", limit) + 1;
  return line > at ? line : word > at ? word : limit;
}

/** @param {any[]} tokens  of one block @returns {number} a line at which the block can be split; 0 for none */
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
    // An unfilled paragraph is redrawn when text is added.
    const isWhole = end < text.length;
    const settledEnd = isWhole ? end : at;
    yield { blocks: [{ node, line: 0 }], end, marks: MAX_MARKS, settled: isWhole ? 1 : 0, settledEnd, settledMarks: isWhole ? MAX_MARKS : marks, defines: false };
    marks = MAX_MARKS;
    at = end;
  }
}

/** @param {string} text @returns {number} number of markup characters; URLs count more, since parsing them takes longer */
function count(text) {
  return (text.match(MARKS)?.length ?? 0) + 4 * (text.match(ADDRESSES)?.length ?? 0);
}

/** @param {string} text @param {number} line @returns {number} offset of the line */
function lineOffset(text, line) {
  let at = 0;
  for (; line > 0; line -= 1) at = text.indexOf("\n", at) + 1;
  return at;
}
