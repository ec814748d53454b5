// Values as people read and type them, and as spreadsheets copy them. Pure: the page, the grid and the proposals all draw
// through it.

import { readerLocale } from "../locale.js";
import { columnType } from "./column_types/registry.js";

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

/** Cells as text between tabs, as every spreadsheet copies and pastes them. @param {string[][]} rows @returns {string} cells with tabs, line ends or quotes stand in quotes */
export function toTsv(rows) {
  const quoted = (cell) => (/[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return rows.map((row) => row.map(quoted).join("\t")).join("\n");
}

/** @param {string} text @returns {string[][]} a last line end is no row; a quote inside a bare cell is just a quote */
export function fromTsv(text) {
  const rows = [[]];
  let cell = "";
  let at = 0;
  const endCell = () => {
    rows.at(-1)?.push(cell);
    cell = "";
  };
  while (at < text.length) {
    const character = text[at];
    if (character === '"' && cell === "" && (at === 0 || "\t\n\r".includes(text[at - 1]))) {
      const end = closingQuote(text, at + 1);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else if (character === "\t") {
      endCell();
      at += 1;
    } else if (character === "\n" || character === "\r") {
      endCell();
      at += text.startsWith("\r\n", at) ? 2 : 1;
      if (at < text.length) rows.push([]);
      else return rows;
    } else {
      cell += character;
      at += 1;
    }
  }
  endCell();
  return rows;
}

/** @param {string} text @param {number} from @returns {number} where the quoted cell ends; the end of the text when it never does */
function closingQuote(text, from) {
  let at = from;
  while (at < text.length) {
    if (text[at] === '"' && text[at + 1] === '"') at += 2;
    else if (text[at] === '"') return at;
    else at += 1;
  }
  return text.length;
}
