// The column types there are, in the order they are offered: how each is drawn, written and typed.

import { el, icon } from "../../element.js";
import { readerLocale } from "../../locale.js";
import { columnType, columnTypes, hueOf, registerColumnType } from "./registry.js";

/** Text: kept exactly as typed, white space included. @type {ColumnKind} */
const text = { name: "text", label: "Text", hint: "Any text.", keepsSpace: true };

const CERTAIN = /^-?(0|[1-9]\d{0,14})(\.\d{1,12})?$/;

/** @param {number} value @param {string} [locale] */
function numberText(value, locale = readerLocale) {
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-6)) return String(value);
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 12 }).format(value);
}

/** Numbers: shown in the reader's own way of writing; what counts as one is for the server to say. @type {ColumnKind} */
const number = {
  name: "number", label: "Number", icon: "hash", cellClass: "is-num", hint: "Numbers can be sorted, added up and averaged.",
  localised: true, fieldType: "number",
  display: (value, locale) => (typeof value === "number" ? numberText(value, locale) : String(value)),
  typed: (text) => (CERTAIN.test(text) ? Number(text) : text),
  defaultOf: Number,
  field: (text) => ({ tag: "input", props: { type: "text", inputmode: "decimal", value: text } }),
};

/** @param {string} text @param {string} [locale] */
function dateText(text, locale = readerLocale) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return text;
  const day = new Date(0);
  day.setUTCFullYear(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(day);
}

/** Dates: days without a time. @type {ColumnKind} */
const date = {
  name: "date", label: "Date", icon: "calendar", hint: "Days, without a time.", localised: true, keepsFirstKey: false, fieldType: "date",
  display: (value, locale) => dateText(String(value), locale),
  draw: (value, text) => el("time", { datetime: value, text }),
  field: (text) => ({ tag: "input", props: { type: "date", value: text } }),
};

/** Yes or no: a tick that Enter turns round. @type {ColumnKind} */
const boolean = {
  name: "boolean", label: "Yes or no", icon: "square-check", cellClass: "is-bool", hint: "Yes, no, or empty.", clicks: "truth", toggles: true,
  display: (value) => (value ? "Yes" : "No"),
  draw: (value, text) => {
    const mark = value ? icon("check") : icon("minus", "icon--14");
    return el("span", { class: value ? "bool" : "bool is-no", role: "img", "aria-label": text }, mark);
  },
  editText: (value) => (value ? "true" : "false"),
  typed: (text) => text === "true",
  // The server knows what else means yes and no.
  pasted: (text) => text,
  defaultOf: (text) => text === "true",
  choices: () => [["true", "Yes"], ["false", "No"]],
};

/** Select: one of the column's options, in the colour of its place. @type {ColumnKind} */
const select = {
  name: "select", label: "Select", icon: "circle-chevron-down", hasOptions: true, clicks: "options",
  draw: (value, text, column) => el("span", { class: "badge", "data-c": hueOf(column, String(value)), text }),
  field: (text) => ({ tag: "input", props: { type: "text", role: "combobox", placeholder: text || "Find an option" } }),
  choices: (column) => (column.options ?? []).map((one) => [one, one]),
};

for (const kind of [text, number, date, boolean, select]) registerColumnType(kind);

export { columnType, columnTypes };
