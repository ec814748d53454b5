// What is counted of the rows: how many each option of the filter bar would leave, and sum, mean and ends of what is selected.

import { el } from "../element.js";
import { readerLocale, t, tn } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { counted, displayText } from "./values.js";
import { api } from "../api.js";
import { filterKind, withChosen } from "./view_state.js";

const PRECISE_BELOW = 1000;

export class RangeFigures {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.place = el("span", { class: "rangesum", role: "status", "data-range": true });
    grid.table.tFoot.querySelector(".val").append(this.place);
    /** Rows that are being read to be counted. @type {AbortController | null} */
    this.reading = null;
    this.held = false;
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
  async read({ top, bottom }, cells, columns) {
    const reading = (this.reading = new AbortController());
    try {
      const { rows } = await this.grid.reading.readRun({ first: top, last: bottom + 1 }, { signal: reading.signal });
      if (reading.signal.aborted) return;
      this.say(cells, rows, columns);
      this.uncover();
    } catch (error) {
      if (!reading.signal.aborted) this.place.replaceChildren(t("{cells}; their numbers could not be read. {reason}", { cells, reason: error.message }));
    }
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
  say(cells, rows, columns) {
    const { numbers, sum, least, most } = figuresOf(valuesOf(this.grid, rows, columns));
    const figure = (/** @type {string} */ name, /** @type {string} */ text) => el("span", {}, el("span", { class: "k", text: `${name} ` }), el("b", { text }), " ");
    const parts = numbers ? [figure(t("Sum"), numberText(sum)), figure(t("Average"), averageText(sum / numbers)), figure(t("Min"), numberText(least)), figure(t("Max"), numberText(most))] : [];
    this.place.replaceChildren(el("span", { text: `${cells} ` }), ...parts);
  }
}

/** @param {TableGrid} grid @param {any[]} rows @param {Column[]} columns */
function* valuesOf({ writer }, rows, columns) {
  for (const row of rows) {
    for (const column of columns) {
      const pending = writer.pending.at(String(row.id), column.id);
      yield pending ? pending.value : row.data[column.id];
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

const QUIET_MS = 250;

export class OptionCounts {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** By column what was asked, and what the answer was. @type {Map<string, {asked: string, counts: Record<string, number>}>} */
    this.known = new Map();
    /** @type {AbortController | null} */
    this.reading = null;
    // What the page came with.
    this.learn(JSON.parse(grid.filters.bar.dataset.choices ?? "null") ?? {}, grid.filters.viewAtFirst);
    // Cells that were saved, rows that were read anew: other numbers may be true now.
    for (const name of ["grid-written", "grid-redrawn"]) grid.addEventListener(name, () => this.soon());
    this.soon();
  }

  /** @param {Record<string, Record<string, number>>} counts  by column @param {ViewState} view  in which they were counted */
  learn(counts, view) {
    for (const [id, of] of Object.entries(counts)) {
      const column = this.grid.allColumns.find((one) => one.id === id);
      if (column) this.known.set(id, { asked: this.asked(column, view), counts: of });
    }
  }

  /** @param {Column} column @param {ViewState} [view] @returns {string} what its numbers hang on: search and all filters but its own */
  asked(column, { search, filter } = this.grid.view) {
    return `${search} ${withChosen(filter, column, null)}`;
  }

  /** @returns {Column[]} those whose options are in sight */
  get wanted() {
    const open = this.grid.filters.menus.querySelector(":popover-open")?.id;
    return this.grid.allColumns.filter((column) => filterKind(column) === "tab" || open === `filter-${column.id}`);
  }

  soon() {
    clearTimeout(this.timer);
    if (this.wanted.length) this.timer = setTimeout(() => this.read(), QUIET_MS);
  }

  /** Reads the numbers of what is in sight; one that is on its way is no longer waited for. */
  async read() {
    const { grid, wanted } = this;
    clearTimeout(this.timer);
    this.reading?.abort();
    if (!wanted.length || grid.review) return;
    const reading = (this.reading = new AbortController());
    const { view } = grid;
    const query = new URLSearchParams({ keys: "id", columns: wanted.map((column) => column.id).join() });
    if (view.search) query.set("search", view.search);
    if (view.filter) query.set("filter", view.filter);
    try {
      const { columns } = await api.get(`/api/tables/${grid.tableId}/choices/?${query}`, { signal: reading.signal });
      if (reading.signal.aborted) return;
      this.learn(columns, view);
      this.draw();
    } catch {
      // The options can be chosen without their numbers.
    }
  }

  /** Brings the numbers of everything that is drawn up to date. */
  draw() {
    const { bar, menus } = this.grid.filters;
    for (const column of this.grid.allColumns) {
      for (const group of [bar, menus]) this.show(group, column);
    }
  }

  /** @param {Element} group  that has links of options @param {Column} column */
  show(group, column) {
    const known = this.known.get(column.id);
    if (known?.asked !== this.asked(column)) return;
    for (const option of column.options ?? []) {
      const link = group.querySelector(`[data-choice="${CSS.escape(`${column.id} ${option}`)}"]`);
      if (!link) continue;
      const text = (known.counts[option] ?? 0).toLocaleString(readerLocale);
      const tab = link.closest(".tabs");
      const place = link.querySelector(".n, .menu__n") ?? el("span", { class: tab ? "n" : "menu__n" });
      if (place.textContent !== text) place.textContent = text;
      if (place.parentElement) continue;
      if (tab) link.append(" ", place);
      else link.querySelector(".badge")?.after(" ", place);
    }
  }
}
