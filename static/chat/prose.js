// Puts a Markdown tree on the page. While text streams in, blocks that did not change keep their elements.

import { el } from "../element.js";
import { markdownTree, safeUrl } from "./markdown.js";

export class Prose {
  /** @type {{key: string, node: Node}[]} */
  #blocks = [];
  #text = "";

  /** @param {HTMLElement} host  holds these blocks and nothing else */
  constructor(host) {
    this.host = host;
  }

  /** @param {string} text */
  update(text) {
    if (text === this.#text) return;
    this.#text = text;
    const wanted = markdownTree(text);
    let same = 0;
    const keys = wanted.map((node) => JSON.stringify(node));
    while (same < keys.length && same < this.#blocks.length && this.#blocks[same].key === keys[same]) same += 1;
    for (const { node } of this.#blocks.splice(same)) node.parentNode?.removeChild(node);
    for (let at = same; at < wanted.length; at += 1) {
      const node = domNode(wanted[at]);
      this.#blocks.push({ key: keys[at], node });
      this.host.append(node);
    }
  }
}

/** @param {MdNode} node @returns {Node} */
export function domNode(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const children = node.children.map(domNode);
  if (node.tag === "table") return el("div", { class: "tablewrap", tabindex: "0" }, el("table", {}, ...children));
  if (node.tag === "a") return linkNode(node, children);
  const element = el(node.tag, {}, ...children);
  if (node.attrs?.start) element.setAttribute("start", node.attrs.start);
  if (node.attrs?.class === "r") element.className = "r";
  return element;
}

/** Where a link leads is always to be seen: its host follows, unless the words are that address themselves. */
function linkNode(node, children) {
  const { href, rel, target, host } = node.attrs;
  const anchor = el("a", { href, rel, target }, ...children);
  if (anchor.textContent === host || safeUrl(anchor.textContent)?.href === href) return anchor;
  return el("span", {}, anchor, el("span", { class: "host" }, ` (${host})`));
}
