// Positions of rows, visible rows, cursor movement, and ranges of cells. No DOM.

/** With more rows the page would be taller than browsers can scroll. */
export const MAX_ROWS = 500_000;

/** Shorter tables are filled up with blank rows. */
export const MIN_ROWS = 10;

/** @typedef {{first: number, last: number}} Span  rows from `first` up to, not including, `last` */

export class Geometry {
  /**
   * @param {{count: number, rowHeight: number, notes?: Map<number, number>}} shape  `notes`: space below rows in px, by index
   */
  constructor({ count, rowHeight, notes = new Map() }) {
    this.count = Math.min(count, MAX_ROWS);
    this.rowHeight = rowHeight;
    /** Cumulative space below rows. @type {{index: number, sum: number}[]} */
    this.sums = [];
    let sum = 0;
    for (const [index, height] of [...notes].sort(([one], [other]) => one - other)) {
      if (index < 0 || index >= this.count) continue;
      sum += height;
      this.sums.push({ index, sum });
    }
  }

  /** @param {number} index @returns {number} px from the top of the first row; `topOf(count)` is the total height */
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

  /** @param {number} y  px from the top of the first row @returns {number} the nearest row */
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
 * Assign row elements to indexes after scrolling; elements of visible rows are not reassigned.
 * @template T
 * @param {Map<T, number>} slots  the index of each element
 * @param {Span} span  rows to show
 * @param {number[]} [pinned]  rows that stay although they are not visible
 * @returns {{moves: [T, number][], missing: number[], spare: T[]}} elements for another row, rows that need a new element, unused elements
 */
export function assignSlots(slots, { first, last }, pinned = []) {
  const assigned = new Set();
  const free = [];
  for (const [slot, index] of slots) {
    const remains = !assigned.has(index) && ((index >= first && index < last) || pinned.includes(index));
    if (remains) assigned.add(index);
    else free.push(slot);
  }
  const moves = [];
  const missing = [];
  for (let index = first; index < last; index += 1) {
    if (assigned.has(index)) continue;
    const slot = free.shift();
    if (slot === undefined) missing.push(index);
    else moves.push(/** @type {[T, number]} */ ([slot, index]));
  }
  return { moves, missing, spare: free };
}

/**
 * @param {number[]} numbers  each at most once
 * @returns {Set<number>} a longest increasing subsequence
 */
export function longestIncreasing(numbers) {
  /** For each length, the index of the smallest number that ends a subsequence. @type {number[]} */
  const ends = [];
  /** The previous index of the longest subsequence ending at each index. @type {number[]} */
  const before = [];
  numbers.forEach((number, position) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]] < number) low = middle + 1;
      else high = middle;
    }
    before[position] = low ? ends[low - 1] : -1;
    ends[low] = position;
  });
  const result = new Set();
  for (let position = ends.at(-1) ?? -1; position >= 0; position = before[position]) result.add(numbers[position]);
  return result;
}

/** @typedef {{row: number, col: number}} Position */

/**
 * @param {Position} position
 * @param {{key: string, ctrl?: boolean, shift?: boolean}} pressed
 * @param {{rows: number, cols: number, page: number, first?: number}} size  `page`: rows per screen, `first`: the leftmost column, -1 for the gutter
 * @returns {Position | null} null if the key does not move the cursor, or leaves the grid (Tab at the end)
 */
export function nextPosition(position, { key, ctrl = false, shift = false }, { rows, cols, page, first = 0 }) {
  if (rows === 0 || cols === 0) return null;
  const lastRow = rows - 1;
  const lastCol = cols - 1;
  switch (key) {
    case "ArrowUp":
      return { ...position, row: ctrl ? 0 : Math.max(0, position.row - 1) };
    case "ArrowDown":
      return { ...position, row: ctrl ? lastRow : Math.min(lastRow, position.row + 1) };
    case "ArrowLeft":
      return { ...position, col: ctrl ? 0 : Math.max(first, position.col - 1) };
    case "ArrowRight":
      return { ...position, col: ctrl ? lastCol : Math.min(lastCol, position.col + 1) };
    case "Home":
      return { row: ctrl ? 0 : position.row, col: 0 };
    case "End":
      return { row: ctrl ? lastRow : position.row, col: lastCol };
    case "PageUp":
      return { ...position, row: Math.max(0, position.row - page) };
    case "PageDown":
      return { ...position, row: Math.min(lastRow, position.row + page) };
    case "Tab":
      return tabPosition(position, { shift, lastRow, lastCol });
    default:
      return null;
  }
}

/** @param {Position} position @param {{shift: boolean, lastRow: number, lastCol: number}} how */
function tabPosition(position, { shift, lastRow, lastCol }) {
  if (shift) {
    if (position.col > 0) return { ...position, col: position.col - 1 };
    return position.row > 0 ? { row: position.row - 1, col: lastCol } : null;
  }
  if (position.col < lastCol) return { ...position, col: position.col + 1 };
  return position.row < lastRow ? { row: position.row + 1, col: 0 } : null;
}

/**
 * @typedef {{index: number, col: number}} CellPosition  indexes of a stored row and a visible column
 * @typedef {{top: number, bottom: number, left: number, right: number}} Rect  inclusive
 */

/** Maximum number of rows that are read, copied or written at once. */
export const MAX_BULK_ROWS = 10_000;

/** @param {CellPosition} one @param {CellPosition} other @returns {Rect} */
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

/** @param {Rect} rect @param {CellPosition} spot */
export function contains({ top, bottom, left, right }, { index, col }) {
  return index >= top && index <= bottom && col >= left && col <= right;
}

/** @param {TableGrid} grid @param {Rect} rect @returns {any[] | null} its rows, if all of them are loaded */
export function loadedRows({ store }, { top, bottom }) {
  if (bottom - top >= MAX_BULK_ROWS) return null;
  const rows = Array.from({ length: bottom - top + 1 }, (_, step) => store.at(top + step));
  return rows.every(Boolean) ? rows : null;
}

/** @param {TableGrid} grid @param {Rect} rect @returns {any} `CapturedCells`, which `findCells` of cell_commands.js locates again */
export function captureCells(grid, rect) {
  const { review, store } = grid;
  const ids = Array.from({ length: Math.min(rowsIn(rect), MAX_BULK_ROWS) }, (_, step) => store.at(rect.top + step)?.id);
  const captured = { rect, ids, columns: columnsOf(grid, rect), total: store.total, review, redrawn: false };
  grid.addEventListener("grid-redrawn", () => (captured.redrawn = true), { once: true });
  return captured;
}

/** @param {TableGrid} grid @param {Rect} rect @returns {string} ids of its columns */
export const columnsOf = ({ columns }, { left, right }) => columns.slice(left, right + 1).map((column) => column.id).join();
