// Multiple select: a list of the column's options, each with its color.

import { el } from "../../element.js";
import { colorOf, select } from "./select.js";
import { plainText } from "./text.js";

/** Number of characters after which further options are only counted. */
const MAX_SHOWN = 32;
// As `PIECE` on the server.
const PIECE = /[ \t]*"((?:[^"]|""){1,255})"[ \t]*(?=[,;\r\n]|$)|[^,;\r\n]+/g;

/** @param {string[]} names @returns {string} one text; names with separators are quoted */
export function listText(names) {
  return names.map((name) => (/^"|[,;]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(", ");
}

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

/** @param {string} text @param {string} _locale @param {Column} column @returns {string[] | string} the text if the server must read it */
function typed(text, _locale, column) {
  const options = column.options ?? [];
  const found = splitList(text).map((name) => options.find((option) => option === name) ?? options.find((option) => option.toLocaleLowerCase() === name.toLocaleLowerCase()));
  if (found.includes(undefined)) return options.includes(text) ? [text] : text;
  return options.filter((option) => found.includes(option));
}

/** @type {ColumnKind} */
export const multiSelect = {
  ...select, name: "multi_select",
  display: (value) => (Array.isArray(value) ? value.join(", ") : plainText(value)),
  draw: (value, text, column) => {
    if (!Array.isArray(value)) return null;
    const count = shownCount(value);
    const badges = value.map((option, index) => el("span", { class: index < count ? "badge" : "badge is-more", "data-c": colorOf(column, option), text: option }));
    const more = count < value.length && el("span", { class: "badges__more", title: value.slice(count).join(", "), text: `+${value.length - count}` });
    return el("span", { class: "badges" }, ...badges, more);
  },
  updateNode: () => false,
  editText: (value) => (Array.isArray(value) ? listText(value) : String(value)),
  typed: /** @type {any} */ (typed),
  pasted: (text, locale, _separator, column) => typed(text, locale ?? "", /** @type {Column} */ (column)),
  choices: () => null,
};
