// Markdown as a tree of plain nodes that can hold nothing dangerous: no HTML, no image, links only where named below.

import MarkdownIt from "../vendor/markdown-it.mjs";

/** @typedef {string | {tag: string, attrs?: Record<string, string>, children: MdNode[]}} MdNode */

const LINKS = new Set(["http:", "https:", "mailto:"]);
const HEADINGS = { h1: "h3", h2: "h3", h3: "h4", h4: "h4", h5: "h4", h6: "h4" };
export const BLOCKS = new Set(["p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"]);
const INLINES = new Set(["strong", "em", "s"]);

/** Quotes and list items within each other; the marks of deeper ones are text. As in chat/reader/line_starts.py. */
export const MAX_BLOCK_DEPTH = 32;
/** Emphasis and links within each other; what is deeper is drawn without. */
export const MAX_INLINE_DEPTH = 8;
/** A longer paragraph is parsed in pieces, since the parser takes more than linear time for hostile ones. */
const MAX_INLINE_LENGTH = 2000;

const OPTIONS = { html: false, linkify: true, breaks: true, typographer: false };
const blockParser = new MarkdownIt(OPTIONS);
const inlineParser = new MarkdownIt(OPTIONS);
// Text that a model indents is hardly ever meant as code, and the reader of its answers does not take it for code either.
blockParser.disable("code");
blockParser.core.ruler.enableOnly(["normalize", "block"]);
limitDepth(blockParser.block);
for (const parser of [blockParser, inlineParser]) {
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  parser.validateLink = (url) => safeUrl(url) !== null;
}

/** Take the marks of quotes and lists within MAX_BLOCK_DEPTH others for text. @param {any} block  a block parser of markdown-it */
function limitDepth(block) {
  const depths = new WeakMap();
  const { ruler, tokenize } = block;
  // Each quote and each list item calls this for its content.
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

/** @param {string} url @returns {URL | null} null for everything but a complete http, https or mailto address */
export function safeUrl(url) {
  try {
    const parsed = new URL(url);
    return LINKS.has(parsed.protocol) ? parsed : null;
  } catch {
    return null;
  }
}

/** @typedef {{node: MdNode, line: number}} Block  a block at the top level and the line where it begins */

/**
 * @param {string} text @param {Record<string, any>} [env]  the link definitions found so far
 * @returns {any[]} the block tokens of markdown-it; their text is not parsed yet
 */
export function blockTokens(text, env = {}) {
  return blockParser.parse(text, env);
}

/** Build the blocks of tokens, pausing after each piece of text. @param {any[]} tokens @param {Record<string, any>} env @returns {Generator<void, Block[], void>} */
export function* blockSteps(tokens, env) {
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

/** @param {{children: MdNode[]}} parent @param {MdNode[]} nodes  any number: too many for the arguments of one call */
function append(parent, nodes) {
  for (const node of nodes) parent.children.push(node);
}

/** @param {string} text @returns {Generator<string, void, void>} the text in pieces that end with a line or a word where they can */
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

/** @param {any} token @returns {{tag: string, attrs?: Record<string, string>, children: MdNode[]} | null} null: its children stand in its place */
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
  if (!url) return null;
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

/** No image is ever loaded; its description is read instead. @param {any} token */
function plainAlt(token) {
  const words = (/** @type {any[]} */ children) =>
    children.map((child) => (child.children?.length ? words(child.children) : child.content)).join("");
  return words(token.children ?? []) || token.content || "";
}
