// Dates, and moments in UTC that are shown in the user's time zone. They are typed as text, since date inputs of browsers have a
// fixed order of day, month and year.

import { el, load } from "../../element.js";
import { cachedByLocale, readerLocale, readerZone } from "../../locale.js";
import { isoText, localTime, storedMoment } from "./local_time.js";
import { plainText, updateText } from "./text.js";

const dateFormat = cachedByLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }));
const momentFormat = cachedByLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: readerZone }));
const MINUTE = 60_000;

/** @param {string} text  YYYY-MM-DD, or YYYY-MM-DDTHH:MM with Z @returns {number} its milliseconds in UTC; NaN if it does not exist */
function utcTime(text) {
  const [day, clock = "00:00Z"] = text.split("T");
  const time = /^\d{4}-\d\d-\d\d$/.test(day) && /^([01]\d|2[0-3]):[0-5]\dZ$/.test(clock) ? Date.parse(`${day}T${clock}`) : NaN;
  // Date turns a day that does not exist into another one.
  return Number.isNaN(time) || new Date(time).toISOString().startsWith(day) ? time : NaN;
}

/** @param {string} value @param {string} [locale] @returns {string} values that are neither a day nor a moment are unchanged */
function dateText(value, locale = readerLocale) {
  const time = utcTime(value);
  if (Number.isNaN(time)) return value;
  return (value.includes("T") ? momentFormat : dateFormat)(locale).format(time);
}

/** @param {any} value @returns {string} local time; the later of two equal ones has its offset */
function momentText(value) {
  const time = utcTime(String(value));
  if (Number.isNaN(time) || !value.includes("T")) return String(value);
  const local = localTime(time);
  const text = isoText(local).replace("T", " ");
  if (!text) return value;
  const minutes = Math.round((local - time) / MINUTE);
  const clock = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return storedMoment(local) === value ? text : `${text}${minutes < 0 ? "-" : "+"}${clock}`;
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

/** Load the parser of typed dates with a time. @returns {Promise<void> | null} null if it is loaded */
function loadMoments() {
  return moments ? null : load(() => import("./moment_text.js")).then((module) => void (moments = module), () => {});
}

/** @param {string} text @param {string} [locale] @returns {string | null} ISO date */
const parseDay = (text, locale = readerLocale) => dates?.readDate(text, { today: new Date(), locale }) ?? null;

/** @param {string} text @param {string} [locale] @returns {string | null} moment */
const parseMoment = (text, locale = readerLocale) => moments?.readMoment(text, { now: Date.now(), locale })?.moment ?? null;

/** @param {() => Promise<void> | null} prepare @returns {(text: string) => {tag: string, props: Record<string, any>}} */
const textField = (prepare) => (text) => {
  void prepare();
  return { tag: "input", props: { type: "text", value: text } };
};

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
  prepare: loadDates,
  valueHint: (text, locale = readerLocale) => {
    const day = parseDay(text, locale);
    return dates && day ? dates.fullDate(day, locale) : "";
  },
  reformatted: (value) => (String(value).includes("T") ? isoText(localTime(utcTime(value))).slice(0, 10) || value : value),
  field: textField(loadDates),
  formats: {
    datetime: {
      fieldType: "text",
      editText: momentText,
      typed: (text, locale) => parseMoment(text, locale) ?? text,
      // A day is all of it.
      operand: (text, locale = readerLocale) => moments?.readOperand(text, { now: Date.now(), locale }) ?? text,
      prepare: loadMoments,
      valueHint: (text, locale = readerLocale) => {
        const moment = parseMoment(text, locale);
        return moments && moment ? moments.fullMoment(moment, locale) : "";
      },
      reformatted: (value) => (String(value).includes("T") ? value : storedMoment(utcTime(value)) || value),
      field: textField(loadMoments),
    },
  },
};
