// Parses numbers as users type and paste them, with the decimal separator of their locale.

import { cachedByLocale, readerLocale } from "../../locale.js";

const UNAMBIGUOUS = /^-?(0|[1-9]\d{0,14})(\.\d{1,12})?$/;

/** @param {string} groupSign  as in a regular expression @returns {RegExp} signs, digits with group separators, a fraction, signs */
const withComma = (groupSign) => new RegExp(`^([-+\u2212\\p{Sc}\\s]*)(\\d{1,3}(${groupSign})\\d{3}(?:\\3\\d{3})*|\\d+)(?:,(\\d+))?([\\p{Sc}%\\s]*)$`, "u");
const ANY_COMMA = withComma("[.\\s]");
const separators = cachedByLocale((locale) => {
  const parts = new Intl.NumberFormat(locale).formatToParts(1_234_567.5);
  const [group, decimal] = ["group", "decimal"].map((type) => parts.find((part) => part.type === type)?.value ?? "");
  return { decimal, written: withComma(/\s/.test(group) ? "\\s" : group ? `[${group}]` : "(?!)") };
});

/**
 * @param {string} text @param {string} [locale] @param {string} [separator]  decimal separator, if it is known
 * @returns {string} 1234.5 for a user who writes 1.234,5; other text is unchanged. In currency columns the server refuses 1.200
 *   as ambiguous unless the separator is known
 */
function dataNumber(text, locale = readerLocale, separator = "") {
  const { decimal, written } = separators(locale);
  const [, before, whole, , part, after] = ((separator || decimal) === "," && (separator ? ANY_COMMA : written).exec(text)) || [];
  if (whole === undefined) return text;
  const number = `${whole.replace(/\D/g, "")}${part === undefined ? "" : `.${part}`}`;
  return separator ? before.replace(/[^-+\u2212]/gu, "") + number : before + number + after;
}

/** @param {string} text  of a number, with a decimal point @returns {any} a number if it is certainly one; the server decides otherwise */
const parseNumber = (text) => (UNAMBIGUOUS.test(text) ? Number(text) : text);

/** Numbers, and texts that the server may read as numbers. */
const NUMBER = /^[-+\u2212]?[\d.,'\u2019\s]*\d[\d.,'\u2019\s]*$/u;

/**
 * @param {string} text  a percentage, with or without its sign @param {string} [locale]
 * @returns {any} 0.05 for 5 and for 5 %; the server parses other text
 */
export const readPercentage = (text, locale) => readFraction(NUMBER.test(text) ? `${text}%` : text, { locale });

/**
 * @param {string} text @param {{locale?: string, separator?: string}} how
 * @returns {any} 0.05 for 5 %, and other numbers as they are; the server parses other text
 */
export function readFraction(text, how) {
  const [, before] = /^(.*?)\s*%$/u.exec(text) ?? [];
  if (before === undefined) return readNumber(text, how);
  const number = dataNumber(before, how.locale, how.separator);
  return UNAMBIGUOUS.test(number) ? Number(`${number}e-2`) : `${number}%`;
}

/**
 * @param {string} text @param {{locale?: string, separator?: string}} how  separator: decimal separator, if it is known
 * @returns {any} a number if it is certainly one; the server parses other text
 */
export const readNumber = (text, { locale, separator }) => parseNumber(dataNumber(text, locale, separator));
