// Text, which is also how values of unknown types are shown.

import { t } from "../../locale.js";

/** @param {any} value  may have been stored under another type @returns {string} */
export const plainText = (value) => (typeof value !== "boolean" ? String(value) : value ? t("Yes") : t("No"));

/** @param {any} node @param {string} text @returns {boolean} false if it is not a text node */
export function updateText(node, text) {
  if (node?.nodeName !== "#text") return false;
  if (node.data !== text) node.data = text;
  return true;
}

/** The behavior of types that define no other. @type {Omit<Required<ColumnKind>, "name" | "label" | "copied" | "pasted">} */
export const PLAIN = {
  icon: "type", cellClass: "", hasOptions: false, clicks: "", isLocalized: false, keepsSpace: false, hasDecimals: false, toggles: false, isText: true, fieldType: "text",
  display: plainText,
  draw: () => null,
  updateNode: (node, value, text) => updateText(node, text),
  editText: (value) => String(value),
  typed: (text) => text,
  valueHint: null,
  prepare: () => null,
  defaultOf: (text) => text,
  field: (text) => ({ tag: "textarea", props: { rows: "1", value: text } }),
  choices: () => null,
};

/** Text is stored exactly as typed. @type {ColumnKind} */
export const text = { name: "text", keepsSpace: true };
