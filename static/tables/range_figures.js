// Sum, average, minimum and maximum of the selected cells, in the foot of the table.

import { el, load } from "../element.js";
import { t, tn } from "../locale.js";
import { columnType } from "./column_types/registry.js";

export class RangeFigures {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.place = el("span", { class: "rangesum", role: "status", "data-range": true });
    grid.table.tFoot.querySelector(".val").append(this.place);
    /** Rows that are being read to be counted. @type {AbortController | null} */
    this.reading = null;
    this.held = false;
    /** Identifies the latest selection: figures of an earlier one are not drawn. @type {object | null} */
    this.latest = null;
    /** Of the foot, before it told of what is selected now, px. */
    this.height = 0;
  }

  /** @param {Rect | null} rect @param {{held?: boolean}} [how]  while it is drawn, nothing is read for it */
  tell(rect, { held = false } = {}) {
    this.reading?.abort();
    this.reading = null;
    if (!this.held) this.height = this.grid.table.tFoot.offsetHeight;
    this.held = held;
    this.fill(rect);
    this.uncover();
  }

  /** @param {Rect | null} rect */
  fill(rect) {
    this.latest = null;
    if (!rect) return this.place.replaceChildren();
    const cells = tn("{count} cell", "{count} cells", rowsIn(rect) * columnsIn(rect));
    const rows = this.known(rect);
    const columns = this.grid.columns.slice(rect.left, rect.right + 1);
    if (rows) return this.say(cells, rows, columns);
    if (this.held || !columns.some((column) => columnType(column).fieldType === "number")) return this.place.replaceChildren(cells);
    if (rowsIn(rect) > MOST_TOGETHER) {
      this.place.replaceChildren(t("{cells}; numbers are added up over {most} rows at most", { cells, most: MOST_TOGETHER }));
      return;
    }
    this.place.replaceChildren(t("{cells}; reading their numbers…", { cells }));
    this.read(rect, cells, columns);
  }

  /** @param {Rect} rect @returns {any[] | null} its rows, if all of them are known */
  known({ top, bottom }) {
    const { store } = this.grid;
    if (bottom - top >= MOST_TOGETHER) return null;
    const rows = Array.from({ length: bottom - top + 1 }, (_, step) => store.at(top + step));
    return rows.every(Boolean) ? rows : null;
  }

  /** @param {Rect} rect @param {string} cells @param {Column[]} columns */
  async read(rect, cells, columns) {
    const reading = (this.reading = new AbortController());
    const module = await load(() => import("./cell_figures.js")).catch(() => null);
    if (!reading.signal.aborted) await module?.readFigures(this, { rect, cells, columns }, reading.signal);
  }

  /** The last row that the foot has grown over comes out above it; not under somebody's hand, rows hold still there. */
  uncover() {
    if (this.held) return;
    const { rowsBody, scroller, table } = this.grid;
    const foot = table.tFoot.getBoundingClientRect();
    const covered = rowsBody.getBoundingClientRect().bottom - foot.top;
    if (covered > 0 && covered <= foot.height - this.height + 1) scroller.scrollTop += covered;
  }

  /** @param {string} cells @param {any[]} rows @param {Column[]} columns */
  async say(cells, rows, columns) {
    const mine = (this.latest = {});
    const { figureParts } = await load(() => import("./cell_figures.js")).catch(() => ({ figureParts: () => [] }));
    if (this.latest !== mine) return;
    this.place.replaceChildren(el("span", { text: `${cells} ` }), ...figureParts(this.grid, rows, columns));
    this.uncover();
  }
}

/**
 * @typedef {{index: number, col: number}} Spot  a row by its place among the saved ones, a column by its place among the seen
 * @typedef {{top: number, bottom: number, left: number, right: number}} Rect  all of them within
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

/** @param {TableGrid} grid @param {Rect} rect @returns {any} `HeldCells`, which `findCells` of cell_commands.js finds again */
export function holdCells(grid, rect) {
  const { review, store } = grid;
  const ids = Array.from({ length: Math.min(rowsIn(rect), MOST_TOGETHER) }, (_, step) => store.at(rect.top + step)?.id);
  const held = { rect, ids, columns: columnsOf(grid, rect), total: store.total, review, redrawn: false };
  grid.addEventListener("grid-redrawn", () => (held.redrawn = true), { once: true });
  return held;
}

/** @param {TableGrid} grid @param {Rect} rect @returns {string} ids of its columns */
export const columnsOf = ({ columns }, { left, right }) => columns.slice(left, right + 1).map((column) => column.id).join();
