// Numbers: shown in the reader's own way of writing; what counts as one is for the server to say.

import { readerLocale } from "../../locale.js";

const CERTAIN = /^-?(0|[1-9]\d{0,14})(\.\d{1,12})?$/;

/** @param {number} value @param {string} [locale] */
function numberText(value, locale = readerLocale) {
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-6)) return String(value);
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 12 }).format(value);
}

/** @type {ColumnKind} */
export const number = {
  name: "number", label: "Number", icon: "hash", cellClass: "is-num", hint: "Numbers can be sorted, added up and averaged.",
  localised: true, fieldType: "number",
  display: (value, locale) => (typeof value === "number" ? numberText(value, locale) : String(value)),
  typed: (text) => (CERTAIN.test(text) ? Number(text) : text),
  defaultOf: Number,
  field: (text) => ({ tag: "input", props: { type: "text", inputmode: "decimal", value: text } }),
};
