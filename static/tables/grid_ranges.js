// Several cells selected together: with Shift, by dragging, all of them; drawn, and told in the footer.

import { isMirrored, load } from "../element.js";
import { moved } from "./grid_geometry.js";
import { RangeFigures, holds, rectOf } from "./range_figures.js";

const EDGE_PX = 24;
/** How far is scrolled with a frame, px. */
const LEAST_PX = 6;
const MOST_PX = 60;
/** Where frames are late, more is scrolled with each. */
const FRAME_MS = 1000 / 60;
const MOST_FRAMES = 8;

/** @typedef {{index: number, col: number, key: string}} End  one corner, and the id of its row if that is known */

export class GridRanges {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** Where it begins and where it ends; none while only one cell is meant. @type {{from: End, to: End} | null} */
    this.range = null;
    this.painted = false;
    /** Whether columns were selected, and not just as many cells. */
    this.whole = false;
    this.figures = new RangeFigures(grid);
    grid.table.addEventListener("pointerdown", (event) => this.pressed(event));
    grid.table.addEventListener("mousedown", (event) => {
      // Text is not selected along with the cells.
      if (event.shiftKey && this.spotAt(event.target)) event.preventDefault();
    });
    grid.addEventListener("grid-drawn", () => this.paint());
    grid.addEventListener("grid-written", () => {
      if (this.rect && this.figures.known(this.rect)) this.figures.tell(this.rect);
    });
  }

  /** @returns {Rect | null} */
  get rect() {
    return this.range && rectOf(this.range.from, this.range.to);
  }

  /** @param {number} index @param {number} col @returns {End} */
  end(index, col) {
    const { store, columns } = this.grid;
    const place = Math.max(0, Math.min(index, store.length - 1));
    return { index: place, col: Math.max(0, Math.min(col, columns.length - 1)), key: String(store.at(place)?.id ?? "") };
  }

  /** @returns {End | null} where the cursor is, if it is in a saved row */
  get cursor() {
    const { index, col } = this.grid.cursor;
    return this.grid.review || index < 0 || col < 0 ? null : this.end(index, col);
  }

  /** @param {{key: string, ctrl: boolean}} pressed @param {{rows: number, cols: number, page: number}} size @returns {boolean} whether it is longer or shorter now */
  extend(pressed, size) {
    const from = this.range?.from ?? this.cursor;
    if (!from) return false;
    const { places, cursor } = this.grid;
    const above = places.above.length;
    const start = this.range?.to ?? from;
    const to = moved({ row: above + start.index, col: start.col }, pressed, size);
    if (!to) return false;
    const next = this.end(to.row - above, to.col);
    cursor.goTo({ row: above + next.index, col: next.col });
    this.take({ from, to: next }, { whole: this.whole });
    return true;
  }

  selectAll() {
    const { store, columns } = this.grid;
    if (this.grid.review || !store.length) return;
    this.take({ from: this.end(0, 0), to: this.end(store.length - 1, columns.length - 1) });
  }

  /** The whole columns of the selected cells, or of the cursor. @returns {boolean} whether the cursor is in a saved row */
  selectColumns() {
    const { cursor, rect } = this;
    if (!cursor) return false;
    const { left, right } = rect ?? { left: cursor.col, right: cursor.col };
    this.select({ top: 0, bottom: this.grid.store.length - 1, left, right }, { whole: true });
    return true;
  }

  /** @param {string} id  of a column @returns {boolean} whether whole columns are selected, which now reach up to this one */
  reachColumn(id) {
    const { range, rect } = this;
    const col = this.grid.columns.findIndex((column) => column.id === id);
    if (!range || !rect || !this.whole || rect.top || rect.bottom < this.grid.store.length - 1 || col < 0) return false;
    this.take({ from: range.from, to: this.end(range.to.index, col) }, { whole: true });
    this.grid.table.focus({ preventScroll: true });
    return true;
  }

  /** @param {Rect} rect @param {{whole?: boolean}} [how]  columns as a whole */
  select(rect, how) {
    this.take({ from: this.end(rect.top, rect.left), to: this.end(rect.bottom, rect.right) }, how);
  }

  /** @param {{from: End, to: End}} range  one cell alone is what the cursor is for @param {{held?: boolean, whole?: boolean}} [how]  held: it will change at once; whole: columns as a whole */
  take(range, { held = false, whole = false } = {}) {
    this.whole = whole;
    const same = range.from.index === range.to.index && range.from.col === range.to.col;
    this.range = same ? null : range;
    this.columns = this.grid.columns.map((column) => column.id).join();
    this.paint();
    this.figures.tell(this.rect, { held });
    this.grid.dispatchEvent(new CustomEvent("grid-ranged"));
  }

  clear() {
    if (!this.range) return;
    this.range = null;
    this.paint();
    this.figures.tell(null);
    this.grid.dispatchEvent(new CustomEvent("grid-ranged"));
  }

  /** After rows or columns were read anew: its corners go along with their rows; among other columns it means nothing. */
  follow() {
    if (!this.range) return;
    const { store, columns } = this.grid;
    if (this.grid.review || !store.length || columns.map((column) => column.id).join() !== this.columns) return this.clear();
    const [from, to] = [this.range.from, this.range.to].map((end) => {
      const index = end.key ? store.indexOf(end.key) : -1;
      return this.end(index < 0 ? end.index : index, end.col);
    });
    this.take({ from, to }, { whole: this.whole });
  }

  paint() {
    const { rect } = this;
    if (!rect && !this.painted) return;
    for (const [tr, index] of this.grid.window.slots) {
      this.grid.columns.forEach((_, col) => {
        const cell = tr.cells[col + 1];
        if (!cell) return;
        const within = Boolean(rect && tr.dataset.row && holds(rect, { index, col }));
        cell.classList.toggle("is-in-range", within);
        if (within) cell.setAttribute("aria-selected", "true");
        else cell.removeAttribute("aria-selected");
      });
    }
    this.painted = rect !== null;
  }

  /** @param {EventTarget | null} target @returns {End | null} the saved cell there */
  spotAt(target) {
    const cell = target instanceof Element ? target.closest('tbody[data-body="rows"] td.cell') : null;
    const tr = cell?.closest("tr");
    if (!cell || !tr?.dataset.row || cell.classList.contains("is-editing") || this.grid.review) return null;
    const index = this.grid.window.indexOf(tr);
    return index < 0 ? null : this.end(index, cell.cellIndex - 1);
  }

  /** @param {MouseEvent} event  a click with Shift @returns {boolean} whether the selection reaches up to there now */
  clicked(event) {
    const to = this.spotAt(event.target);
    const from = this.range?.from ?? this.cursor;
    if (!to || !from) return false;
    this.put(to);
    this.take({ from, to });
    return true;
  }

  /** @param {End} to */
  put(to) {
    const tr = this.grid.window.rowAt(to.index);
    if (tr) this.grid.cursor.put(tr, to.col, { scroll: false });
    this.grid.table.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event  a finger scrolls */
  pressed(event) {
    const from = this.spotAt(event.target);
    if (from && event.button === 0 && !event.shiftKey && event.pointerType !== "touch") this.drag(event, from);
  }

  /**
   * @param {PointerEvent} began  something is held from now on @param {End} from  the corner that stays where it is
   * @param {{x: number, y: number}} [beside]  px from what is held to what is meant
   */
  drag(began, from, beside = { x: 0, y: 0 }) {
    const over = new AbortController();
    const { table } = this.grid;
    const meant = (/** @type {PointerEvent} */ now) => ({ clientX: now.clientX + beside.x, clientY: now.clientY + beside.y });
    let [at, reached] = [meant(began), from];
    const reach = () => {
      const to = this.spotAt(this.elementNear(at));
      if (!to || (to.index === reached.index && to.col === reached.col)) return;
      if (!table.classList.contains("is-ranging")) getSelection()?.removeAllRanges();
      table.classList.add("is-ranging");
      reached = to;
      this.put(to);
      this.take({ from, to }, { held: true });
    };
    const moved = (/** @type {PointerEvent} */ now) => {
      if (now.pointerId !== began.pointerId) return;
      at = meant(now);
      reach();
    };
    const done = (/** @type {PointerEvent} */ now) => {
      if (now.pointerId !== began.pointerId) return;
      over.abort();
      table.classList.remove("is-ranging");
      if (reached !== from) this.figures.tell(this.rect);
    };
    addEventListener("pointermove", moved, { signal: over.signal });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, done, { signal: over.signal });
    this.goOnAtEdge(() => (table.classList.contains("is-ranging") ? at : null), { came: reach, signal: over.signal });
  }

  /**
   * Whoever holds something at the edge need not move to go on: what is past it comes into sight.
   * @param {() => {clientX: number, clientY?: number} | null} at  where it is held; null: it is not drawn yet
   * @param {{came: () => void, signal: AbortSignal}} how  until it is let go
   */
  goOnAtEdge(at, { came, signal }) {
    let before = performance.now();
    const goOn = (/** @type {number} */ now) => {
      if (signal.aborted) return;
      const frames = Math.min(MOST_FRAMES, (now - before) / FRAME_MS);
      before = now;
      const place = at();
      if (place && this.scrollAtEdge(place, Math.max(0, frames))) came();
      requestAnimationFrame(goOn);
    };
    requestAnimationFrame(goOn);
  }

  /** @returns {{left: number, right: number, top: number, bottom: number}} where cells are in sight, px */
  get sight() {
    const { scroller, table } = this.grid;
    const { left, top } = scroller.getBoundingClientRect();
    const gutter = table.tHead.rows[0].cells[0].offsetWidth;
    const [before, after] = isMirrored() ? [0, gutter] : [gutter, 0];
    const bottom = top + scroller.clientHeight - (table.tFoot.hidden ? 0 : table.tFoot.offsetHeight);
    return { left: left + before, right: left + scroller.clientWidth - after, top: top + table.tHead.offsetHeight, bottom };
  }

  /** @param {{clientX: number, clientY: number}} at  may be past the edge @returns {Element | null} what is nearest to it in sight */
  elementNear({ clientX, clientY }) {
    const { left, right, top, bottom } = this.sight;
    const last = this.grid.rowsBody.getBoundingClientRect().bottom;
    const within = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => Math.max(low + 1, Math.min(value, high - 1));
    return document.elementFromPoint(within(clientX, left, right), within(clientY, top, Math.min(bottom, last)));
  }

  /** @param {{clientX: number, clientY?: number}} at @param {number} frames  that have passed @returns {boolean} whether it is at an edge: then cells come into sight, the faster, the further past it */
  scrollAtEdge({ clientX, clientY }, frames) {
    const { scroller } = this.grid;
    const { left, right, top, bottom } = this.sight;
    const speed = (/** @type {number} */ past) => (past < 0 ? 0 : Math.min(MOST_PX, LEAST_PX + past / 4));
    const by = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => speed(value - high + EDGE_PX) - speed(low + EDGE_PX - value);
    const [across, down] = [by(clientX, left, right), clientY === undefined ? 0 : by(clientY, top, bottom)];
    scroller.scrollBy({ left: across * frames, top: down * frames, behavior: "instant" });
    return across !== 0 || down !== 0;
  }

  /** Who taps gets corners to draw at: a finger on the cells scrolls them. */
  async byFinger() {
    if (this.handles) return;
    try {
      const { RangeHandles } = await load(() => import("./range_handles.js"));
      this.handles ??= new RangeHandles(this.grid);
    } catch {
      // Each cell can still be chosen alone.
    }
  }
}
