// Dates, and moments in UTC that are shown in the user's time zone. They are typed as text, since date inputs of browsers have a
// fixed order of day, month and year.

import { el, load } from "../../element.js";
import { cachedByLocale, plainSpaces, readerLocale, readerZone } from "../../locale.js";
import { plainText, updateText } from "./text.js";

const dateFormat = cachedByLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }));
const momentFormat = cachedByLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: readerZone() }));

/** @param {string} text @param {string} [locale] @returns {string} a value that is neither a day nor a moment is unchanged */
function dateText(text, locale = readerLocale) {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\dZ)?$/.exec(text) ?? [];
  const time = new Date(day ? text : NaN);
  // A date that does not exist is shown as typed, since Date would return another one.
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(day)) return text;
  return plainSpaces((clock ? momentFormat : dateFormat)(locale).format(time));
}

/** @type {typeof import("./date_text.js") | undefined} */
let dates;
/** @type {typeof import("./moment_text.js") | undefined} */
let moments;

/** Load the parser of typed dates, which only editors need. @returns {Promise<void> | null} null if it is loaded */
function loadDates() {
  if (dates) return null;
  // If it cannot be loaded, the server validates the text.
  return load(() => import("./date_text.js")).then((module) => void (dates = module), () => {});
}

/** @returns {Promise<void> | null} null if the parser of dates with a time is loaded */
const loadMoments = () => (moments ? null : load(() => import("./moment_text.js")).then((module) => void (moments = module), () => {}));

/** @param {string} text @param {string} [locale] @returns {string | null} ISO date */
const parseDay = (text, locale = readerLocale) => dates?.readDate(text, { today: new Date(), locale }) ?? null;

/** @type {ColumnKind} */
export const date = {
  name: "date", isText: false, fieldType: "date",
  display: (value, locale) => dateText(plainText(value), locale),
  draw: (value, text, { format }) => {
    // Editors need the text in the time zone at once.
    if (format === "datetime") void loadMoments();
    return el("time", { datetime: value, text });
  },
  updateNode: (node, value, text) => {
    if (node.tagName !== "TIME" || node.childNodes.length !== 1 || !updateText(node.firstChild, text)) return false;
    node.dateTime = String(value);
    return true;
  },
  typed: (text, locale) => parseDay(text, locale) ?? text,
  prepare: loadDates,
  valueHint: (text, locale = readerLocale) => {
    const day = parseDay(text, locale);
    return dates && day ? dates.fullDate(day, locale) : "";
  },
  field: (text) => {
    void loadDates();
    return { tag: "input", props: { type: "text", value: text } };
  },
  reformatted: async (value, format) => (await loadMoments(), moments?.reformatted(value, format) ?? value),
  formats: {
    datetime: {
      fieldType: "text",
      // Without the parser, the text is the moment in UTC.
      editText: (value) => moments?.editText(value) ?? String(value),
      typed: (text, locale) => moments?.readMoment(text, { locale })?.moment ?? text,
      operand: (text, locale) => moments?.readOperand(text, { locale }) ?? text,
      prepare: loadMoments,
      valueHint: (text, locale) => moments?.hint(text, { locale }) ?? "",
    },
  },
};
