// Computes where moved rows are placed. No DOM: indexes in, indexes out.

/** @typedef {{index: number, side: "before" | "after"}} Beside  directly before or after the row with this index */

/**
 * @param {number[]} moved  sorted indexes
 * @param {number} boundary  number of rows above the position @returns {boolean} whether they are there already
 */
function isAt(moved, boundary) {
  const [first, last] = [moved[0], moved[moved.length - 1]];
  return last - first === moved.length - 1 && boundary >= first && boundary <= last + 1;
}

/**
 * @param {number[]} moved  sorted indexes @param {number} boundary  number of rows above the position @param {number} length
 * @returns {Beside | null} the new neighbor among the other rows; null if unchanged
 */
export function dropPosition(moved, boundary, length) {
  if (isAt(moved, boundary)) return null;
  const movedSet = new Set(moved);
  let above = boundary - 1;
  while (movedSet.has(above)) above -= 1;
  if (above >= 0) return { index: above, side: "after" };
  let below = boundary;
  while (movedSet.has(below)) below += 1;
  return below < length ? { index: below, side: "before" } : null;
}

/**
 * @param {number[]} moved  sorted indexes
 * @param {-1 | 1} step @param {number} length @returns {Beside | null} one row further; null at the end
 */
export function stepPosition(moved, step, length) {
  const [first, last] = [moved[0], moved[moved.length - 1]];
  if (step < 0 && first > 0) return { index: first - 1, side: "before" };
  if (step > 0 && last < length - 1) return { index: last + 1, side: "after" };
  return dropPosition(moved, step < 0 ? 0 : length, length);
}

/**
 * @param {number[]} moved  sorted indexes
 * @param {Beside} position @returns {{first: number, order: number[]}} previous indexes of the rows from `first` on
 */
export function movedOrder(moved, { index, side }) {
  const target = side === "after" ? index + 1 : index;
  const movedSet = new Set(moved);
  const [first, last] = [Math.min(moved[0], target), Math.max(moved[moved.length - 1] + 1, target)];
  const others = Array.from({ length: last - first }, (_, step) => first + step).filter((one) => !movedSet.has(one));
  return { first, order: [...others.filter((one) => one < target), ...moved, ...others.filter((one) => one >= target)] };
}
