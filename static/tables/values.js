// Values as people read and type them. Pure: the page, the grid and the proposals all draw through it.

const HUES = 9;

/** @typedef {{id: string, name: string, type: string, required?: boolean, default?: any, options?: string[], filterDisplay?: string}} Column */

/** @param {any} value */
export function isEmpty(value) {
  return value === null || value === undefined || value === "";
}

/**
 * @param {Column} column @param {any} value @param {string} [locale]
 * @returns {string} the value in the reader's own way of writing; "" for an empty one
 */
export function displayText(column, value, locale) {
  if (isEmpty(value)) return "";
  if (column.type === "number" && typeof value === "number") return numberText(value, locale);
  if (column.type === "date") return dateText(String(value), locale);
  if (column.type === "boolean") return value ? "Yes" : "No";
  return String(value);
}

/** @param {number} value @param {string} [locale] */
function numberText(value, locale) {
  if (value !== 0 && (Math.abs(value) >= 1e15 || Math.abs(value) < 1e-6)) return String(value);
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 12 }).format(value);
}

/** @param {string} text @param {string} [locale] */
function dateText(text, locale) {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!parts) return text;
  const day = new Date(0);
  day.setUTCFullYear(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" }).format(day);
}

/** @param {Column} column @param {any} value @returns {string} what an editor starts with */
export function editText(column, value) {
  if (isEmpty(value)) return "";
  return column.type === "boolean" ? (value ? "true" : "false") : String(value);
}

/**
 * @param {Column} column @param {string} text  what somebody typed
 * @returns {any} what is sent; numbers stay text, because only the server knows what counts as one
 */
export function typedValue(column, text) {
  const trimmed = column.type === "text" ? text : text.trim();
  if (trimmed === "") return null;
  if (column.type === "boolean") return trimmed === "true";
  if (column.type === "number" && /^-?(0|[1-9]\d{0,14})(\.\d{1,12})?$/.test(trimmed)) return Number(trimmed);
  return trimmed;
}

/** @param {any} left @param {any} right @returns {boolean} whether two values mean the same cell */
export function sameValue(left, right) {
  return isEmpty(left) ? isEmpty(right) : left === right;
}

/** @param {Column} column @param {string} option @returns {number} the colour of an option: its place, so renaming keeps it */
export function hueOf(column, option) {
  const place = (column.options ?? []).indexOf(option);
  return place < 0 ? 0 : (place % HUES) + 1;
}

/** @param {Column[]} columns @param {Record<string, any>} data @param {string} fallback @returns {string} what to call a row */
export function rowLabel(columns, data, fallback) {
  for (const column of columns) if (!isEmpty(data[column.id])) return displayText(column, data[column.id]);
  return fallback;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${new Intl.NumberFormat().format(count)} ${count === 1 ? one : many}`;
}

export const TYPE_ICONS = { text: "type", number: "hash", date: "calendar", boolean: "square-check", select: "circle-chevron-down" };
export const TYPE_NAMES = { text: "Text", number: "Number", date: "Date", boolean: "Yes or no", select: "Select" };
