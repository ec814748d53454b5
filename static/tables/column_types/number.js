// Numbers, displayed, typed, copied and pasted in the user's format.

import { el, load } from "../../element.js";
import { cachedByLocale, readerLocale, t } from "../../locale.js";
import { plainText, updateText } from "./text.js";

// Without thousands separators, since a number may be a year or a reference.
const numberFormat = cachedByLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 12, useGrouping: false }));
const decimalSign = cachedByLocale((locale) => new Intl.NumberFormat(locale).formatToParts(1.5).find((part) => part.type === "decimal")?.value);

/** @param {any} value */
const isTiny = (value) => value !== 0 && Math.abs(value) < 1e-6;

/** @param {number} value @param {string} [locale] @returns {string} with the decimal separator of the locale, without grouping */
function numberText(value, locale = readerLocale) {
  if (Math.abs(value) >= 1e15 || isTiny(value)) return String(value);
  return numberFormat(locale).format(value);
}

/**
 * @param {any} value  a number, or text of an earlier type @param {number} [by]  a power of ten
 * @returns {string} all digits of value × 10^by with a decimal point and without exponent, so that it is parsed as the same number
 */
function digits(value, by = 0) {
  if (typeof value !== "number" || !value) return String(value);
  const [, sign, whole, part = "", exp] = /** @type {string[]} */ (/^(-?)(\d)(?:\.(\d+))?e(.+)$/.exec(value.toExponential()));
  const all = whole + part;
  const point = Number(exp) + by + 1;
  const rest = all.slice(Math.max(point, 0));
  const text = `${sign}${point > 0 ? all.slice(0, point).padEnd(point, "0") : "0"}${rest && `.${"0".repeat(Math.max(-point, 0))}${rest}`}`;
  // Integers beyond 2^53 are not exact, and only accepted in the form of the stored value.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !rest ? `${text}.0` : text;
}

/** @type {typeof import("./number_text.js") | undefined} */
let parser;

/** Load the parser of typed numbers, which only editors need. @returns {Promise<void> | null} null if it is loaded */
const loadParser = () => (parser ? null : load(() => import("./number_text.js")).then((module) => void (parser = module)));

/** @type {Map<string, Intl.NumberFormat>} */
const formatters = new Map();

/** @param {any} value @param {string | undefined} locale @param {Intl.NumberFormatOptions} options @returns {string} */
function formatted(value, locale = readerLocale, options) {
  // Larger numbers are shown with the digits that the stored value determines.
  if (typeof value !== "number" || Math.abs(value) >= 1e15) return display(value, locale);
  const key = JSON.stringify([locale, options]);
  let format = formatters.get(key);
  try {
    if (!format) formatters.set(key, (format = new Intl.NumberFormat(locale, options)));
  } catch {
    // Settings of a proposal that is being written are not validated.
    return display(value, locale);
  }
  return format.format(value);
}

/** @param {any} value @param {string} [locale] @returns {string} */
const display = (value, locale) => (typeof value === "number" ? numberText(value, locale) : plainText(value));

/** @param {string} text  digits with a point @param {string} [locale] @returns {string} with the decimal sign of the locale */
const withDecimalSign = (text, locale = readerLocale) => (decimalSign(locale) === "," && !Number.isNaN(Number(text)) ? text.replace(".", ",") : text);

/** @param {any} value @param {string} [locale] @returns {string} all digits; text that is not a number is unchanged */
const editText = (value, locale) => withDecimalSign(digits(value), locale);

/** @param {number} minutes @returns {string} hours and minutes, and seconds if there are any */
function durationText(minutes) {
  const seconds = Math.round(Math.abs(minutes) * 60);
  const parts = [Math.floor(seconds / 60) % 60, ...(seconds % 60 ? [seconds % 60] : [])];
  return `${minutes < 0 ? "-" : ""}${[Math.floor(seconds / 3600), ...parts.map((part) => String(part).padStart(2, "0"))].join(":")}`;
}

/** @param {Column} column @returns {number} number of stars */
const starsOf = ({ maximum = 5 }) => Math.min(maximum, 10);
/** @param {any} value @param {Column} column @returns {string} */
const starsText = (value, column) => "★".repeat(value).padEnd(starsOf(column), "☆");
/** @param {any} value @param {Column} column */
const hasStars = (value, column) => Number.isInteger(value) && value >= 0 && value <= starsOf(column);
/** @param {any} value @param {Column} column */
const starsLabel = (value, column) => t("{stars} of {all}", { stars: value, all: starsOf(column) });

/** @type {(options: (column: Column) => Intl.NumberFormatOptions, ofFigures?: Intl.NumberFormatOptions) => Partial<ColumnKind>} */
const shownWith = (options, ofFigures) => ({
  display: (value, locale, column) => formatted(value, locale, options(/** @type {Column} */ (column))),
  figure: (value, locale, column) => formatted(value, locale, ofFigures ?? options(/** @type {Column} */ (column))),
});

/** A format changes neither values nor how they are compared. @type {Record<string, Partial<ColumnKind>>} */
const formats = {
  decimal: shownWith(({ places = 2 }) => ({ minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: false })),
  thousands: {
    ...shownWith(() => ({}), { maximumFractionDigits: 2 }),
    display: (value, locale) => (isTiny(value) ? display(value, locale) : formatted(value, locale, { maximumFractionDigits: 12 })),
  },
  currency: shownWith(({ currency }) => ({ style: "currency", currency: currency || "XXX" })),
  percent: {
    ...shownWith(() => ({ style: "percent", maximumFractionDigits: 2 })),
    editText: (value, locale) => (typeof value === "number" ? `${withDecimalSign(digits(value, 2), locale)}%` : editText(value, locale)),
    typed: (text, locale) => parser?.readPercentage(text, locale),
    fieldType: "text",
    defaultOf: (text) => (text.includes("%") ? text : `${text}%`),
    pasted: (text, locale, separator) => parser?.readFraction(text, { locale, separator }),
  },
  duration: {
    display: (value, locale) => (typeof value === "number" && Math.abs(value) < 1e15 ? durationText(value) : display(value, locale)),
    figure: durationText,
    editText: (value, locale) => (typeof value === "number" && Math.abs(value) < 1e9 && Math.round(value * 60) / 60 === value ? durationText(value) : editText(value, locale)),
    // The server also reads texts such as 90 min.
    field: (text) => ({ tag: "input", props: { type: "text", value: text } }),
    fieldType: "text",
    defaultOf: (text) => text,
  },
  rating: {
    ...shownWith(() => ({ maximumFractionDigits: 2, useGrouping: false })),
    display: (value, locale, column) => (hasStars(value, /** @type {Column} */ (column)) ? starsText(value, /** @type {Column} */ (column)) : display(value, locale)),
    draw: (value, text, column) => (hasStars(value, column) ? el("span", { class: "stars", role: "img", "aria-label": starsLabel(value, column), "data-n": value, "data-of": starsOf(column), text }) : null),
    updateNode: (node, value, text, column) => {
      if (node.className !== "stars" || !hasStars(value, column) || !updateText(node.firstChild, text)) return false;
      node.ariaLabel = starsLabel(value, column);
      Object.assign(node.dataset, { n: value, of: starsOf(column) });
      return true;
    },
    drawEmpty: (column) => el("span", { class: "none stars", "aria-hidden": "true", text: starsText(0, column) }),
    // 10 is typed as 1 and 0.
    valueOfKey: (key, column, value) => (key === "0" ? (value === 1 && starsOf(column) === 10 ? 10 : null) : key > "0" && Number(key) <= starsOf(column) ? Number(key) : undefined),
    stepped: (value, step, column) => {
      const stars = (step < 0 ? Math.ceil : Math.floor)(Number(value) || 0) + step;
      return stars > 0 ? Math.min(starsOf(column), stars) : null;
    },
    // A double click opens the editor. Numbers in place of stars are not clicked, see grid.css.
    valueOfClick: (event, column) => {
      const stars = /** @type {Element} */ (event.target).closest(".stars");
      if (!stars || event.detail > 1) return undefined;
      const { left, right, width } = stars.getBoundingClientRect();
      const passed = getComputedStyle(stars).direction === "rtl" ? right - event.clientX : event.clientX - left;
      const value = Math.min(starsOf(column), Math.max(1, Math.ceil((passed / width) * starsOf(column))));
      return stars.ariaLabel === starsLabel(value, column) ? null : value;
    },
    field: (text, column) => ({ tag: "input", props: { type: "number", min: "1", max: String(starsOf(column)), value: text } }),
  },
};

/** @type {ColumnKind} */
export const number = {
  name: "number", isText: false, fieldType: "number",
  display,
  editText,
  prepare: loadParser,
  typed: (text, locale) => parser?.readNumber(text, { locale }),
  pasted: (text, locale, separator) => parser?.readNumber(text, { locale, separator }),
  defaultOf: Number,
  field: (text) => ({ tag: "input", props: { type: "text", inputmode: "decimal", value: text } }),
  formats,
};
