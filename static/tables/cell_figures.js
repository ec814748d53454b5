// The summary of the selected cells in the footer: their number, sum, average, minimum and maximum.

import { el } from "../element.js";
import { readerLocale, t, tn } from "../locale.js";
import { MAX_BULK_ROWS, columnsIn, loadedRows, rowsIn } from "./grid_geometry.js";
import { columnType } from "./column_types/registry.js";
import { displayText } from "./values.js";

const SMALL_LIMIT = 1000;
/** Is shown differently in each format. */
const SAMPLE = 1234.5;

export class CellFigures {
  /** @param {TableGrid} grid @param {HTMLElement} node  in which they are shown */
  constructor(grid, node) {
    this.grid = grid;
    this.node = node;
    /** Controls the read of rows for the summary. @type {AbortController | null} */
    this.reading = null;
    this.isDragging = false;
    /** Height of the footer before the current selection, px. */
    this.height = 0;
  }

  /** @param {Rect | null} rect @param {{held?: boolean}} [how]  held: during a drag, in which no rows are read */
  update(rect, { held = false } = {}) {
    this.reading?.abort();
    this.reading = null;
    if (!this.isDragging) this.height = this.grid.table.tFoot.offsetHeight;
    this.isDragging = held;
    this.fill(rect);
    this.scrollAboveFooter();
  }

  /** @param {Rect | null} rect */
  fill(rect) {
    if (!rect) return this.node.replaceChildren();
    const cells = tn("{count} cell", "{count} cells", rowsIn(rect) * columnsIn(rect));
    const rows = loadedRows(this.grid, rect);
    const columns = this.grid.columns.slice(rect.left, rect.right + 1);
    if (rows) return this.show(cells, rows, columns);
    if (this.isDragging || !columns.some((column) => columnType(column).hasDecimals)) return this.node.replaceChildren(cells);
    if (rowsIn(rect) > MAX_BULK_ROWS) {
      this.node.replaceChildren(t("{cells}; sums cover at most {most} rows", { cells, most: MAX_BULK_ROWS }));
      return;
    }
    this.node.replaceChildren(t("{cells}; loading their numbers…", { cells }));
    void this.read(rect, cells, columns);
  }

  /** @param {Rect} rect @param {string} cells  their number as text @param {Column[]} columns */
  async read(rect, cells, columns) {
    const { signal } = (this.reading = new AbortController());
    try {
      const { rows } = await this.grid.reading.readRun({ first: rect.top, last: rect.bottom + 1 }, { signal });
      if (!signal.aborted) this.show(cells, rows, columns);
    } catch (error) {
      if (!signal.aborted) this.node.replaceChildren(t("{cells}; their numbers could not be loaded. {reason}", { cells, reason: error.message }));
    }
  }

  /** Scroll the last row above the footer if that has grown over it, except during a drag. */
  scrollAboveFooter() {
    if (this.isDragging) return;
    const { rowsBody, scroller, table } = this.grid;
    const foot = table.tFoot.getBoundingClientRect();
    const covered = rowsBody.getBoundingClientRect().bottom - foot.top;
    if (covered > 0 && covered <= foot.height - this.height + 1) scroller.scrollTop += covered;
  }

  /** @param {string} cells @param {any[]} rows @param {Column[]} columns */
  show(cells, rows, columns) {
    this.node.replaceChildren(el("span", { text: `${cells} ` }), ...figureParts(this.grid, rows, columns));
    this.scrollAboveFooter();
  }
}

/** @param {TableGrid} grid @param {any[]} rows @param {Column[]} columns @returns {HTMLElement[]} empty if no cell has a number */
export function figureParts(grid, rows, columns) {
  const { numbers, sum, average, min, max } = figuresOf(valuesOf(grid, rows, columns));
  if (!numbers) return [];
  const { figure: figureText, column } = formatOf(columns);
  const numberText = (/** @type {number} */ value) => figureText?.(value, undefined, column) ?? displayText(column, value);
  const figure = (/** @type {string} */ name, /** @type {string} */ text) => el("span", {}, el("span", { class: "k", text: `${name} ` }), el("b", { text }), " ");
  return [
    figure(t("Sum"), numberText(sum)), figure(t("Average"), figureText?.(average, undefined, column) ?? averageText(average)),
    figure(t("Min"), numberText(min)), figure(t("Max"), numberText(max)),
  ];
}

/** @param {Column[]} columns @returns {{figure: any, column: Column}} how figures are shown: in the format that all columns have, else as plain numbers */
function formatOf(columns) {
  const numeric = columns.filter((column) => columnType(column).hasDecimals);
  const column = numeric[0] ?? columns[0];
  const isCommon = numeric.every((other) => displayText(other, SAMPLE) === displayText(column, SAMPLE));
  return isCommon ? { figure: columnType(column).figure, column } : { figure: null, column: { id: "", name: "", type: column.type } };
}

/** @param {TableGrid} grid @param {any[]} rows @param {Column[]} columns */
function* valuesOf({ writer }, rows, columns) {
  // Other types have numbers too, such as the ids of people.
  const numeric = columns.filter((column) => columnType(column).hasDecimals);
  for (const row of rows) {
    for (const column of numeric) {
      const written = writer.unsavedValue(String(row.id), column.id);
      yield written ? written.value : row.data[column.id];
    }
  }
}

/**
 * @param {number} value
 * @param {string} [locale] @returns {string} rounded to two decimals, or to six digits if it is small; without grouping, as in the cells
 */
export function averageText(value, locale = readerLocale) {
  const digits = Math.abs(value) < SMALL_LIMIT ? { maximumSignificantDigits: 6 } : { maximumFractionDigits: 2 };
  return new Intl.NumberFormat(locale, { ...digits, useGrouping: false }).format(value);
}

/** @typedef {{numbers: number, sum: number, average: number, min: number, max: number}} Figures */

/** @param {Iterable<any>} values  values that are not numbers are ignored @returns {Figures} sum and average: as the server computes them */
export function figuresOf(values) {
  let [numbers, whole, min, max] = [0, 0, Infinity, -Infinity];
  /** Sums of the digits of other numbers than small integers, by the power of ten of the last one. @type {Map<number, bigint>} */
  const totals = new Map();
  for (const value of values) {
    if (typeof value !== "number") continue;
    numbers += 1;
    if (Number.isSafeInteger(value) && Number.isSafeInteger(whole + value)) whole += value;
    else {
      const [mantissa, exponent = "0"] = String(value).split("e");
      const [integer, part = ""] = mantissa.split(".");
      const power = Number(exponent) - part.length;
      totals.set(power, (totals.get(power) ?? 0n) + BigInt(integer + part));
    }
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const power = Math.min(0, ...totals.keys());
  let total = BigInt(whole) * 10n ** BigInt(-power);
  for (const [each, digits] of totals) total += digits * 10n ** BigInt(each - power);
  return { numbers, sum: Number(`${total}e${power}`), average: averageOf(total, power, numbers), min, max };
}

const AVERAGE_DIGITS = 15;

/** @param {bigint} total  of the numbers, in units of 10^power @param {number} power @param {number} count @returns {number} rounded to 15 digits; 0 without numbers */
function averageOf(total, power, count) {
  const size = total < 0n ? -total : total;
  if (!size) return 0;
  const more = Math.max(0, AVERAGE_DIGITS + String(count).length - String(size).length);
  const shifted = size * 10n ** BigInt(more);
  const left = Math.max(0, String(shifted / BigInt(count)).length - AVERAGE_DIGITS);
  const unit = BigInt(count) * 10n ** BigInt(left);
  const average = Number(`${(2n * shifted + unit) / (2n * unit)}e${power - more + left}`);
  return total < 0n ? -average : average;
}
