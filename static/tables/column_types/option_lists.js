// Lists of options in cells: badges, and parsing of typed text. Loaded when the first list is drawn or edited.

import { el } from "../../element.js";
import { colorOf } from "./select.js";

/** Number of characters after which further options are only counted. */
const MAX_SHOWN = 32;
// As `PIECE` on the server.
const PIECE = /[ \t]*"((?:[^"]|""){1,255})"[ \t]*(?=[,;\r\n]|$)|[^,;\r\n]+/g;

/** @param {string} text @returns {string[]} the names in it */
export function splitList(text) {
  return [...text.matchAll(PIECE)].map(([whole, quoted]) => (quoted?.replaceAll('""', '"') ?? whole).trim()).filter(Boolean);
}

/** @param {string[]} options @returns {number} how many of them are shown in a cell */
export function shownCount(options) {
  let length = 0;
  const over = options.findIndex((option) => (length += [...option].length + 3) > MAX_SHOWN);
  return over < 0 ? options.length : Math.max(1, over);
}

/** @param {string} text @param {Column} column @returns {string[] | string} the text if the server must read it */
export function readList(text, column) {
  const options = column.options ?? [];
  const found = splitList(text).map((name) => options.find((option) => option === name) ?? options.find((option) => option.toLocaleLowerCase() === name.toLocaleLowerCase()));
  if (found.includes(undefined)) return options.includes(text) ? [text] : text;
  return options.filter((option) => found.includes(option));
}

/** @param {string[]} value @param {Column} column @returns {HTMLElement} */
export function drawBadges(value, column) {
  const count = shownCount(value);
  const badges = value.map((option, index) => el("span", { class: index < count ? "badge" : "badge is-more", "data-c": colorOf(column, option), text: option }));
  const more = count < value.length && el("span", { class: "badges__more", title: value.slice(count).join(", "), text: `+${value.length - count}` });
  return el("span", { class: "badges" }, ...badges, more);
}
