// The cell cursor: the table has the focus, aria-activedescendant refers to the cell. Maps keys to moves and edits.

import { logicalKey, toast } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { captureCells, nextPosition } from "./grid_geometry.js";
import { refusesEdit, sameValue } from "./values.js";

const GUTTER = -1;

export class GridCursor {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.rowKey = "";
    /** Index of its row among the stored ones, -1 in other rows. */
    this.index = -1;
    this.col = 0;
    /** @type {HTMLTableCellElement | null} */
    this.cell = null;
    /** Its position at pointerdown: the press itself may move it, and cells may be redrawn before the click. */
    this.pressedAt = "";
    grid.table.addEventListener("pointerdown", () => (this.pressedAt = this.position), { capture: true });
    grid.table.addEventListener("keydown", (event) => this.keyPressed(event));
    grid.table.addEventListener("click", (event) => this.clicked(event));
    grid.table.addEventListener("dblclick", (event) => this.doubleClicked(event));
    grid.table.addEventListener("focus", () => this.focused());
  }

  /** @returns {string} identifies its row and column, "" if it is in no cell */
  get position() {
    return this.cell ? `${this.rowKey || this.index} ${this.grid.columns[this.col]?.id ?? ""}` : "";
  }

  focused() {
    if (!this.cell) {
      const first = this.grid.rowRange.firstInSight;
      if (first) this.put(first, 0, { scroll: false });
    }
  }

  /** @param {HTMLTableRowElement} tr @param {number} col  -1 is the gutter @param {{scroll?: boolean}} [how] */
  put(tr, col, { scroll = true } = {}) {
    this.unmark();
    this.rowKey = tr.dataset.row ?? "";
    this.index = this.grid.window.indexOf(tr);
    this.col = Math.min(col, this.grid.columns.length - 1);
    this.cell = tr.cells[this.col + 1] ?? null;
    if (!this.cell) return;
    if (this.col >= 0) columnType(this.grid.columns[this.col]).prepare()?.catch(() => {});
    this.cell.id = this.idIn(tr);
    this.cell.classList.add("is-focus");
    tr.classList.add("is-current-row");
    this.grid.table.setAttribute("aria-activedescendant", this.cell.id);
    if (scroll) this.cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.cell.dispatchEvent(new CustomEvent("cell-cursor", { bubbles: true }));
  }

  /** Remove its marks. */
  unmark() {
    this.cell?.classList.remove("is-focus");
    this.cell?.closest("tr")?.classList.remove("is-current-row");
    this.cell = null;
  }

  /** @param {HTMLTableRowElement} tr @returns {string} */
  idIn(tr) {
    return `cell-${tr.dataset.row || `at${this.grid.window.indexOf(tr)}`}-${this.col}`;
  }

  /** Update the index of its row after rows were read. If the row was deleted, the cursor stays at the index. */
  find() {
    const index = this.rowKey ? this.grid.store.indexOf(this.rowKey) : -1;
    if (index >= 0) this.index = index;
    else if (this.index >= 0) this.index = Math.min(this.index, this.grid.store.length - 1);
  }

  /** Mark the cell again after rows were drawn, if its row still exists. */
  follow() {
    const tr = this.index >= 0 ? this.grid.window.rowAt(this.index) : this.rowKey ? this.grid.rowElement(this.rowKey) : undefined;
    if (tr?.querySelector(":scope > .is-editing")) return;
    const cell = tr?.cells[this.col + 1];
    const isUnchanged = cell && cell === this.cell && cell.id === this.idIn(tr);
    if (isUnchanged && cell.classList.contains("is-focus") && tr.classList.contains("is-current-row")) return;
    this.unmark();
    if (tr) this.put(tr, this.col, { scroll: false });
    else this.grid.table.removeAttribute("aria-activedescendant");
  }

  /** @returns {{tr: HTMLTableRowElement, column: Column | undefined} | null} */
  get current() {
    const tr = this.cell?.closest("tr");
    return tr ? { tr, column: this.grid.columns[this.col] } : null;
  }

  /** @returns {Rect | null} its cell, if that is in a stored row */
  get rect() {
    const { index, col } = this;
    return index < 0 || col < 0 ? null : { top: index, bottom: index, left: col, right: col };
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = /** @type {Element} */ (event.target);
    const cell = target.closest("tbody td.cell");
    if (!cell || cell.classList.contains("is-editing") || target.closest("button, a")) return;
    const tr = cell.closest("tr[data-row], tr.is-loading");
    if (!tr) return;
    if (/** @type {MouseEvent} */ (event).shiftKey && this.grid.ranges.clicked(event)) return;
    this.grid.ranges.clear();
    this.put(tr, cell.cellIndex - 1, { scroll: false });
    const again = this.position === this.pressedAt;
    this.grid.table.focus({ preventScroll: true });
    const isTouch = /** @type {PointerEvent} */ (event).pointerType === "touch";
    const column = this.current?.column;
    const value = column && (again || !isTouch) ? columnType(column).valueOfClick(event, column) : undefined;
    if (value !== undefined && this.set(value)) return;
    if (!isTouch) return;
    this.grid.ranges.showHandles();
    if (again) this.edit();
  }

  /** @param {MouseEvent} event */
  doubleClicked(event) {
    const target = /** @type {Element} */ (event.target);
    if (this.cell && target.closest("td.cell") === this.cell) this.edit();
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    if (event.target !== this.grid.table || event.isComposing) return;
    const ctrl = event.ctrlKey || event.metaKey;
    if (this.move(event, ctrl) || this.act(event, ctrl)) event.preventDefault();
    else if (event.key.length === 1 && !ctrl && !event.altKey && event.key !== " ") this.type(event);
  }

  /** @param {KeyboardEvent} event  of a character, which sets the value or replaces it in an editor */
  type(event) {
    const { tr, column } = this.current ?? {};
    const kind = columnType(column);
    const value = column && kind.valueOfKey(event.key, column, this.grid.ownerOf(tr).value(tr, column));
    // The editor would replace the value by nothing, since it has no such characters.
    if (value === undefined && kind.stepped) return;
    if (value === undefined || !this.set(value)) this.edit({ replace: true });
    else event.preventDefault();
  }

  /** @param {any} value  for the current cell; null clears it @returns {boolean} whether the cell can be edited */
  set(value) {
    const { current } = this;
    if (!current?.column || !current.tr.dataset.row) return false;
    const owner = this.grid.ownerOf(current.tr);
    if (!owner.editable(current.tr, current.column) || refusesEdit(current.column)) return false;
    this.grid.ranges.clear();
    if (!sameValue(owner.value(current.tr, current.column), value)) owner.write(current.tr, current.column, value);
    return true;
  }

  /** @param {KeyboardEvent} event @param {boolean} ctrl @returns {boolean} */
  move(event, ctrl) {
    const { rowRange, scroller, window: shown } = this.grid;
    const page = Math.max(1, Math.floor(scroller.clientHeight / shown.geometry.rowHeight) - 2);
    const row = Math.max(0, rowRange.current);
    // Ctrl+arrow and Ctrl+End stop at the last row with values, unless the cursor is below it.
    const rows = ctrl && row < rowRange.filled ? rowRange.filled : rowRange.total;
    const size = { rows, cols: this.grid.columns.length, page, first: GUTTER };
    const pressed = { key: logicalKey(event.key), ctrl, shift: event.shiftKey };
    if (event.shiftKey && event.key !== "Tab" && this.grid.ranges.extend(pressed, { ...size, first: 0 })) return true;
    return this.goTo(nextPosition({ row, col: this.col }, pressed, size));
  }

  /** @param {{row: number, col: number} | null} to @returns {boolean} */
  goTo(to) {
    const tr = to ? this.grid.rowRange.at(to.row) : undefined;
    if (!to || !tr) return false;
    this.grid.ranges.clear();
    this.put(tr, to.col);
    return true;
  }

  /** @param {KeyboardEvent} event @param {boolean} ctrl @returns {boolean} whether the key was handled */
  act(event, ctrl) {
    const current = this.current;
    if (ctrl && event.key.toLowerCase() === "a") {
      if (!current || this.col === GUTTER) this.grid.selection.checkAll(true);
      else this.grid.ranges.selectAll();
      return true;
    }
    if (ctrl && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "d") return this.fillDown();
    if (ctrl && !event.shiftKey && event.key === " ") return this.grid.ranges.selectColumns();
    // In a review, the key applies the changes.
    const link = ctrl && event.key === "Enter" && !this.grid.review && this.cell?.querySelector("a");
    if (link) link.click();
    if (!current || ctrl) return Boolean(link);
    if (this.grid.ranges.rect && this.actOnRange(event, this.grid.ranges.rect)) return true;
    const onGutter = this.col === GUTTER;
    const { drafts, writer } = this.grid;
    if (event.key === "Escape" && current.column && writer.discard(this.rowKey, current.column)) return true;
    if (event.key === "Escape" && drafts.has(current.tr) && drafts.isUntouched(current.tr)) return drafts.discard(current.tr);
    if (onGutter && (event.key === "Delete" || event.key === "Backspace") && drafts.has(current.tr)) return drafts.discard(current.tr);
    if (event.key === " " && (onGutter || event.shiftKey)) {
      const owner = this.grid.ownerOf(current.tr);
      if (owner.check) owner.check(current.tr);
      else this.grid.selection.toggle(current.tr);
      return true;
    }
    if (onGutter) return false;
    if (event.key === "Enter" || event.key === "F2" || event.key === " ") return this.edit();
    if (event.key === "Delete" || event.key === "Backspace") return this.set(null);
    return false;
  }

  /** @param {KeyboardEvent} event @param {Rect} rect @returns {boolean} */
  actOnRange(event, rect) {
    if (event.key === "Escape") this.grid.ranges.clear();
    else if (event.key === "Delete" || event.key === "Backspace") this.grid.clipboard.empty(captureCells(this.grid, rect));
    else return false;
    return true;
  }

  /** @param {{replace?: boolean}} [how] @returns {boolean} */
  edit({ replace = false } = {}) {
    const current = this.current;
    if (!current?.column || !this.cell || !current.tr.dataset.row) return false;
    const owner = this.grid.ownerOf(current.tr);
    if (!owner.editable(current.tr, current.column) || refusesEdit(current.column)) return false;
    if (columnType(current.column).hasFiles) return this.editInDetails(current.tr, current.column, replace);
    this.grid.ranges.clear();
    if (!columnType(current.column).toggles) {
      this.grid.editor.open(this.cell, current.column, { replace });
    } else if (!replace) {
      owner.write(current.tr, current.column, owner.value(current.tr, current.column) !== true);
    }
    return true;
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {boolean} isTyped  a character, which changes nothing @returns {boolean} */
  editInDetails(tr, column, isTyped) {
    if (isTyped) return false;
    // A double click selects text.
    getSelection()?.removeAllRanges();
    if (this.grid.ownerOf(tr) === this.grid.writer) void this.grid.details.open(tr.dataset.row ?? "", column.id);
    else toast(t("Save the row first."));
    return true;
  }

  /** @returns {boolean} whether the cursor is in a cell of a stored or unsaved row */
  fillDown() {
    const current = this.current;
    const owner = current?.column && this.grid.ownerOf(current.tr);
    const isNew = owner === this.grid.drafts;
    if (!isNew && (this.index < 0 || owner !== this.grid.writer)) return false;
    this.grid.clipboard.fillDown(isNew ? null : this.grid.ranges.rect ?? this.rect);
    return true;
  }

  /** @param {string} key  move as if this key was pressed, after an edit @param {boolean} [shift] */
  step(key, shift = false) {
    const { rowRange } = this.grid;
    const size = { rows: rowRange.total, cols: this.grid.columns.length, page: 1 };
    this.goTo(nextPosition({ row: Math.max(0, rowRange.current), col: this.col }, { key, shift }, size));
  }
}
