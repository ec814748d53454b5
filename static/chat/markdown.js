// Markdown as a tree of plain nodes that can hold nothing dangerous: no HTML, no image, links only where named below.

import MarkdownIt from "../vendor/markdown-it.mjs";

/** @typedef {string | {tag: string, attrs?: Record<string, string>, children: MdNode[]}} MdNode */

const LINKS = new Set(["http:", "https:", "mailto:"]);
const HEADINGS = { h1: "h3", h2: "h3", h3: "h4", h4: "h4", h5: "h4", h6: "h4" };
export const BLOCKS = new Set(["p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"]);
const INLINES = new Set(["strong", "em", "s"]);

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
// Text that a model indents is hardly ever meant as code, and the reader of its answers does not take it for code either.
parser.disable("code");
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
parser.validateLink = (url) => safeUrl(url) !== null;

/** @param {string} url @returns {URL | null} null for everything but a complete http, https or mailto address */
export function safeUrl(url) {
  try {
    const parsed = new URL(url);
    return LINKS.has(parsed.protocol) ? parsed : null;
  } catch {
    return null;
  }
}

/** @param {string} text @returns {MdNode[]} its blocks, top to bottom */
export function markdownTree(text) {
  return nested(parser.parse(text, {}));
}

/** @param {any[]} tokens  block or inline tokens, as markdown-it gives them @returns {MdNode[]} */
function nested(tokens) {
  const root = /** @type {{children: MdNode[]}} */ ({ children: [] });
  const open = [root];
  for (const token of tokens) {
    if (token.nesting === 1) {
      const node = opened(token);
      const parent = open.at(-1);
      if (node) parent.children.push(node);
      open.push(node ?? parent);
    } else if (token.nesting === -1) {
      open.pop();
    } else {
      open.at(-1).children.push(...leaf(token));
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
    case "inline":
      return nested(token.children ?? []);
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
