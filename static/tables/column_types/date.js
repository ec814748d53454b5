// Dates: days without a time.

import { el } from "../../element.js";
import { readerLocale } from "../../locale.js";

/** @param {string} text @param {string} [locale] */
function dateText(text, locale = readerLocale) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return text;
  const day = new Date(0);
  day.setUTCFullYear(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(day);
}

/** @type {ColumnKind} */
export const date = {
  name: "date", label: "Date", icon: "calendar", hint: "Days, without a time.", localised: true, keepsFirstKey: false, fieldType: "date",
  display: (value, locale) => dateText(String(value), locale),
  draw: (value, text) => el("time", { datetime: value, text }),
  field: (text) => ({ tag: "input", props: { type: "date", value: text } }),
};
