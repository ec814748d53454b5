// Where each row of a grid lies, which of them are in sight, and where a key takes the cursor. Pure: numbers in, numbers out.

/** Above this many rows a page would be taller than browsers can scroll well. */
export const MOST_ROWS = 500_000;

/** A table with fewer rows is filled up with blank ones. */
export const MIN_ROWS = 10;

/** @typedef {{first: number, last: number}} Span  rows from `first` up to, not including, `last` */

export class Geometry {
  /**
   * @param {{count: number, rowHeight: number, notes?: Map<number, number>}} shape  `notes`: how much room (px) a row
   *   has under it, by its index
   */
  constructor({ count, rowHeight, notes = new Map() }) {
    this.count = Math.min(count, MOST_ROWS);
    this.rowHeight = rowHeight;
    /** Room below rows, summed up. @type {{index: number, sum: number}[]} */
    this.sums = [];
    let sum = 0;
    for (const [index, height] of [...notes].sort(([one], [other]) => one - other)) {
      if (index < 0 || index >= this.count) continue;
      sum += height;
      this.sums.push({ index, sum });
    }
  }

  /** @param {number} index @returns {number} px from the top of the first row; `topOf(count)` is the whole height */
  topOf(index) {
    let [low, high] = [0, this.sums.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sums[middle].index < index) low = middle + 1;
      else high = middle;
    }
    return index * this.rowHeight + (low ? this.sums[low - 1].sum : 0);
  }

  get height() {
    return this.topOf(this.count);
  }

  /** @param {number} y  px from the top of the first row @returns {number} the row there, or its nearest */
  indexAt(y) {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.topOf(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {{top: number, height: number, overscan: number}} view  px, px, rows @returns {Span} */
  windowAt({ top, height, overscan }) {
    if (this.count === 0) return { first: 0, last: 0 };
    const first = Math.max(0, this.indexAt(top) - overscan);
    const last = Math.min(this.count, this.indexAt(top + Math.max(0, height)) + 1 + overscan);
    return { first, last: Math.max(first, last) };
  }
}

/**
 * Which places move where when other rows come into sight: what is in sight already stays in its place.
 * @template T
 * @param {Map<T, number>} slots  the index each place shows
 * @param {Span} span  what is to be shown
 * @param {number[]} [pinned]  rows that stay although they are out of sight
 * @returns {{moves: [T, number][], made: number[], spare: T[]}} places that take another row, rows that need a new
 *   place, places nobody needs
 */
export function recycled(slots, { first, last }, pinned = []) {
  const kept = new Set();
  const free = [];
  for (const [slot, index] of slots) {
    const stays = !kept.has(index) && ((index >= first && index < last) || pinned.includes(index));
    if (stays) kept.add(index);
    else free.push(slot);
  }
  const moves = [];
  const made = [];
  for (let index = first; index < last; index += 1) {
    if (kept.has(index)) continue;
    const slot = free.shift();
    if (slot === undefined) made.push(index);
    else moves.push(/** @type {[T, number]} */ ([slot, index]));
  }
  return { moves, made, spare: free };
}

/**
 * @param {number[]} numbers  each at most once
 * @returns {Set<number>} as many of them as can be left standing so that those that stand are in order
 */
export function risingIn(numbers) {
  /** For each length of a run, the place of the smallest number that ends one. @type {number[]} */
  const ends = [];
  /** The place before each in the longest run that ends with it. @type {number[]} */
  const before = [];
  numbers.forEach((number, place) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]] < number) low = middle + 1;
      else high = middle;
    }
    before[place] = low ? ends[low - 1] : -1;
    ends[low] = place;
  });
  const rising = new Set();
  for (let place = ends.at(-1) ?? -1; place >= 0; place = before[place]) rising.add(numbers[place]);
  return rising;
}

/** @typedef {{row: number, col: number}} Place */

/**
 * @param {Place} place
 * @param {{key: string, ctrl?: boolean, shift?: boolean}} pressed
 * @param {{rows: number, cols: number, page: number, first?: number}} size  `page` is how many rows fit on the screen,
 *   `first` is the leftmost column: -1 where the gutter can be reached
 * @returns {Place | null} null when the key is not about moving, or leads out of the grid (Tab at the end)
 */
export function moved(place, { key, ctrl = false, shift = false }, { rows, cols, page, first = 0 }) {
  if (rows === 0 || cols === 0) return null;
  const lastRow = rows - 1;
  const lastCol = cols - 1;
  switch (key) {
    case "ArrowUp":
      return { ...place, row: ctrl ? 0 : Math.max(0, place.row - 1) };
    case "ArrowDown":
      return { ...place, row: ctrl ? lastRow : Math.min(lastRow, place.row + 1) };
    case "ArrowLeft":
      return { ...place, col: ctrl ? 0 : Math.max(first, place.col - 1) };
    case "ArrowRight":
      return { ...place, col: ctrl ? lastCol : Math.min(lastCol, place.col + 1) };
    case "Home":
      return { row: ctrl ? 0 : place.row, col: 0 };
    case "End":
      return { row: ctrl ? lastRow : place.row, col: lastCol };
    case "PageUp":
      return { ...place, row: Math.max(0, place.row - page) };
    case "PageDown":
      return { ...place, row: Math.min(lastRow, place.row + page) };
    case "Tab":
      return tabbed(place, { shift, lastRow, lastCol });
    default:
      return null;
  }
}

/** @param {Place} place @param {{shift: boolean, lastRow: number, lastCol: number}} how */
function tabbed(place, { shift, lastRow, lastCol }) {
  if (shift) {
    if (place.col > 0) return { ...place, col: place.col - 1 };
    return place.row > 0 ? { row: place.row - 1, col: lastCol } : null;
  }
  if (place.col < lastCol) return { ...place, col: place.col + 1 };
  return place.row < lastRow ? { row: place.row + 1, col: 0 } : null;
}
