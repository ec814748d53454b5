// The summary of the selected cells in the footer: their number, sum, average, minimum and maximum.

import { el, load } from "../element.js";
import { t, tn } from "../locale.js";
import { columnType } from "./column_types/registry.js";

export class RangeFigures {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.node = el("span", { class: "rangesum", role: "status", "data-range": true });
    grid.table.tFoot.querySelector(".val").append(this.node);
    /** Controls the read of rows for the summary. @type {AbortController | null} */
    this.reading = null;
    this.isDragging = false;
    /** Identifies the latest selection; summaries of earlier ones are not drawn. @type {object | null} */
    this.latest = null;
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
    this.latest = null;
    if (!rect) return this.node.replaceChildren();
    const cells = tn("{count} cell", "{count} cells", rowsIn(rect) * columnsIn(rect));
    const rows = this.known(rect);
    const columns = this.grid.columns.slice(rect.left, rect.right + 1);
    if (rows) return this.show(cells, rows, columns);
    if (this.isDragging || !columns.some((column) => columnType(column).hasDecimals)) return this.node.replaceChildren(cells);
    if (rowsIn(rect) > MAX_BULK_ROWS) {
      this.node.replaceChildren(t("{cells}; sums cover at most {most} rows", { cells, most: MAX_BULK_ROWS }));
      return;
    }
    this.node.replaceChildren(t("{cells}; loading their numbers…", { cells }));
    this.read(rect, cells, columns);
  }

  /** @param {Rect} rect @returns {any[] | null} its rows, if all of them are loaded */
  known({ top, bottom }) {
    const { store } = this.grid;
    if (bottom - top >= MAX_BULK_ROWS) return null;
    const rows = Array.from({ length: bottom - top + 1 }, (_, step) => store.at(top + step));
    return rows.every(Boolean) ? rows : null;
  }

  /** @param {Rect} rect @param {string} cells @param {Column[]} columns */
  async read(rect, cells, columns) {
    const reading = (this.reading = new AbortController());
    const module = await load(() => import("./cell_figures.js")).catch(() => null);
    if (!reading.signal.aborted) await module?.readFigures(this, { rect, cells, columns }, reading.signal);
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
  async show(cells, rows, columns) {
    const selection = (this.latest = {});
    const { figureParts } = await load(() => import("./cell_figures.js")).catch(() => ({ figureParts: () => [] }));
    if (this.latest !== selection) return;
    this.node.replaceChildren(el("span", { text: `${cells} ` }), ...figureParts(this.grid, rows, columns));
    this.scrollAboveFooter();
  }
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
