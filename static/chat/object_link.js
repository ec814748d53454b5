// Links in answers to objects of the app. Loaded with the first answer that has one.

import { el } from "../element.js";
import { linkHandlers } from "./registry.js";

/** Inline code, or a link with its text. As in chat/links.py. */
const CODE_OR_LINK = /(?<code>(?<!\x60)(?<ticks>\x60+)(?!\x60).*?(?<!\x60)\k<ticks>(?!\x60))|(?<!\\)\[(?<name>(?:\\.|[^[\]\\\n]){0,500})\]\([a-z][a-z0-9_]{0,30}:[A-Za-z0-9_-]{1,64}\)/gs;

/** @param {string} text  Markdown @returns {string} with links to objects replaced by their texts */
export function withoutLinks(text) {
  return text.replace(CODE_OR_LINK, (whole, ...found) => found.at(-1).name ?? whole);
}

/**
 * Make links of the spans whose address the server has resolved; others stay plain text.
 * @param {HTMLElement} host @param {Record<string, {href: string, data: any}>} links  the server's links by address, such as "paper:12"
 */
export function drawLinks(host, links) {
  for (const name of host.querySelectorAll("span[data-address]")) {
    const address = name.getAttribute("data-address") ?? "";
    const link = Object.hasOwn(links, address) ? links[address] : null;
    // Only paths of this site.
    if (!link || !/^\/(?![/\\])/.test(link.href)) continue;
    const clicked = (/** @type {MouseEvent} */ event) => {
      const opensNewTab = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (!opensNewTab && linkHandlers.get(address.split(":")[0])?.(link.data)) event.preventDefault();
    };
    name.replaceWith(el("a", { href: link.href, on: { click: clicked } }, ...name.childNodes));
  }
}
