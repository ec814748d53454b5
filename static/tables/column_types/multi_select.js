// Multiple select: a list of the column's options.

import { load } from "../../element.js";
import { select } from "./select.js";
import { plainText } from "./text.js";

/** @type {typeof import("./option_lists.js") | undefined} */
let lists;
const loadLists = () => load(() => import("./option_lists.js")).then((module) => void (lists = module));

/** @param {any} names @returns {string} one text; names with separators are quoted */
export const listText = (names) => [names].flat().map((name) => (/^"|[,;]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(", ");

/** @type {ColumnKind} */
export const multiSelect = {
  ...select, name: "multi_select",
  display: (value) => [value].flat().map(plainText).join(", "),
  draw: (value, text, column) => {
    if (!Array.isArray(value)) return null;
    if (lists) return lists.drawBadges(value, column);
    const node = document.createTextNode(text);
    loadLists().then(() => node.replaceWith(lists.drawBadges(value, column)), () => {});
    return node;
  },
  updateNode: () => false,
  editText: listText,
  typed: (text, _locale, column) => lists.readList(text, column),
  pasted: (text, _locale, _separator, column) => lists.readList(text, column),
  prepare: () => (lists ? null : loadLists()),
  choices: () => null,
};
