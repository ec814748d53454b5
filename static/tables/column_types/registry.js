// Column types in the browser: display, parsing, editing. Unknown types are shown as plain text.

import { el, icon, load } from "../../element.js";
import { readerLocale, t } from "../../locale.js";

/**
 * @typedef {object} ColumnKind  defaults are in PLAIN
 * @property {string} name @property {string} label @property {string} [icon] @property {string} [cellClass]
 * @property {string} [hint]  hint on the edit page
 * @property {boolean} [hasOptions] @property {"options" | "truth" | ""} [clicks]  kind of filter in the filter bar
 * @property {boolean} [isLocalized]  whether the format depends on the user's locale
 * @property {boolean} [toggles]  whether Enter toggles the value instead of opening an editor
 * @property {boolean} [isText]  whether values are text of any language, with its own direction
 * @property {string} [fieldType]  input type of the default value
 * @property {(value: any, locale?: string) => string} [display]
 * @property {(value: any, text: string, column: Column) => Node | null} [draw]  null: as text
 * @property {(node: any, value: any, text: string, column: Column) => boolean} [updateNode]  show a value that is not empty in
 *   the node of the previous one; false: must be redrawn
 * @property {(value: any, locale?: string) => string} [editText]  the initial text of an editor
 * @property {(value: any) => string} [copied]  text for the clipboard; default: editText
 * @property {boolean} [keepsSpace]  whether leading and trailing white space is part of a value
 * @property {boolean} [hasDecimals]  whether values are numbers: they are added up, and their decimal separator is detected from all pasted ones
 * @property {(text: string, locale?: string) => any} [typed]  parse typed text, which is not empty
 * @property {() => Promise<void> | null} [prepare]  load the parser of typed text; null if loaded. Also called when the cursor enters a cell
 * @property {null | ((text: string, locale?: string) => string)} [valueHint]  hint beside an editor: the parsed value in full; "" if
 *   the text cannot be parsed
 * @property {(text: string, locale?: string, separator?: string) => any} [pasted]  separator: detected decimal separator; "": unknown
 * @property {(text: string) => any} [defaultOf]
 * @property {(text: string) => {tag: string, props: Record<string, any>}} [field]  the editor
 * @property {(column: Column) => string[][]} [choices]  values and labels of a default; null: free text
 */

/** @param {any} value  may have been stored under another type @returns {string} */
const plainText = (value) => (typeof value !== "boolean" ? String(value) : value ? t("Yes") : t("No"));

const PLAIN = {
  icon: "type", cellClass: "", hint: "", hasOptions: false, clicks: "", isLocalized: false, keepsSpace: false, hasDecimals: false, toggles: false, isText: true, fieldType: "text",
  display: plainText,
  draw: () => null,
  updateNode: (node, value, text) => updateText(node, text),
  editText: (value) => String(value),
  typed: (text) => text,
  copied: null,
  pasted: null,
  valueHint: null,
  prepare: () => null,
  defaultOf: (text) => text,
  field: (text) => ({ tag: "textarea", props: { rows: "1", value: text } }),
  choices: () => null,
};

/** The type of columns without another one. */
export const DEFAULT_TYPE = "text";
/** Option colors, in the order in which they are assigned. */
export const OPTION_COLORS = ["blue", "orange", "teal", "purple", "yellow", "pink", "gray", "cyan", "indigo", "magenta", "brown", "lime"];
const kinds = new Map();

/** @param {any} node @param {string} text @returns {boolean} false if it is not a text node */
export function updateText(node, text) {
  if (node?.nodeName !== "#text") return false;
  if (node.data !== text) node.data = text;
  return true;
}

/** @param {ColumnKind} kind */
export function registerColumnType(kind) {
  // A custom node cannot be updated by its text.
  const updateNode = kind.draw ? () => false : PLAIN.updateNode;
  const whole = { ...PLAIN, updateNode, ...kind };
  kinds.set(kind.name, { ...whole, copied: whole.copied ?? whole.editText, pasted: whole.pasted ?? whole.typed });
}

/** @param {{type?: string} | string | undefined} column  a column or the name of a type @returns {Required<ColumnKind>} */
export function columnType(column) {
  const name = typeof column === "string" ? column : column?.type ?? "";
  return kinds.get(name) ?? { ...PLAIN, name, label: name, copied: PLAIN.editText, pasted: PLAIN.typed };
}

/** @returns {string[][]} names and labels, in their order */
export function columnTypes() {
  return [...kinds.values()].map((kind) => [kind.name, kind.label]);
}

/** @param {Column} column @param {string} option @returns {string} its color; if the server has assigned none yet, the one it will assign */
export function colorOf(column, option) {
  const { optionColors: known = {} } = column;
  if (Object.hasOwn(known, option)) return known[option];
  const index = (column.options ?? []).indexOf(option);
  return index < 0 ? "gray" : OPTION_COLORS[index % OPTION_COLORS.length];
}

/** Text is stored exactly as typed. @type {ColumnKind} */
const text = { name: "text", label: t("Text"), hint: t("Any text."), keepsSpace: true };

const UNAMBIGUOUS = /^-?(0|[1-9]\d{0,14})(\.\d{1,12})?$/;

/**
 * @template T
 * @param {(locale: string | undefined) => T} build  an expensive constructor
 * @returns {(locale: string | undefined) => T} cached by locale
 */
function cachedByLocale(build) {
  /** @type {Map<string | undefined, T>} */
  const cache = new Map();
  return (locale) => {
    if (!cache.has(locale)) cache.set(locale, build(locale));
    return /** @type {T} */ (cache.get(locale));
  };
}

// Without thousands separators, since a number may be a year or a reference.
const numberFormat = cachedByLocale((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 12, useGrouping: false }));
const dateFormat = cachedByLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }));

/** @param {number} value @param {string} [locale] @returns {string} with the decimal separator of the locale, without grouping */
function numberText(value, locale = readerLocale) {
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-6)) return String(value);
  return numberFormat(locale).format(value);
}

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

/** @param {number} value @returns {string} all digits with a decimal point and without exponent, so that it is parsed as the same number */
function digits(value) {
  const [, minus, whole, part = "", power] = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(String(value)) ?? [];
  const all = whole + part;
  const text = power === undefined ? String(value) : `${minus}${Number(power) < 0 ? `0.${"0".repeat(-1 - Number(power))}${all}` : all.padEnd(Number(power) + 1, "0")}`;
  // Integers beyond 2^53 are not exact, and only accepted in the form of the stored value.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? `${text}.0` : text;
}

/** @param {string} text  of a number, with a decimal point @returns {any} a number if it is certainly one; the server decides otherwise */
const parseNumber = (text) => (UNAMBIGUOUS.test(text) ? Number(text) : text);

/** Numbers, displayed, typed, copied and pasted in the user's format. @type {ColumnKind} */
const number = {
  name: "number", label: t("Number"), icon: "hash", cellClass: "is-num", hint: t("Numbers can be sorted, added up and averaged."),
  isLocalized: true, isText: false, fieldType: "number",
  display: (value, locale) => (typeof value === "number" ? numberText(value, locale) : plainText(value)),
  // Text that is not a number is shown as typed.
  editText: (value, locale = readerLocale) => (separators(locale).decimal === "," && !Number.isNaN(Number(value)) ? digits(value).replace(".", ",") : digits(value)),
  hasDecimals: true,
  typed: (text, locale) => parseNumber(dataNumber(text, locale)),
  pasted: (text, locale, separator) => parseNumber(dataNumber(text, locale, separator)),
  defaultOf: Number,
  field: (text) => ({ tag: "input", props: { type: "text", inputmode: "decimal", value: text } }),
};

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

/**
 * Dates without a time. They are typed as text, since date inputs of browsers have a fixed order of day, month and year.
 * @type {ColumnKind}
 */
const date = {
  name: "date", label: t("Date"), icon: "calendar", hint: t("Days, without a time."), isLocalized: true, isText: false, fieldType: "date",
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

/** Yes or no: a check mark that Enter toggles. @type {ColumnKind} */
const boolean = {
  name: "boolean", label: t("Yes or no"), icon: "square-check", cellClass: "is-bool", hint: t("Yes, no, or empty."), clicks: "truth", toggles: true, isText: false,
  display: plainText,
  draw: (value, text) => {
    if (typeof value !== "boolean") return null;
    const mark = value ? icon("check") : icon("minus", "icon--14");
    return el("span", { class: value ? "bool" : "bool is-no", role: "img", "aria-label": text }, mark);
  },
  updateNode: (node, value) => typeof value === "boolean" && node.className === (value ? "bool" : "bool is-no"),
  editText: (value) => (value ? "true" : "false"),
  typed: (text) => text === "true",
  // The displayed words; the server knows other words for yes and no.
  pasted: (text) => [false, true].find((value) => boolean.display(value).toLowerCase() === text.toLowerCase()) ?? text,
  defaultOf: (text) => text === "true",
  choices: () => [["true", t("Yes")], ["false", t("No")]],
};

/** Select: one of the column's options, with its color. @type {ColumnKind} */
const select = {
  name: "select", label: t("Select"), icon: "circle-chevron-down", hasOptions: true, clicks: "options", isText: false,
  draw: (value, text, column) => el("span", { class: "badge", "data-c": colorOf(column, String(value)), text }),
  updateNode: (node, value, text, column) => {
    if (node.className !== "badge" || node.childNodes.length !== 1 || !updateText(node.firstChild, text)) return false;
    const color = colorOf(column, String(value));
    if (node.dataset.c !== color) node.dataset.c = color;
    return true;
  },
  field: (text) => ({ tag: "input", props: { type: "text", dir: "auto", role: "combobox", placeholder: text || t("Find an option") } }),
  choices: (column) => (column.options ?? []).map((one) => [one, one]),
};

// In the order in which they are offered.
for (const kind of [text, number, date, boolean, select]) registerColumnType(kind);
