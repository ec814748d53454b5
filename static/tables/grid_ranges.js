// The selected cells: with Shift, by dragging, all cells, whole columns. Draws them and updates the summary in the footer.

import { el, isMirrored, load } from "../element.js";
import { contains, loadedRows, nextPosition, rectOf } from "./grid_geometry.js";

const EDGE_PX = 24;
/** Scrolling speed, px per frame. */
const MIN_SCROLL_PX = 6;
const MAX_SCROLL_PX = 60;
/** If frames are late, each scrolls further. */
const FRAME_MS = 1000 / 60;
const MAX_FRAMES = 8;

/** @typedef {{index: number, col: number, key: string}} Corner  key: the id of its row, if known */

export class GridRanges {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** Start and end; null if only one cell is selected. @type {{from: Corner, to: Corner} | null} */
    this.range = null;
    this.painted = false;
    /** Whether whole columns are selected. */
    this.wholeColumns = false;
    this.summary = el("span", { class: "rangesum", role: "status", "data-range": true });
    grid.table.tFoot.querySelector(".val").append(this.summary);
    /** @type {import("./cell_figures.js").CellFigures | undefined} loaded for the first range */
    this.figures = undefined;
    grid.table.addEventListener("pointerdown", (event) => this.onPointerDown(event));
    grid.table.addEventListener("mousedown", (event) => {
      // Do not select text.
      if (event.shiftKey && this.cornerAt(event.target)) event.preventDefault();
    });
    grid.addEventListener("grid-drawn", () => this.paint());
    grid.addEventListener("grid-written", () => {
      if (this.rect && loadedRows(grid, this.rect)) this.showFigures();
    });
  }

  /** @param {{held?: boolean}} [how]  held: during a drag */
  showFigures(how) {
    if (this.figures) return this.figures.update(this.rect, how);
    if (!this.rect) return;
    load(() => import("./cell_figures.js")).then(({ CellFigures }) => {
      this.figures ??= new CellFigures(this.grid, this.summary);
      this.showFigures(how);
    }, () => {});
  }

  /** @returns {Rect | null} */
  get rect() {
    return this.range && rectOf(this.range.from, this.range.to);
  }

  /** @param {number} index @param {number} col @returns {Corner} */
  corner(index, col) {
    const { store, columns } = this.grid;
    const position = Math.max(0, Math.min(index, store.length - 1));
    return { index: position, col: Math.max(0, Math.min(col, columns.length - 1)), key: String(store.at(position)?.id ?? "") };
  }

  /** @returns {Corner | null} the cursor, if it is in a stored row */
  get cursor() {
    const { index, col } = this.grid.cursor;
    return this.grid.review || index < 0 || col < 0 ? null : this.corner(index, col);
  }

  /**
   * @param {{key: string, ctrl: boolean}} onPointerDown
   * @param {{rows: number, cols: number, page: number}} size @returns {boolean} whether it has changed
   */
  extend(onPointerDown, size) {
    const from = this.range?.from ?? this.cursor;
    if (!from) return false;
    const { rowRange, cursor } = this.grid;
    const above = rowRange.above.length;
    const start = this.range?.to ?? from;
    const to = nextPosition({ row: above + start.index, col: start.col }, onPointerDown, size);
    if (!to) return false;
    const next = this.corner(to.row - above, to.col);
    cursor.goTo({ row: above + next.index, col: next.col });
    this.setRange({ from, to: next }, { wholeColumns: this.wholeColumns });
    return true;
  }

  selectAll() {
    const { store, columns, reading } = this.grid;
    if (this.grid.review || !store.length) return;
    reading.whenCounted(() => this.setRange({ from: this.corner(0, 0), to: this.corner(store.length - 1, columns.length - 1) }));
  }

  /** Select the columns of the selected cells, or of the cursor. @returns {boolean} whether the cursor is in a stored row */
  selectColumns() {
    const { cursor, rect } = this;
    const { store, reading } = this.grid;
    if (!cursor) return false;
    const { left, right } = rect ?? { left: cursor.col, right: cursor.col };
    reading.whenCounted(() => this.select({ top: 0, bottom: store.length - 1, left, right }, { wholeColumns: true }));
    return true;
  }

  /** @param {string} id  of a column @returns {boolean} whether whole columns are selected, up to this one */
  extendToColumn(id) {
    const { range, rect } = this;
    const col = this.grid.columns.findIndex((column) => column.id === id);
    if (!range || !rect || !this.wholeColumns || rect.top || rect.bottom < this.grid.store.length - 1 || col < 0) return false;
    this.setRange({ from: range.from, to: this.corner(range.to.index, col) }, { wholeColumns: true });
    this.grid.table.focus({ preventScroll: true });
    return true;
  }

  /** @param {Rect} rect @param {{wholeColumns?: boolean}} [how]  whole columns */
  select(rect, how) {
    this.setRange({ from: this.corner(rect.top, rect.left), to: this.corner(rect.bottom, rect.right) }, how);
  }

  /**
   * @param {{from: Corner, to: Corner}} range  a single cell is represented by the cursor
   * @param {{held?: boolean, wholeColumns?: boolean}} [how]  held: during a drag; whole: whole columns
   */
  setRange(range, { held = false, wholeColumns = false } = {}) {
    this.wholeColumns = wholeColumns;
    const same = range.from.index === range.to.index && range.from.col === range.to.col;
    this.range = same ? null : range;
    this.columns = this.grid.columns.map((column) => column.id).join();
    this.paint();
    this.showFigures({ held });
    this.grid.dispatchEvent(new CustomEvent("grid-ranged"));
  }

  clear() {
    if (!this.range) return;
    this.range = null;
    this.paint();
    this.showFigures();
    this.grid.dispatchEvent(new CustomEvent("grid-ranged"));
  }

  /** After rows or columns were read: move the corners with their rows; clear the selection if columns have changed. */
  follow() {
    if (!this.range) return;
    const { store, columns } = this.grid;
    if (this.grid.review || !store.length || columns.map((column) => column.id).join() !== this.columns) return this.clear();
    const [from, to] = [this.range.from, this.range.to].map((corner) => {
      const index = corner.key ? store.indexOf(corner.key) : -1;
      return this.corner(index < 0 ? corner.index : index, corner.col);
    });
    this.setRange({ from, to }, { wholeColumns: this.wholeColumns });
  }

  paint() {
    const { rect } = this;
    if (!rect && !this.painted) return;
    for (const [tr, index] of this.grid.window.slots) {
      this.grid.columns.forEach((_, col) => {
        const cell = tr.cells[col + 1];
        if (!cell) return;
        const within = Boolean(rect && tr.dataset.row && contains(rect, { index, col }));
        cell.classList.toggle("is-in-range", within);
        if (within) cell.setAttribute("aria-selected", "true");
        else cell.removeAttribute("aria-selected");
      });
    }
    this.painted = rect !== null;
  }

  /** @param {EventTarget | null} target @returns {Corner | null} the stored cell at the target */
  cornerAt(target) {
    const cell = target instanceof Element ? target.closest('tbody[data-body="rows"] td.cell') : null;
    const tr = cell?.closest("tr");
    if (!cell || !tr?.dataset.row || cell.classList.contains("is-editing") || this.grid.review) return null;
    const index = this.grid.window.indexOf(tr);
    return index < 0 ? null : this.corner(index, cell.cellIndex - 1);
  }

  /** @param {MouseEvent} event  a click with Shift @returns {boolean} whether the selection was extended */
  clicked(event) {
    const to = this.cornerAt(event.target);
    const from = this.range?.from ?? this.cursor;
    if (!to || !from) return false;
    this.put(to);
    this.setRange({ from, to });
    return true;
  }

  /** @param {Corner} to */
  put(to) {
    const tr = this.grid.window.rowAt(to.index);
    if (tr) this.grid.cursor.put(tr, to.col, { scroll: false });
    this.grid.table.focus({ preventScroll: true });
  }

  /** @param {PointerEvent} event  touch scrolls instead */
  onPointerDown(event) {
    const from = this.cornerAt(event.target);
    if (from && event.button === 0 && !event.shiftKey && event.pointerType !== "touch") this.drag(event, from);
  }

  /**
   * @param {PointerEvent} began  start of the drag @param {Corner} from  the fixed corner
   * @param {{x: number, y: number}} [offset]  offset from the pointer to the cell, px
   */
  drag(began, from, offset = { x: 0, y: 0 }) {
    const controller = new AbortController();
    const { table } = this.grid;
    const positionOf = (/** @type {PointerEvent} */ now) => ({ clientX: now.clientX + offset.x, clientY: now.clientY + offset.y });
    let [at, current] = [positionOf(began), from];
    const update = () => {
      const to = this.cornerAt(this.elementNear(at));
      if (!to || (to.index === current.index && to.col === current.col)) return;
      if (!table.classList.contains("is-ranging")) getSelection()?.removeAllRanges();
      table.classList.add("is-ranging");
      current = to;
      this.put(to);
      this.setRange({ from, to }, { held: true });
    };
    const onMove = (/** @type {PointerEvent} */ now) => {
      if (now.pointerId !== began.pointerId) return;
      at = positionOf(now);
      update();
    };
    const finish = (/** @type {PointerEvent} */ now) => {
      if (now.pointerId !== began.pointerId) return;
      controller.abort();
      table.classList.remove("is-ranging");
      if (current !== from) this.showFigures();
    };
    addEventListener("pointermove", onMove, { signal: controller.signal });
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, finish, { signal: controller.signal });
    this.autoScroll(() => (table.classList.contains("is-ranging") ? at : null), { onScroll: update, signal: controller.signal });
  }

  /**
   * Scroll while the pointer is held at an edge.
   * @param {() => {clientX: number, clientY?: number} | null} at  pointer position; null: no drag yet
   * @param {{onScroll: () => void, signal: AbortSignal}} how  onScroll: called after scrolling; signal: aborted at the end
   */
  autoScroll(at, { onScroll, signal }) {
    let before = performance.now();
    const step = (/** @type {number} */ now) => {
      if (signal.aborted) return;
      const frames = Math.min(MAX_FRAMES, (now - before) / FRAME_MS);
      before = now;
      const position = at();
      if (position && this.scrollAtEdge(position, Math.max(0, frames))) onScroll();
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  /** @returns {{left: number, right: number, top: number, bottom: number}} visible area of the cells, px */
  get viewport() {
    const { scroller, table } = this.grid;
    const { left, top } = scroller.getBoundingClientRect();
    const gutter = table.tHead.rows[0].cells[0].offsetWidth;
    const [before, after] = isMirrored() ? [0, gutter] : [gutter, 0];
    const bottom = top + scroller.clientHeight - (table.tFoot.hidden ? 0 : table.tFoot.offsetHeight);
    return { left: left + before, right: left + scroller.clientWidth - after, top: top + table.tHead.offsetHeight, bottom };
  }

  /** @param {{clientX: number, clientY: number}} at  may be outside the visible area @returns {Element | null} the nearest visible element */
  elementNear({ clientX, clientY }) {
    const { left, right, top, bottom } = this.viewport;
    const last = this.grid.rowsBody.getBoundingClientRect().bottom;
    const within = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => Math.max(low + 1, Math.min(value, high - 1));
    return document.elementFromPoint(within(clientX, left, right), within(clientY, top, Math.min(bottom, last)));
  }

  /**
   * @param {{clientX: number, clientY?: number}} at
   * @param {number} frames  since the last call @returns {boolean} whether it is at an edge and scrolls, faster with the distance
   */
  scrollAtEdge({ clientX, clientY }, frames) {
    const { scroller } = this.grid;
    const { left, right, top, bottom } = this.viewport;
    const speed = (/** @type {number} */ undoRedo) => (undoRedo < 0 ? 0 : Math.min(MAX_SCROLL_PX, MIN_SCROLL_PX + undoRedo / 4));
    const by = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => speed(value - high + EDGE_PX) - speed(low + EDGE_PX - value);
    const [across, down] = [by(clientX, left, right), clientY === undefined ? 0 : by(clientY, top, bottom)];
    scroller.scrollBy({ left: across * frames, top: down * frames, behavior: "instant" });
    return across !== 0 || down !== 0;
  }

  /** Show handles after a tap, since touch gestures on cells scroll them. */
  async showHandles() {
    if (this.handles) return;
    try {
      const { RangeHandles } = await load(() => import("./range_handles.js"));
      this.handles ??= new RangeHandles(this.grid);
    } catch {
      // Cells can still be selected one by one.
    }
  }
}
