// Several cells selected together: with Shift, by dragging, all of them; drawn, and told in the footer.

import { moved } from "./grid_geometry.js";
import { RangeFigures, holds, rectOf } from "./range_figures.js";

const EDGE_PX = 24;

/** @typedef {{index: number, col: number, key: string}} End  one corner, and the id of its row if that is known */

export class GridRanges {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** Where it begins and where it ends; none while only one cell is meant. @type {{from: End, to: End} | null} */
    this.range = null;
    this.painted = false;
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
    this.take({ from, to: next });
    return true;
  }

  selectAll() {
    const { store, columns } = this.grid;
    if (this.grid.review || !store.length) return;
    this.take({ from: this.end(0, 0), to: this.end(store.length - 1, columns.length - 1) });
  }

  /** @param {Rect} rect */
  select(rect) {
    this.take({ from: this.end(rect.top, rect.left), to: this.end(rect.bottom, rect.right) });
  }

  /** @param {{from: End, to: End}} range  one cell alone is what the cursor is for */
  take(range) {
    const same = range.from.index === range.to.index && range.from.col === range.to.col;
    this.range = same ? null : range;
    this.columns = this.grid.columns.map((column) => column.id).join();
    this.paint();
    this.figures.tell(this.rect);
  }

  clear() {
    if (!this.range) return;
    this.range = null;
    this.paint();
    this.figures.tell(null);
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
    this.take({ from, to });
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
    if (!from || event.button !== 0 || event.shiftKey || event.pointerType === "touch") return;
    const over = new AbortController();
    const { table } = this.grid;
    let reached = from;
    const dragged = (/** @type {PointerEvent} */ now) => {
      this.scrollAtEdge(now);
      const to = this.spotAt(now.target);
      if (!to || (to.index === reached.index && to.col === reached.col)) return;
      if (!table.classList.contains("is-ranging")) getSelection()?.removeAllRanges();
      table.classList.add("is-ranging");
      reached = to;
      this.put(to);
      this.take({ from, to });
    };
    const done = () => {
      over.abort();
      table.classList.remove("is-ranging");
    };
    addEventListener("pointermove", dragged, { signal: over.signal });
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, done, { signal: over.signal });
  }

  /** @param {PointerEvent} now */
  scrollAtEdge({ clientX, clientY }) {
    const { scroller, table } = this.grid;
    if (!table.classList.contains("is-ranging")) return;
    const { left, right, top, bottom } = scroller.getBoundingClientRect();
    const towards = (/** @type {number} */ at, /** @type {number} */ low, /** @type {number} */ high) => (at < low + EDGE_PX ? -EDGE_PX : at > high - EDGE_PX ? EDGE_PX : 0);
    scroller.scrollBy(towards(clientX, left, right), towards(clientY, top + table.tHead.offsetHeight, bottom - table.tFoot.offsetHeight));
  }
}
