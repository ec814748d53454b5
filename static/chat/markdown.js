// Markdown as a tree of plain nodes that can hold nothing dangerous: no HTML, no image, links only where named beside them.
// Here its blocks; what stands inside of a line is read by `prose.js`.

import { Line } from "./prose.js";

/** @typedef {{tag: string, attrs?: Record<string, string>, children: MdNode[]}} MdElement @typedef {string | MdElement} MdNode */

const DEEPEST = 24; // what is nested deeper is text: no person writes that, and no page could show it
const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])( +|$)(.*)$/;
const UNDERLINE = /^ {0,3}(?:=+|-+) *$/;
const DEFINITION = /^ {0,3}\[((?:[^[\]\\]|\\.)+)\]: *<?([^\s<>]+)>?(?: +(?:"[^"]*"|'[^']*'|\([^()]*\)))? *$/;

/** @param {string} text @returns {MdNode[]} its blocks, top to bottom */
export function markdownTree(text) {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").replaceAll("\0", "\uFFFD").split("\n").map(untabbed);
  const inlines = new Inlines();
  const blocks = blocksOf(lines, { inlines, depth: 0 });
  inlines.settle();
  return blocks;
}

/** @param {string} line @returns {string} with spaces for the tabs before its first word */
function untabbed(line) {
  const lead = /^[ \t]*/.exec(line)[0];
  if (!lead.includes("\t")) return line;
  let width = 0;
  for (const sign of lead) width += sign === "\t" ? 4 - (width % 4) : 1;
  return " ".repeat(width) + line.slice(lead.length);
}

/** @typedef {{inlines: Inlines, depth: number}} Around @typedef {{nodes: MdNode[], next: number}} Read  next: the line after it */

/** @param {string[]} lines @param {Around} around @returns {MdElement[]} */
function blocksOf(lines, around) {
  const nodes = [];
  const readers = around.depth < DEEPEST ? [fence, heading, rule, table, quote, list, definition] : [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    let read = null;
    for (const reader of readers) {
      read = reader(lines, at, around);
      if (read) break;
    }
    read ??= paragraph(lines, at, around);
    nodes.push(...read.nodes);
    at = read.next;
  }
  return nodes;
}

/** @param {string} line */
function isBlank(line) {
  return line.trim() === "";
}

/** @param {string} line */
function isRule(line) {
  return /^ {0,3}[-*_]/.test(line) && /^(?:-{3,}|\*{3,}|_{3,})$/.test(line.replace(/[ \t]/g, ""));
}

/** @param {string} line */
function openedFence(line) {
  const found = FENCE.exec(line);
  return found && !(found[2][0] === "`" && found[3].includes("`")) ? found : null;
}

/** Whether a paragraph ends before this line. @param {string[]} lines @param {number} at */
function isInterrupted(lines, at) {
  const line = lines[at];
  if (isBlank(line) || openedFence(line) || HEADING.test(line) || QUOTE.test(line) || isRule(line) || alignments(lines, at)) return true;
  const item = ITEM.exec(line);
  return item !== null && item[4] !== "" && !(/\d/.test(item[2]) && Number.parseInt(item[2], 10) !== 1);
}

/** Whether the sentence of this line may go on in one that its writer was too lazy to mark. @param {string} before */
function mayGoOn(before) {
  return !isBlank(before) && !HEADING.test(before) && !isRule(before) && !openedFence(before);
}

/** @param {string[]} lines @param {number} at @returns {Read | null} */
function fence(lines, at) {
  const opened = openedFence(lines[at]);
  if (!opened) return null;
  const [, lead, marks] = opened;
  const isEnd = (/** @type {string} */ line) => {
    const words = line.trim();
    return /^ {0,3}\S/.test(line) && words.length >= marks.length && words === marks[0].repeat(words.length);
  };
  let end = at + 1;
  while (end < lines.length && !isEnd(lines[end])) end += 1;
  const inside = lines.slice(at + 1, end).map((line) => line.slice(Math.min(lead.length, line.search(/[^ ]|$/))));
  return { nodes: [{ tag: "pre", children: [{ tag: "code", children: [inside.join("\n")] }] }], next: end + 1 };
}

/** @param {string[]} lines @param {number} at @param {Around} around @returns {Read | null} */
function heading(lines, at, { inlines }) {
  const found = HEADING.exec(lines[at]);
  if (!found) return null;
  const words = (found[2] ?? "").trim();
  let end = words.length;
  while (words[end - 1] === "#") end -= 1;
  const isClosed = end === 0 || /\s/.test(words[end - 1]);
  const children = inlines.of(isClosed ? words.slice(0, end).trimEnd() : words);
  return { nodes: [{ tag: found[1].length > 2 ? "h4" : "h3", children }], next: at + 1 };
}

/** @param {string[]} lines @param {number} at @returns {Read | null} */
function rule(lines, at) {
  return isRule(lines[at]) ? { nodes: [{ tag: "hr", children: [] }], next: at + 1 } : null;
}

/** @param {string[]} lines @param {number} at @param {Around} around @returns {Read | null} */
function quote(lines, at, { inlines, depth }) {
  if (!QUOTE.test(lines[at])) return null;
  const inside = [];
  let end = at;
  let isCode = false;
  for (; end < lines.length; end += 1) {
    const line = lines[end];
    if (QUOTE.test(line)) inside.push(line.replace(QUOTE, ""));
    else if (isCode || !mayGoOn(inside.at(-1)) || isInterrupted(lines, end)) break;
    else inside.push(line);
    if (openedFence(inside.at(-1))) isCode = !isCode;
  }
  return { nodes: [{ tag: "blockquote", children: blocksOf(inside, { inlines, depth: depth + 1 }) }], next: end };
}

/** @param {string[]} lines @param {number} at @param {Around} around @returns {Read | null} */
function list(lines, at, { inlines, depth }) {
  const first = ITEM.exec(lines[at]);
  if (!first) return null;
  const kind = first[2].at(-1);
  const items = [];
  let end = at;
  let isLoose = false;
  for (let item = first; item; item = end < lines.length && !isRule(lines[end]) ? ITEM.exec(lines[end]) : null) {
    if (item[2].at(-1) !== kind) break;
    if (items.length && isBlank(lines[end - 1])) isLoose = true;
    const read = itemLines(lines, end, item);
    items.push(read.inside);
    end = read.next;
    if (read.isLoose) isLoose = true;
  }
  while (isBlank(lines[end - 1])) end -= 1;
  const children = items.map((inside) => {
    const blocks = blocksOf(inside, { inlines, depth: depth + 1 });
    const isApart = isLoose || blocks.filter(({ tag }) => tag === "p").length > 1;
    return { tag: "li", children: isApart ? blocks : inlines.joined(blocks.map((block) => (block.tag === "p" ? block.children : [block]))) };
  });
  const number = Number.parseInt(first[2], 10);
  const tag = Number.isNaN(number) ? "ul" : "ol";
  return { nodes: [{ tag, ...(number > 1 || number === 0 ? { attrs: { start: String(number) } } : {}), children }], next: end };
}

/** What belongs to one item. @param {string[]} lines @param {number} at @param {RegExpExecArray} item
 * @returns {{inside: string[], next: number, isLoose: boolean}} */
function itemLines(lines, at, [, lead, mark, gap, rest]) {
  const width = lead.length + mark.length + (rest === "" || gap.length > 4 ? 1 : gap.length);
  const inside = [gap.length > 4 ? gap.slice(1) + rest : rest];
  const isWithin = (/** @type {string} */ line) => !isBlank(line) && line.search(/\S/) >= width;
  let isLoose = false;
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end];
    if (isBlank(line)) {
      let next = end;
      while (next < lines.length && isBlank(lines[next])) next += 1;
      if (next === lines.length || !isWithin(lines[next]) || (end === at + 1 && rest === "")) break;
      const after = lines[next].slice(width);
      if (!after.startsWith(" ") && !ITEM.test(after)) isLoose = true; // within a nested list, that is that list's matter
      inside.push(...lines.slice(end, next).map(() => ""));
      end = next;
      inside.push(lines[end].slice(width));
    } else if (isWithin(line)) inside.push(line.slice(width));
    else if (ITEM.test(line) || isInterrupted(lines, end) || !mayGoOn(inside.at(-1))) break;
    else inside.push(line.trimStart());
  }
  while (end < lines.length && isBlank(lines[end])) end += 1;
  return { inside, next: end, isLoose };
}

/** @param {string} line @returns {string[]} */
function cells(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** @param {string[]} lines @param {number} at @returns {string[] | null} where a table begins, the classes of its columns */
function alignments(lines, at) {
  const [head, under] = [lines[at], lines[at + 1] ?? ""];
  if (!head.includes("|") || !/^ {0,3}[-:|][-:| \t]*$/.test(under)) return null;
  const marks = cells(under);
  if ((marks.length < 2 && !under.includes("|")) || marks.length !== cells(head).length || !marks.every((mark) => /^:?-+:?$/.test(mark))) return null;
  return marks.map((mark) => (/^-+:$/.test(mark) ? "r" : ""));
}

/** @param {string[]} lines @param {number} at @param {Around} around @returns {Read | null} */
function table(lines, at, { inlines }) {
  const sides = alignments(lines, at);
  if (!sides) return null;
  const row = (/** @type {string} */ line, /** @type {string} */ tag) => {
    const found = cells(line);
    const children = sides.map((side, n) => ({ tag, ...(side ? { attrs: { class: side } } : {}), children: inlines.of(found[n] ?? "") }));
    return { tag: "tr", children };
  };
  const head = { tag: "thead", children: [row(lines[at], "th")] };
  let end = at + 2;
  while (end < lines.length && !isInterrupted(lines, end)) end += 1;
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  return { nodes: [{ tag: "table", children: body.length ? [head, { tag: "tbody", children: body }] : [head] }], next: end };
}

/** Where `[this]` leads to, said elsewhere. @param {string[]} lines @param {number} at @param {Around} around @returns {Read | null} */
function definition(lines, at, { inlines }) {
  const found = DEFINITION.exec(lines[at]);
  if (!found) return null;
  inlines.define(found[1], found[2]);
  return { nodes: [], next: at + 1 };
}

/** @param {string[]} lines @param {number} at @param {Around} around @returns {Read} */
function paragraph(lines, at, { inlines }) {
  let end = at + 1;
  while (end < lines.length && !UNDERLINE.test(lines[end]) && !isInterrupted(lines, end)) end += 1;
  const children = inlines.of(lines.slice(at, end).map((line) => line.trimStart()).join("\n").trimEnd());
  const isHeading = end < lines.length && UNDERLINE.test(lines[end]);
  return { nodes: [{ tag: isHeading ? "h3" : "p", children }], next: isHeading ? end + 1 : end };
}

/** What stands within the blocks of one text, read when all of them are known: where a word leads to may be said below it. */
class Inlines {
  /** @type {Map<string, string>} */
  #targets = new Map();
  /** @type {[MdNode[], string][]} */
  #waiting = [];
  /** @type {[MdNode[], MdNode[][]][]} */
  #joins = [];

  /** @param {string} text @returns {MdNode[]} empty until `settle` */
  of(text) {
    const nodes = [];
    this.#waiting.push([nodes, text]);
    return nodes;
  }

  /** @param {MdNode[][]} parts @returns {MdNode[]} one after the other, empty until `settle` */
  joined(parts) {
    const nodes = [];
    this.#joins.push([nodes, parts]);
    return nodes;
  }

  /** @param {string} label @param {string} url  the first one counts */
  define(label, url) {
    if (!this.#targets.has(labelled(label))) this.#targets.set(labelled(label), url);
  }

  /** Everything has been read. */
  settle() {
    for (const [nodes, text] of this.#waiting) nodes.push(...new Line(text, (label) => this.#targets.get(labelled(label))).read());
    for (const [nodes, parts] of this.#joins) nodes.push(...parts.flat());
  }
}

/** @param {string} label @returns {string} as it is looked for */
function labelled(label) {
  return label.trim().replace(/\s+/g, " ").toLowerCase();
}
