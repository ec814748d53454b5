// Values as people read and type them. Pure: the page, the grid and the proposals all draw through it.

import { readerLocale } from "../locale.js";
import { columnType } from "./column_types/index.js";

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
  return columnType(column).display(value, locale);
}

/** @param {Column} column @param {any} value @returns {string} what an editor starts with */
export function editText(column, value) {
  if (isEmpty(value)) return "";
  return columnType(column).editText(value);
}

/**
 * @param {Column} column @param {string} text  what somebody typed
 * @returns {any} what is sent; numbers stay text, because only the server knows what counts as one
 */
export function typedValue(column, text) {
  const kind = columnType(column);
  const kept = kind.keepsSpace ? text : text.trim();
  return kept === "" ? null : kind.typed(kept);
}

/** @param {any} left @param {any} right @returns {boolean} whether two values mean the same cell */
export function sameValue(left, right) {
  return isEmpty(left) ? isEmpty(right) : left === right;
}

/** @param {Column[]} columns @param {Record<string, any>} data @param {string} fallback @returns {string} what to call a row */
export function rowLabel(columns, data, fallback) {
  for (const column of columns) if (!isEmpty(data[column.id])) return displayText(column, data[column.id]);
  return fallback;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${new Intl.NumberFormat(readerLocale).format(count)} ${count === 1 ? one : many}`;
}
