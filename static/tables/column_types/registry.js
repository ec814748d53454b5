// What the pages know of each column type: how it is drawn, written and typed; plain text for a type that is not here.

import { el, icon, load } from "../../element.js";
import { readerLocale, t } from "../../locale.js";

/**
 * @typedef {object} ColumnKind  what is left out is as in PLAIN
 * @property {string} name @property {string} label @property {string} [icon] @property {string} [cellClass]
 * @property {string} [hint]  a line on the edit page
 * @property {boolean} [hasOptions] @property {"options" | "truth" | ""} [clicks]  what the filter bar offers
 * @property {boolean} [localised]  whether the reader's own way of writing differs from the server's
 * @property {boolean} [toggles]  whether Enter turns a value round in place of opening an editor
 * @property {boolean} [wordy]  whether a value is words in whatever language: read in their own direction, not the page's
 * @property {string} [fieldType]  the type of the field for a default
 * @property {(value: any, locale?: string) => string} [display]
 * @property {(value: any, text: string, column: Column) => Node | null} [draw]  null: as its text
 * @property {(node: any, value: any, text: string, column: Column) => boolean} [retell]  another value, not an empty one, with the
 *   node that was drawn for the one before; false: it has to be drawn
 * @property {(value: any, locale?: string) => string} [editText]  what an editor starts with
 * @property {(value: any) => string} [copied]  what other programs are given; where it is not said, what an editor starts with
 * @property {boolean} [keepsSpace]  whether outer white space is part of a value
 * @property {boolean} [hasDecimals]  whether pasted values are numbers: all of them show which decimal separator each has
 * @property {(text: string, locale?: string) => any} [typed]  what is sent of what somebody typed; never called for an empty text
 * @property {() => Promise<void> | null} [prepare]  loads what reads typed text; null where it is there. Called when the cursor comes to a cell, too
 * @property {null | ((text: string, locale?: string) => string)} [understood]  what is shown beside an editor during typing:
 *   the value that the text means, in full; "" for a text that is not understood
 * @property {(text: string, locale?: string, separator?: string) => any} [pasted]  separator: the decimal one that the pasted numbers show; "": none
 * @property {(text: string) => any} [defaultOf]
 * @property {(text: string) => {tag: string, props: Record<string, any>}} [field]  the cell's editor
 * @property {(column: Column) => string[][]} [choices]  values and words of a default; null: a free field
 */

/** @param {any} value  also one that was stored under another type of the column @returns {string} */
const plainText = (value) => (typeof value !== "boolean" ? String(value) : value ? t("Yes") : t("No"));

const PLAIN = {
  icon: "type", cellClass: "", hint: "", hasOptions: false, clicks: "", localised: false, keepsSpace: false, hasDecimals: false, toggles: false, wordy: true, fieldType: "text",
  display: plainText,
  draw: () => null,
  retell: (node, value, text) => retellText(node, text),
  editText: (value) => String(value),
  typed: (text) => text,
  copied: null,
  pasted: null,
  understood: null,
  prepare: () => null,
  defaultOf: (text) => text,
  field: (text) => ({ tag: "textarea", props: { rows: "1", value: text } }),
  choices: () => null,
};

/** Colours of options, in the order in which new ones get them. */
export const OPTION_COLORS = ["blue", "orange", "teal", "purple", "yellow", "pink", "gray", "cyan", "indigo", "magenta", "brown", "lime"];

const kinds = new Map();

const TEXT_NODE = 3;

/** @param {any} node @param {string} text @returns {boolean} false where the node is no text, but something made of more */
export function retellText(node, text) {
  if (node?.nodeType !== TEXT_NODE) return false;
  if (node.data !== text) node.data = text;
  return true;
}

/** @param {ColumnKind} kind */
export function registerColumnType(kind) {
  // Only what is drawn as nothing but its text can be said by a text that stands there.
  const retell = kind.draw ? () => false : PLAIN.retell;
  const whole = { ...PLAIN, retell, ...kind };
  kinds.set(kind.name, { ...whole, copied: whole.copied ?? whole.editText, pasted: whole.pasted ?? whole.typed });
}

/** @param {{type?: string} | string | undefined} column  a column or the name of a type @returns {Required<ColumnKind>} */
export function columnType(column) {
  const name = typeof column === "string" ? column : column?.type ?? "";
  return kinds.get(name) ?? { ...PLAIN, name, label: name, copied: PLAIN.editText, pasted: PLAIN.typed };
}

/** @returns {string[][]} names and labels, in the order they are offered */
export function columnTypes() {
  return [...kinds.values()].map((kind) => [kind.name, kind.label]);
}

/** @param {Column} column @param {string} option @returns {string} its colour; while the server has given it none, the one it will get there */
export function colorOf(column, option) {
  const { optionColors: known = {} } = column;
  if (Object.hasOwn(known, option)) return known[option];
  const place = (column.options ?? []).indexOf(option);
  return place < 0 ? "gray" : OPTION_COLORS[place % OPTION_COLORS.length];
}

/** Text: kept exactly as typed, white space included. @type {ColumnKind} */
const text = { name: "text", label: t("Text"), hint: t("Any text."), keepsSpace: true };

const CERTAIN = /^-?(0|[1-9]\d{0,14})(\.\d{1,12})?$/;

/**
 * @template T
 * @param {(locale: string | undefined) => T} make  takes longer than a hundred uses of what it makes
 * @returns {(locale: string | undefined) => T} the same one for the same way of writing
 */
function madeOnce(make) {
  /** @type {Map<string | undefined, T>} */
  const made = new Map();
  return (locale) => {
    if (!made.has(locale)) made.set(locale, make(locale));
    return /** @type {T} */ (made.get(locale));
  };
}

// Without thousands separators: they belong to amounts, and a number may as well be a year or a reference.
const numberFormat = madeOnce((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 12, useGrouping: false }));
const dateFormat = madeOnce((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }));

/** @param {number} value @param {string} [locale] @returns {string} with the decimal separator of the locale, digits not grouped */
function numberText(value, locale = readerLocale) {
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-6)) return String(value);
  return numberFormat(locale).format(value);
}

/** @param {string} groupSign  as in a regular expression @returns {RegExp} marks before, digits, the group sign, a fraction, marks after */
const withComma = (groupSign) => new RegExp(`^([-+\u2212\\p{Sc}\\s]*)(\\d{1,3}(${groupSign})\\d{3}(?:\\3\\d{3})*|\\d+)(?:,(\\d+))?([\\p{Sc}%\\s]*)$`, "u");
const ANY_COMMA = withComma("[.\\s]");
const signs = madeOnce((locale) => {
  const parts = new Intl.NumberFormat(locale).formatToParts(1_234_567.5);
  const [group, decimal] = ["group", "decimal"].map((type) => parts.find((part) => part.type === type)?.value ?? "");
  return { decimal, written: withComma(/\s/.test(group) ? "\\s" : group ? `[${group}]` : "(?!)") };
});

/**
 * @param {string} text @param {string} [locale] @param {string} [separator]  the decimal one, where it is known whatever the reader's is
 * @returns {string} as data writes it, where the reader writes 1.234,5; a text that is no number so stays as it is. Of money the server
 *   refuses 1.200 as unclear, unless the separator is known
 */
function dataNumber(text, locale = readerLocale, separator = "") {
  const { decimal, written } = signs(locale);
  const [, before, whole, , part, after] = ((separator || decimal) === "," && (separator ? ANY_COMMA : written).exec(text)) || [];
  if (whole === undefined) return text;
  const number = `${whole.replace(/\D/g, "")}${part === undefined ? "" : `.${part}`}`;
  return separator ? before.replace(/[^-+\u2212]/gu, "") + number : before + number + after;
}

/** @param {number} value @returns {string} all its digits with a decimal point, no power of ten: what is read back as the same number */
function digits(value) {
  const [, minus, whole, part = "", power] = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(String(value)) ?? [];
  const all = whole + part;
  const text = power === undefined ? String(value) : `${minus}${Number(power) < 0 ? `0.${"0".repeat(-1 - Number(power))}${all}` : all.padEnd(Number(power) + 1, "0")}`;
  // Beyond 2^53 whole numbers cannot be told from their neighbours, and are taken only as what they are.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? `${text}.0` : text;
}

/** @param {string} text  of a number as data writes it @returns {any} what is sent: what counts as one is for the server to say */
const certain = (text) => (CERTAIN.test(text) ? Number(text) : text);

/** Numbers: shown in the reader's own way of writing, and typed, copied and pasted so. @type {ColumnKind} */
const number = {
  name: "number", label: t("Number"), icon: "hash", cellClass: "is-num", hint: t("Numbers can be sorted, added up and averaged."),
  localised: true, wordy: false, fieldType: "number",
  display: (value, locale) => (typeof value === "number" ? numberText(value, locale) : plainText(value)),
  // A text that is no number is shown as it was typed.
  editText: (value, locale = readerLocale) => (signs(locale).decimal === "," && !Number.isNaN(Number(value)) ? digits(value).replace(".", ",") : digits(value)),
  hasDecimals: true,
  typed: (text, locale) => certain(dataNumber(text, locale)),
  pasted: (text, locale, separator) => certain(dataNumber(text, locale, separator)),
  defaultOf: Number,
  field: (text) => ({ tag: "input", props: { type: "text", inputmode: "decimal", value: text } }),
};

/** @param {string} text @param {string} [locale] */
function dateText(text, locale = readerLocale) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return text;
  const day = new Date(0);
  day.setUTCFullYear(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  // A day that does not exist would be shown as another one: it is shown as it was typed.
  return day.getUTCDate() === Number(parts[3]) && day.getUTCMonth() === Number(parts[2]) - 1 ? dateFormat(locale).format(day) : text;
}

/** @type {typeof import("./date_text.js") | undefined} */
let dates;

/** Loads what reads typed dates, which only an editor of one needs. @returns {Promise<void> | null} null where it is loaded */
function loadDates() {
  if (dates) return null;
  // Where it cannot be loaded, the server says what is wrong with a text that is not a date.
  return load(() => import("./date_text.js")).then((module) => void (dates = module), () => {});
}

/** @param {string} text @param {string} [locale] @returns {string | null} the day that the reader means, as data writes it */
const dayTyped = (text, locale = readerLocale) => dates?.readDate(text, { today: new Date(), locale }) ?? null;

/** Dates: days without a time. They are typed as text: a field of the browser takes one order of day, month and year. @type {ColumnKind} */
const date = {
  name: "date", label: t("Date"), icon: "calendar", hint: t("Days, without a time."), localised: true, wordy: false, fieldType: "date",
  display: (value, locale) => dateText(plainText(value), locale),
  draw: (value, text) => el("time", { datetime: value, text }),
  retell: (node, value, text) => {
    if (node.tagName !== "TIME" || node.childNodes.length !== 1 || !retellText(node.firstChild, text)) return false;
    node.dateTime = String(value);
    return true;
  },
  typed: (text, locale) => dayTyped(text, locale) ?? text,
  pasted: (text, locale) => dayTyped(text, locale) ?? text,
  prepare: loadDates,
  understood: (text, locale = readerLocale) => {
    const day = dayTyped(text, locale);
    return dates && day ? dates.fullDate(day, locale) : "";
  },
  field: (text) => {
    void loadDates();
    return { tag: "input", props: { type: "text", value: text } };
  },
};

/** Yes or no: a tick that Enter turns round. @type {ColumnKind} */
const boolean = {
  name: "boolean", label: t("Yes or no"), icon: "square-check", cellClass: "is-bool", hint: t("Yes, no, or empty."), clicks: "truth", toggles: true, wordy: false,
  display: plainText,
  draw: (value, text) => {
    if (typeof value !== "boolean") return null;
    const mark = value ? icon("check") : icon("minus", "icon--14");
    return el("span", { class: value ? "bool" : "bool is-no", role: "img", "aria-label": text }, mark);
  },
  retell: (node, value) => typeof value === "boolean" && node.className === (value ? "bool" : "bool is-no"),
  editText: (value) => (value ? "true" : "false"),
  typed: (text) => text === "true",
  // As the page shows them; the server knows what else means yes and no.
  pasted: (text) => [false, true].find((value) => boolean.display(value).toLowerCase() === text.toLowerCase()) ?? text,
  defaultOf: (text) => text === "true",
  choices: () => [["true", t("Yes")], ["false", t("No")]],
};

/** Select: one of the column's options, in its colour. @type {ColumnKind} */
const select = {
  name: "select", label: t("Select"), icon: "circle-chevron-down", hasOptions: true, clicks: "options", wordy: false,
  draw: (value, text, column) => el("span", { class: "badge", "data-c": colorOf(column, String(value)), text }),
  retell: (node, value, text, column) => {
    if (node.className !== "badge" || node.childNodes.length !== 1 || !retellText(node.firstChild, text)) return false;
    const color = colorOf(column, String(value));
    if (node.dataset.c !== color) node.dataset.c = color;
    return true;
  },
  field: (text) => ({ tag: "input", props: { type: "text", dir: "auto", role: "combobox", placeholder: text || t("Find an option") } }),
  choices: (column) => (column.options ?? []).map((one) => [one, one]),
};

// In the order they are offered.
for (const kind of [text, number, date, boolean, select]) registerColumnType(kind);
