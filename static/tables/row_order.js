// Where rows that are moved come to stand among the others. Pure: indexes in, indexes out.

/** @typedef {{index: number, side: "before" | "after"}} Beside  directly before or after the row with this index */

/** @param {number[]} moved  indexes in order @param {number} boundary  the rows before it lie above @returns {boolean} whether they are together there already */
function standsAt(moved, boundary) {
  const [first, last] = [moved[0], moved[moved.length - 1]];
  return last - first === moved.length - 1 && boundary >= first && boundary <= last + 1;
}

/**
 * @param {number[]} moved  indexes in order @param {number} boundary  0 is above all rows @param {number} length
 * @returns {Beside | null} beside which row, of those that stay, rows dropped there go; null: nothing changes
 */
export function droppedPlace(moved, boundary, length) {
  if (standsAt(moved, boundary)) return null;
  const among = new Set(moved);
  let above = boundary - 1;
  while (among.has(above)) above -= 1;
  if (above >= 0) return { index: above, side: "after" };
  let below = boundary;
  while (among.has(below)) below += 1;
  return below < length ? { index: below, side: "before" } : null;
}

/** @param {number[]} moved  indexes in order @param {-1 | 1} step @param {number} length @returns {Beside | null} one row further; null at the end */
export function steppedPlace(moved, step, length) {
  const [first, last] = [moved[0], moved[moved.length - 1]];
  if (step < 0 && first > 0) return { index: first - 1, side: "before" };
  if (step > 0 && last < length - 1) return { index: last + 1, side: "after" };
  return droppedPlace(moved, step < 0 ? 0 : length, length);
}

/** @param {number[]} moved  indexes in order @param {Beside} place @returns {{first: number, order: number[]}} the rows from `first` on, by the indexes they had */
export function movedOrder(moved, { index, side }) {
  const target = side === "after" ? index + 1 : index;
  const among = new Set(moved);
  const [first, last] = [Math.min(moved[0], target), Math.max(moved[moved.length - 1] + 1, target)];
  const staying = Array.from({ length: last - first }, (_, step) => first + step).filter((one) => !among.has(one));
  return { first, order: [...staying.filter((one) => one < target), ...moved, ...staying.filter((one) => one >= target)] };
}
