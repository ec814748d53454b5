// Sum, average, minimum and maximum of the numbers in selected cells.

import { el } from "../element.js";
import { readerLocale, t } from "../locale.js";
import { displayText } from "./values.js";

const PRECISE_BELOW = 1000;

/** @param {TableGrid} grid @param {any[]} rows @param {Column[]} columns @returns {HTMLElement[]} empty where no cell has a number */
export function figureParts(grid, rows, columns) {
  const { numbers, sum, least, most } = figuresOf(valuesOf(grid, rows, columns));
  if (!numbers) return [];
  const figure = (/** @type {string} */ name, /** @type {string} */ text) => el("span", {}, el("span", { class: "k", text: `${name} ` }), el("b", { text }), " ");
  return [
    figure(t("Sum"), numberText(sum)), figure(t("Average"), averageText(sum / numbers)),
    figure(t("Min"), numberText(least)), figure(t("Max"), numberText(most)),
  ];
}

/**
 * Reads the rows of a selection that are not all known, and says their figures.
 * @param {any} figures  the grid's `RangeFigures`
 * @param {{rect: Rect, cells: string, columns: Column[]}} selected  cells: how many they are @param {AbortSignal} signal
 */
export async function readFigures(figures, { rect, cells, columns }, signal) {
  try {
    const { rows } = await figures.grid.reading.readRun({ first: rect.top, last: rect.bottom + 1 }, { signal });
    if (!signal.aborted) await figures.say(cells, rows, columns);
  } catch (error) {
    if (!signal.aborted) figures.place.replaceChildren(t("{cells}; their numbers could not be read. {reason}", { cells, reason: error.message }));
  }
}

/** @param {TableGrid} grid @param {any[]} rows @param {Column[]} columns */
function* valuesOf({ writer }, rows, columns) {
  for (const row of rows) {
    for (const column of columns) {
      const written = writer.written(String(row.id), column.id);
      yield written ? written.value : row.data[column.id];
    }
  }
}

/** @param {number} value */
function numberText(value) {
  return displayText({ id: "", name: "", type: "number" }, value);
}

/** @param {number} value @param {string} [locale] @returns {string} rounded to two decimals, or to six digits where it is small; digits not grouped, as in the cells */
export function averageText(value, locale = readerLocale) {
  const digits = Math.abs(value) < PRECISE_BELOW ? { maximumSignificantDigits: 6 } : { maximumFractionDigits: 2 };
  return new Intl.NumberFormat(locale, { ...digits, useGrouping: false }).format(value);
}

/** @typedef {{numbers: number, sum: number, least: number, most: number}} Figures */

/** @param {Iterable<any>} values  whatever is no number is passed over @returns {Figures} */
export function figuresOf(values) {
  let [numbers, sum, lost, least, most] = [0, 0, 0, Infinity, -Infinity];
  for (const value of values) {
    if (typeof value !== "number") continue;
    numbers += 1;
    // What a small one loses beside a large one is kept and added at the end (Neumaier).
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const whole = sum + lost;
  return { numbers, sum: Number.isFinite(whole) ? whole : sum, least, most };
}
