// The saved rows in sight, and a few around them: absolutely placed rows that take another row's cells as one scrolls.

import { press, remInPx } from "../element.js";
import { t } from "../locale.js";
import { fillPlaceholder, fillRow, giveRoles, rowLabel } from "./values.js";
import { Geometry, recycled, risingIn } from "./grid_geometry.js";

const OVERSCAN = 8;
/** While somebody passes half of what is in sight with every frame: rows beyond it would be drawn to be passed. */
const PASSING_OVERSCAN = 1;
const SETTLED_MS = 150;

export class GridWindow {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.body = grid.rowsBody;
    /** The index each row of the page shows. @type {Map<HTMLTableRowElement, number>} */
    this.slots = new Map();
    /** @type {Map<number, HTMLTableRowElement>} */
    this.byIndex = new Map();
    /** What each row of the page was filled with. @type {WeakMap<HTMLTableRowElement, any>} */
    this.filled = new WeakMap();
    /** Room under rows for what is said about them, px. @type {Map<number, number>} */
    this.notes = new Map();
    this.span = { first: 0, last: 0 };
    /** Where the sight began when rows were drawn last, px. */
    this.top = 0;
    /** There nothing is out of sight: each row would bring more of them. */
    this.paper = matchMedia("print");
    this.adopt();
    grid.scroller.addEventListener("scroll", () => this.soon(), { passive: true });
    this.resized = new ResizeObserver(() => {
      grid.table.classList.toggle("is-wide", grid.scroller.scrollWidth > grid.scroller.clientWidth);
      if (this.geometry.rowHeight !== this.rowHeight) this.makeRoom(this.notes);
      this.soon();
    });
    this.resized.observe(grid.scroller);
    this.resized.observe(grid.table);
  }

  /** Draws with the next frame, once, however often that is wanted until then. */
  soon() {
    if (this.paper.matches) return;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  /** The server's rows become the first ones of the window, where they stand. */
  adopt() {
    const { grid } = this;
    const offset = Number(grid.dataset.offset);
    giveRoles(grid.table);
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

  /** @returns {number} px; another one once the reader's letters are larger, or a finger is there in place of a mouse */
  get rowHeight() {
    return remInPx(parseFloat(getComputedStyle(this.grid.table).getPropertyValue("--grid-row-h")) || 2.25);
  }

  /** The height of all rows follows from their count. */
  measure() {
    const { rowHeight } = this;
    // Of all rows, not of those that match: no column moves when a filter is chosen.
    this.grid.table.dataset.digits = String(String(Math.max(this.grid.filters.total, this.grid.store.total)).length);
    this.geometry = new Geometry({ count: this.grid.store.length, rowHeight, notes: this.notes });
    this.body.style.height = `${this.geometry.height}px`;
  }

  /** @returns {{top: number, height: number}} what of the rows is in sight, px */
  get view() {
    const { scroller, table } = this.grid;
    const frame = scroller.getBoundingClientRect();
    const head = table.tHead.offsetHeight;
    const height = Math.max(0, scroller.clientHeight - head);
    return { top: frame.top + head - this.body.getBoundingClientRect().top, height };
  }

  /** @returns {number[]} rows that stay on the page: the cursor's, and the one that is edited */
  get pinned() {
    const edited = this.grid.editor.session?.cell.closest("tr");
    const pins = [this.grid.cursor.index, edited ? this.indexOf(edited) : -1];
    return pins.filter((index) => index >= 0 && index < this.geometry.count);
  }

  /** @param {{anew?: boolean}} [how]  `anew`: every row is filled again */
  draw({ anew = false } = {}) {
    if (anew) this.measure();
    const { grid } = this;
    const { view } = this;
    const passing = !anew && !this.body.hidden && Math.abs(view.top - this.top) > view.height / 2;
    this.top = view.top;
    const overscan = passing ? PASSING_OVERSCAN : OVERSCAN;
    this.span = this.body.hidden ? { first: 0, last: 0 } : this.geometry.windowAt({ ...view, overscan });
    const { moves, made, spare } = recycled(this.slots, this.span, this.pinned);
    // In passing they stay where they are: once that ends, as many are needed again.
    for (const tr of spare) if (!passing || this.indexOf(tr) >= this.geometry.count) this.drop(tr);
    for (const [tr, index] of moves) this.set(tr, index);
    if (made.length) {
      const fresh = made.map((index) => {
        const tr = document.createElement("tr");
        this.set(tr, index);
        return tr;
      });
      this.body.append(...fresh);
    }
    this.byIndex = new Map([...this.slots].map(([tr, index]) => [index, tr]));
    grid.table.classList.toggle("is-part", this.slots.size < this.geometry.count);
    const above = grid.places.above.length;
    const changed = [...this.slots].filter(([tr, index]) => this.fill(tr, { index, above, anew }));
    if (changed.length) this.dress();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => (passing ? this.draw() : this.settle()), SETTLED_MS);
    grid.reading.want(this.span);
  }

  dress() {
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
   * @param {{index: number, above: number, anew: boolean}} how  `above`: how many rows come before all saved ones
   * @returns {boolean} whether it changed
   */
  fill(tr, { index, above, anew }) {
    const { grid } = this;
    const row = grid.store.at(index);
    const rowIndex = String(above + index + 2);
    if (tr.getAttribute("aria-rowindex") !== rowIndex) tr.setAttribute("aria-rowindex", rowIndex);
    const shown = row ?? `placeholder ${index}`;
    if (!anew && this.filled.get(tr) === shown) return false;
    if (grid.editor.isIn(tr)) {
      grid.editor.whenClosed("window", () => this.draw({ anew: true }));
      return false;
    }
    this.filled.set(tr, shown);
    grid.owners.delete(tr);
    if (anew) tr.style.top = `${this.geometry.topOf(index)}px`;
    if (row) {
      fillRow(tr, grid.columns, { row, number: index + 1, label: rowLabel(grid.columns, row.data, t("row {number}", { number: String(index + 1) })) });
      grid.selection.dress(tr);
      grid.writer.dress(String(row.id));
    } else {
      fillPlaceholder(tr, grid.columns, { number: index + 1 });
    }
    if (!tr.hasAttribute("role")) giveRoles(tr);
    return true;
  }

  /** @param {Map<number, number>} notes  room under rows, px, by index */
  makeRoom(notes) {
    this.notes = notes;
    this.measure();
    for (const [tr, index] of this.slots) this.set(tr, index);
  }

  /** Once nobody scrolls, rows stand in the page in the order they are seen: that is how they are read aloud. */
  settle() {
    if (this.grid.editor.isOpen) return;
    // A row that is moved under a finger, or a button held down, would lose the click.
    if (press.held) return press.whenReleased(() => this.settle());
    const standing = [...this.body.rows];
    const stay = risingIn(standing.flatMap((tr) => this.slots.get(tr) ?? []));
    if (stay.size === this.slots.size) return;
    let next = null;
    for (const [tr, index] of [...this.slots].sort(([, one], [, other]) => other - one)) {
      if (!stay.has(index)) this.body.insertBefore(tr, next);
      next = tr;
    }
    for (const note of standing) if (!this.slots.has(note)) this.byIndex.get(Number(note.dataset.under))?.after(note);
  }

  /** @param {HTMLTableRowElement} tr @returns {number} -1 for one that is no saved row */
  indexOf(tr) {
    return this.slots.get(tr) ?? -1;
  }

  /** @param {number} index @returns {HTMLTableRowElement | undefined} */
  rowAt(index) {
    return this.byIndex.get(index);
  }

  /** @param {number} index @param {{center?: boolean}} [how] @returns {HTMLTableRowElement | undefined} the row, in sight now */
  reveal(index, { center = false } = {}) {
    const { scroller, table } = this.grid;
    const { top, height } = this.view;
    const foot = table.tFoot.hidden ? 0 : table.tFoot.offsetHeight;
    const place = this.geometry.topOf(index);
    const room = height - foot - this.geometry.rowHeight;
    if (center) scroller.scrollTop += place - top - room / 2;
    else if (place < top) scroller.scrollTop += place - top;
    else if (place > top + room) scroller.scrollTop += place - top - room;
    this.draw();
    return this.rowAt(index);
  }
}
