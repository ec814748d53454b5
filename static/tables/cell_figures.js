// Sum, average, minimum and maximum of the numbers in the selected cells.

import { el } from "../element.js";
import { readerLocale, t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { displayText } from "./values.js";

const SMALL_LIMIT = 1000;
/** Is shown differently in each format. */
const SAMPLE = 1234.5;

/** @param {TableGrid} grid @param {any[]} rows @param {Column[]} columns @returns {HTMLElement[]} empty if no cell has a number */
export function figureParts(grid, rows, columns) {
  const { numbers, sum, min, max } = figuresOf(valuesOf(grid, rows, columns));
  if (!numbers) return [];
  const { figure: figureText, column } = formatOf(columns);
  const numberText = (/** @type {number} */ value) => figureText?.(value, undefined, column) ?? displayText(column, value);
  const figure = (/** @type {string} */ name, /** @type {string} */ text) => el("span", {}, el("span", { class: "k", text: `${name} ` }), el("b", { text }), " ");
  return [
    figure(t("Sum"), numberText(sum)), figure(t("Average"), figureText?.(sum / numbers, undefined, column) ?? averageText(sum / numbers)),
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

/**
 * Read the rows of a selection that are not loaded, and show their figures.
 * @param {any} figures  the grid's `RangeFigures`
 * @param {{rect: Rect, cells: string, columns: Column[]}} selected  cells: their number as text @param {AbortSignal} signal
 */
export async function readFigures(figures, { rect, cells, columns }, signal) {
  try {
    const { rows } = await figures.grid.reading.readRun({ first: rect.top, last: rect.bottom + 1 }, { signal });
    if (!signal.aborted) await figures.show(cells, rows, columns);
  } catch (error) {
    if (!signal.aborted) figures.node.replaceChildren(t("{cells}; their numbers could not be loaded. {reason}", { cells, reason: error.message }));
  }
}

/** @param {TableGrid} grid @param {any[]} rows @param {Column[]} columns */
function* valuesOf({ writer }, rows, columns) {
  for (const row of rows) {
    for (const column of columns) {
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

/** @typedef {{numbers: number, sum: number, min: number, max: number}} Figures */

/** @param {Iterable<any>} values  values that are not numbers are ignored @returns {Figures} */
export function figuresOf(values) {
  let [numbers, sum, lost, min, max] = [0, 0, 0, Infinity, -Infinity];
  for (const value of values) {
    if (typeof value !== "number") continue;
    numbers += 1;
    // Kahan–Neumaier summation: add the lost low-order digits at the end.
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const total = sum + lost;
  return { numbers, sum: Number.isFinite(total) ? total : sum, min, max };
}
