// Text, which is also how values of unknown types are shown.

import { el, load } from "../../element.js";
import { t } from "../../locale.js";

/** @param {any} value  may have been stored under another type @returns {string} */
export const plainText = (value) => (typeof value !== "boolean" ? String(value) : value ? t("Yes") : t("No"));

/** @param {any} node @param {string} text @returns {boolean} false if it is not a text node */
export function updateText(node, text) {
  if (node?.nodeName !== "#text") return false;
  if (node.data !== text) node.data = text;
  return true;
}

/** The behavior of types that define no other. @type {Omit<Required<ColumnKind>, "name" | "label" | "copied" | "pasted" | "operand">} */
export const PLAIN = {
  icon: "type", cellClass: "", hasOptions: false, hasLists: false, clicks: "", clickOperator: "", isLocalized: false, keepsSpace: false, hasDecimals: false, toggles: false, isText: true, fieldType: "text",
  display: plainText,
  draw: () => null,
  updateNode: (node, value, text) => updateText(node, text),
  editText: (value) => String(value),
  typed: (text) => text,
  reformatted: (value) => value,
  valueHint: null,
  prepare: () => null,
  loadFormat: () => null,
  defaultOf: (text) => text,
  field: (text) => ({ tag: "textarea", props: { rows: "1", value: text } }),
  choices: () => null,
  drawEmpty: () => el("span", { class: "none", text: "–" }),
  valueOfKey: () => undefined,
  valueOfClick: () => undefined,
  figure: null,
  settings: [],
  formats: {},
};

/** @typedef {typeof import("./text_formats.js")} Formats */
/** @type {Formats | undefined} */
let formats;

/** Load the drawing of other formats. @param {Column} column @returns {Promise<Formats> | null} null for single lines */
const loadFormat = ({ format = "line" }) => (format === "line" ? null : load(() => import("./text_formats.js")).then((module) => (formats = module)));

/** Text is stored as typed; the server cleans addresses. @type {ColumnKind} */
export const text = {
  name: "text", keepsSpace: true,
  // Drawn as plain text until the formats are loaded.
  draw: (value, text, column) => {
    if (formats) return formats.draw(value, text, column);
    const node = document.createTextNode(text);
    loadFormat(column)?.then(({ draw }) => node.data === text && node.replaceWith(draw(value, text, column)), () => {});
    return node;
  },
  updateNode: (node, value, text, column) => (formats ? formats.update(node, value, text, column) : !loadFormat(column) && updateText(node, text)),
  loadFormat,
};
