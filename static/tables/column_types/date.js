// Dates without a time. They are typed as text, since date inputs of browsers have a fixed order of day, month and year.

import { el, load } from "../../element.js";
import { cachedByLocale, readerLocale } from "../../locale.js";
import { plainText, updateText } from "./text.js";

const dateFormat = cachedByLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }));

/** @param {string} text @param {string} [locale] */
function dateText(text, locale = readerLocale) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return text;
  const day = new Date(0);
  day.setUTCFullYear(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  // A date that does not exist is shown as typed, since Date would return another one.
  return day.getUTCDate() === Number(parts[3]) && day.getUTCMonth() === Number(parts[2]) - 1 ? dateFormat(locale).format(day) : text;
}

/** @type {typeof import("./date_text.js") | undefined} */
let dates;

/** Load the parser of typed dates, which only editors need. @returns {Promise<void> | null} null if it is loaded */
function loadDates() {
  if (dates) return null;
  // If it cannot be loaded, the server validates the text.
  return load(() => import("./date_text.js")).then((module) => void (dates = module), () => {});
}

/** @param {string} text @param {string} [locale] @returns {string | null} ISO date */
const parseDay = (text, locale = readerLocale) => dates?.readDate(text, { today: new Date(), locale }) ?? null;

/** @type {ColumnKind} */
export const date = {
  name: "date", isLocalized: true, isText: false, fieldType: "date",
  display: (value, locale) => dateText(plainText(value), locale),
  draw: (value, text) => el("time", { datetime: value, text }),
  updateNode: (node, value, text) => {
    if (node.tagName !== "TIME" || node.childNodes.length !== 1 || !updateText(node.firstChild, text)) return false;
    node.dateTime = String(value);
    return true;
  },
  typed: (text, locale) => parseDay(text, locale) ?? text,
  pasted: (text, locale) => parseDay(text, locale) ?? text,
  prepare: loadDates,
  valueHint: (text, locale = readerLocale) => {
    const day = parseDay(text, locale);
    return dates && day ? dates.fullDate(day, locale) : "";
  },
  field: (text) => {
    void loadDates();
    return { tag: "input", props: { type: "text", value: text } };
  },
};
