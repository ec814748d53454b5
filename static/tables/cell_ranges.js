// Ranges of cells, and the rows in them.

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
