// Links in answers to things of the app, such as a row of a table. Fetched with the first answer that has one.

import { el } from "../element.js";
import { linkHandlers } from "./registry.js";

/** Inline code, or a link with its name. As in chat/links.py. */
const CODE_OR_LINK = /(?<code>(?<!\x60)(?<ticks>\x60+)(?!\x60).*?(?<!\x60)\k<ticks>(?!\x60))|(?<!\\)\[(?<name>(?:\\.|[^[\]\\\n]){0,500})\]\([a-z][a-z0-9_]{0,30}:[A-Za-z0-9_-]{1,64}\)/gs;

/** @param {string} text  in Markdown @returns {string} the same with the name alone in place of each link to a thing of the app */
export function withoutLinks(text) {
  return text.replace(CODE_OR_LINK, (whole, ...found) => found.at(-1).name ?? whole);
}

/**
 * Makes links of the names whose addresses lead somewhere; the others stay plain text.
 * @param {HTMLElement} host @param {Record<string, {href: string, data: any}>} links  by address, such as "row:12": what the server has found
 */
export function drawLinks(host, links) {
  for (const name of host.querySelectorAll("span[data-address]")) {
    const address = name.getAttribute("data-address") ?? "";
    const link = Object.hasOwn(links, address) ? links[address] : null;
    // Paths of this site alone.
    if (!link || !/^\/(?![/\\])/.test(link.href)) continue;
    const clicked = (/** @type {MouseEvent} */ event) => {
      const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (!elsewhere && linkHandlers.get(address.split(":")[0])?.(link.data)) event.preventDefault();
    };
    name.replaceWith(el("a", { href: link.href, on: { click: clicked } }, ...name.childNodes));
  }
}
