// Rectangles of cells: what they cover, what of a paste goes where, what their numbers come to. Pure.

/**
 * @typedef {{index: number, col: number}} Spot  a row by its place among the saved ones, a column by its place among the seen
 * @typedef {{top: number, bottom: number, left: number, right: number}} Rect  all of them within
 * @typedef {{numbers: number, sum: number, least: number, most: number}} Figures
 */

/** The most rows that are read, copied or written together. */
export const MOST_TOGETHER = 10_000;

/** @param {Spot} one @param {Spot} other @returns {Rect} */
export function rectOf(one, other) {
  return {
    top: Math.min(one.index, other.index), bottom: Math.max(one.index, other.index),
    left: Math.min(one.col, other.col), right: Math.max(one.col, other.col),
  };
}

/** @param {Rect} rect */
export const rowsIn = ({ top, bottom }) => bottom - top + 1;

/** @param {Rect} rect */
export const columnsIn = ({ left, right }) => right - left + 1;

/** @param {Rect} rect @param {Spot} spot */
export function holds({ top, bottom, left, right }, { index, col }) {
  return index >= top && index <= bottom && col >= left && col <= right;
}

/**
 * @param {string[][]} cells  what is pasted @param {Rect} rect  what is selected
 * @returns {string[][]} repeated until it fills the selection where it fits in whole times, as it is otherwise
 */
export function spread(cells, rect) {
  const width = Math.max(...cells.map((line) => line.length));
  const [down, across] = [rowsIn(rect) / cells.length, columnsIn(rect) / width];
  if (!Number.isInteger(down) || !Number.isInteger(across) || cells.some((line) => line.length !== width)) return cells;
  return Array.from({ length: rowsIn(rect) }, (_, row) => Array.from({ length: columnsIn(rect) }, (_each, col) => cells[row % cells.length][col % width]));
}

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
