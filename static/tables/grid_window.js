// Renders the visible rows and some around them: absolutely positioned row elements that are reused during scrolling.

import { press, remInPx } from "../element.js";
import { t } from "../locale.js";
import { fillPlaceholder, fillRow, setRoles, rowLabel } from "./values.js";
import { Geometry, assignSlots, longestIncreasing } from "./grid_geometry.js";

const OVERSCAN = 8;
/** During fast scrolling (half a screen per frame), rows further outside would be wasted. */
const FAST_OVERSCAN = 1;
const SETTLED_MS = 150;

export class GridWindow {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.body = grid.rowsBody;
    /** The index of each row element. @type {Map<HTMLTableRowElement, number>} */
    this.slots = new Map();
    /** @type {Map<number, HTMLTableRowElement>} */
    this.byIndex = new Map();
    /** The data that each row element shows. @type {WeakMap<HTMLTableRowElement, any>} */
    this.filled = new WeakMap();
    /** Space below rows for notes, px. @type {Map<number, number>} */
    this.notes = new Map();
    this.span = { first: 0, last: 0 };
    /** Top of the visible area at the last draw, px. */
    this.top = 0;
    /** In print everything is visible, so that each drawn row would cause more of them. */
    this.printMedia = matchMedia("print");
    this.updateRowHeight();
    this.adopt();
    grid.scroller.addEventListener("scroll", () => this.scheduleDraw(), { passive: true });
    this.resized = new ResizeObserver(() => {
      grid.table.classList.toggle("is-wide", grid.scroller.scrollWidth > grid.scroller.clientWidth);
      if (this.updateRowHeight()) this.setNoteSpace(this.notes);
      this.scheduleDraw();
    });
    this.resized.observe(grid.scroller);
    this.resized.observe(grid.table);
  }

  /** Draw in the next frame, at most once. */
  scheduleDraw() {
    if (this.printMedia.matches) return;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  /** Use the server-rendered rows as the first row elements. */
  adopt() {
    const { grid } = this;
    const offset = Number(grid.dataset.offset);
    setRoles(grid.table);
    [...this.body.rows].forEach((tr, step) => {
      this.slots.set(tr, offset + step);
      this.byIndex.set(offset + step, tr);
      this.filled.set(tr, grid.store.at(offset + step));
    });
    grid.table.classList.add("is-windowed");
    this.measure();
    for (const [tr, index] of this.slots) this.set(tr, index);
    if (offset) grid.scroller.scrollTop = this.geometry.topOf(offset);
  }

  /** Read the height of rows from the style. It depends on the font size, and on touch or mouse input, which also change the size of the grid. @returns {boolean} whether it has changed */
  updateRowHeight() {
    const before = this.rowHeight;
    this.rowHeight = remInPx(parseFloat(getComputedStyle(this.grid.table).getPropertyValue("--grid-row-h")) || 2.25);
    return before !== this.rowHeight;
  }

  /** Update the geometry and the total height. */
  measure() {
    const { rowHeight } = this;
    // By the total count, so that columns do not move when a filter is applied.
    this.grid.table.dataset.digits = String(String(Math.max(this.grid.filters.total, this.grid.store.total)).length);
    this.geometry = new Geometry({ count: this.grid.store.length, rowHeight, notes: this.notes });
    this.body.style.height = `${this.geometry.height}px`;
  }

  /** @returns {{top: number, height: number}} the visible area of the rows, px */
  get view() {
    const { scroller, table } = this.grid;
    const frame = scroller.getBoundingClientRect();
    const head = table.tHead.offsetHeight;
    const height = Math.max(0, scroller.clientHeight - head);
    return { top: frame.top + head - this.body.getBoundingClientRect().top, height };
  }

  /** @returns {number[]} rows that stay in the DOM: the row of the cursor and the edited one */
  get pinned() {
    const edited = this.grid.editor.session?.cell.closest("tr");
    const pins = [this.grid.cursor.index, edited ? this.indexOf(edited) : -1];
    return pins.filter((index) => index >= 0 && index < this.geometry.count);
  }

  /** @param {{refill?: boolean}} [how]  refill: fill every row again */
  draw({ refill = false } = {}) {
    if (refill) this.measure();
    const { grid, view } = this;
    const isFast = !refill && !this.body.hidden && Math.abs(view.top - this.top) > view.height / 2;
    this.top = view.top;
    const overscan = isFast ? FAST_OVERSCAN : OVERSCAN;
    this.span = this.body.hidden ? { first: 0, last: 0 } : this.geometry.windowAt({ ...view, overscan });
    const { moves, missing, spare } = assignSlots(this.slots, this.span, this.pinned);
    // During fast scrolling they stay where they are, since as many are needed afterwards.
    for (const tr of spare) if (!isFast || this.indexOf(tr) >= this.geometry.count) this.drop(tr);
    for (const [tr, index] of moves) this.set(tr, index);
    for (const index of missing) {
      const tr = document.createElement("tr");
      this.set(tr, index);
      this.body.append(tr);
    }
    this.byIndex = new Map([...this.slots].map(([tr, index]) => [index, tr]));
    grid.table.classList.toggle("is-part", this.slots.size < this.geometry.count);
    const above = grid.rowRange.above.length;
    const changed = [...this.slots].filter(([tr, index]) => this.fill(tr, { index, above, refill }));
    if (changed.length) this.onDrawn();
    clearTimeout(this.settleTimer);
    this.settleTimer = setTimeout(() => (isFast ? this.draw() : this.sortElements()), SETTLED_MS);
    grid.reading.setVisible(this.span);
  }

  onDrawn() {
    const { grid } = this;
    grid.review?.windowDrawn?.();
    grid.cursor.follow();
    grid.dispatchEvent(new CustomEvent("grid-drawn"));
  }

  /** @param {HTMLTableRowElement} tr @param {number} index */
  set(tr, index) {
    this.slots.set(tr, index);
    tr.style.top = `${this.geometry.topOf(index)}px`;
  }

  /** @param {HTMLTableRowElement} tr */
  drop(tr) {
    this.slots.delete(tr);
    tr.remove();
  }

  /**
   * @param {HTMLTableRowElement} tr
   * @param {{index: number, above: number, refill: boolean}} how  `above`: number of rows before the stored ones
   * @returns {boolean} whether it changed
   */
  fill(tr, { index, above, refill }) {
    const { grid } = this;
    const row = grid.store.at(index);
    const rowIndex = String(above + index + 2);
    if (tr.getAttribute("aria-rowindex") !== rowIndex) tr.setAttribute("aria-rowindex", rowIndex);
    const shown = row ?? `placeholder ${index}`;
    if (!refill && this.filled.get(tr) === shown) return false;
    if (grid.editor.isIn(tr)) {
      grid.editor.whenClosed("window", () => this.draw({ refill: true }));
      return false;
    }
    this.filled.set(tr, shown);
    grid.owners.delete(tr);
    if (refill) tr.style.top = `${this.geometry.topOf(index)}px`;
    if (row) {
      fillRow(tr, grid.columns, { row, number: index + 1, label: rowLabel(grid.columns, row.data, t("row {number}", { number: String(index + 1) })) });
      grid.selection.updateRow(tr);
      grid.writer.markRow(String(row.id));
    } else {
      fillPlaceholder(tr, grid.columns, { number: index + 1 });
    }
    if (!tr.hasAttribute("role")) setRoles(tr);
    return true;
  }

  /** @param {Map<number, number>} notes  space below rows, px, by index */
  setNoteSpace(notes) {
    this.notes = notes;
    this.measure();
    for (const [tr, index] of this.slots) this.set(tr, index);
  }

  /** After scrolling, put the row elements into DOM order, which screen readers follow. */
  sortElements() {
    if (this.grid.editor.isOpen) return;
    // Moving a row during a press would lose the click.
    if (press.held) return press.whenReleased(() => this.sortElements());
    const elements = [...this.body.rows];
    const inOrder = longestIncreasing(elements.flatMap((tr) => this.slots.get(tr) ?? []));
    if (inOrder.size === this.slots.size) return;
    let next = null;
    for (const [tr, index] of [...this.slots].sort(([, one], [, other]) => other - one)) {
      if (!inOrder.has(index)) this.body.insertBefore(tr, next);
      next = tr;
    }
    for (const note of elements) if (!this.slots.has(note)) this.byIndex.get(Number(note.dataset.under))?.after(note);
  }

  /** @param {HTMLTableRowElement} tr @returns {number} -1 if it is not a stored row */
  indexOf(tr) {
    return this.slots.get(tr) ?? -1;
  }

  /** @param {number} index @returns {HTMLTableRowElement | undefined} */
  rowAt(index) {
    return this.byIndex.get(index);
  }

  /** @param {number} index @param {{center?: boolean}} [how] @returns {HTMLTableRowElement | undefined} the row, scrolled into view */
  reveal(index, { center = false } = {}) {
    const { scroller, table } = this.grid;
    const { top, height } = this.view;
    const foot = table.tFoot.hidden ? 0 : table.tFoot.offsetHeight;
    const rowTop = this.geometry.topOf(index);
    const room = height - foot - this.geometry.rowHeight;
    if (center) scroller.scrollTop += rowTop - top - room / 2;
    else if (rowTop < top) scroller.scrollTop += rowTop - top;
    else if (rowTop > top + room) scroller.scrollTop += rowTop - top - room;
    this.draw();
    return this.rowAt(index);
  }
}
