// Numbers, displayed, typed, copied and pasted in the user's format.

import { load } from "../../element.js";
import { cachedByLocale, readerLocale } from "../../locale.js";
import { plainText } from "./text.js";

// Without thousands separators, since a number may be a year or a reference.
const numberFormat = cachedByLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 12, useGrouping: false }));
const decimalSign = cachedByLocale((locale) => new Intl.NumberFormat(locale).formatToParts(1.5).find((part) => part.type === "decimal")?.value);

/** @param {number} value @param {string} [locale] @returns {string} with the decimal separator of the locale, without grouping */
function numberText(value, locale = readerLocale) {
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-6)) return String(value);
  return numberFormat(locale).format(value);
}

/** @param {number} value @returns {string} all digits with a decimal point and without exponent, so that it is parsed as the same number */
function digits(value) {
  const [, minus, whole, part = "", power] = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(String(value)) ?? [];
  const all = whole + part;
  const text = power === undefined ? String(value) : `${minus}${Number(power) < 0 ? `0.${"0".repeat(-1 - Number(power))}${all}` : all.padEnd(Number(power) + 1, "0")}`;
  // Integers beyond 2^53 are not exact, and only accepted in the form of the stored value.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? `${text}.0` : text;
}

/** @type {typeof import("./number_text.js") | undefined} */
let parser;

/** Load the parser of typed numbers, which only editors need. @returns {Promise<void> | null} null if it is loaded */
const loadParser = () => (parser ? null : load(() => import("./number_text.js")).then((module) => void (parser = module)));

/** @type {ColumnKind} */
export const number = {
  name: "number", isLocalized: true, isText: false, fieldType: "number",
  display: (value, locale) => (typeof value === "number" ? numberText(value, locale) : plainText(value)),
  // Text that is not a number is shown as typed.
  editText: (value, locale = readerLocale) => (decimalSign(locale) === "," && !Number.isNaN(Number(value)) ? digits(value).replace(".", ",") : digits(value)),
  prepare: loadParser,
  typed: (text, locale) => parser?.readNumber(text, { locale }),
  pasted: (text, locale, separator) => parser?.readNumber(text, { locale, separator }),
  defaultOf: Number,
  field: (text) => ({ tag: "input", props: { type: "text", inputmode: "decimal", value: text } }),
};
