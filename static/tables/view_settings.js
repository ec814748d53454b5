// The user's view settings (hidden columns and widths), stored on the server; the menu of each column header, and its edge for
// resizing.

import { api } from "../api.js";
import { el, isMirrored, lazy, load, onFirstInput, press, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { MIN_WIDTH, MAX_WIDTH, addHeadControls, applyWidths } from "./grid_head.js";

const EDGE_PX = 6;

export class ViewSettings {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    const { widths = {}, hidden = [] } = JSON.parse(grid.dataset.viewSettings ?? "{}");
    /** @type {Record<string, number>} */
    this.widths = widths;
    /** @type {Set<string>} */
    this.hidden = new Set(hidden);
    this.sending = Promise.resolve();
    this.form = grid.querySelector("[data-shown-form]");
    if (!this.form) return;
    // Changes apply immediately; the button is for pages without JavaScript.
    this.form.querySelector("[data-shown-save]").hidden = true;
    // Apply changes made before the script was loaded.
    const boxes = /** @type {HTMLInputElement[]} */ ([...this.form.querySelectorAll("input[name=shown]")]);
    const initiallyHidden = boxes.filter((box) => !box.checked).map((box) => box.value);
    if (boxes.some((box) => box.checked !== box.defaultChecked)) queueMicrotask(() => this.hide(initiallyHidden));
    this.all = this.form.querySelector("[data-shown-all]");
    this.form.addEventListener("change", (event) => this.onToggle(/** @type {HTMLInputElement} */ (event.target)));
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.all.addEventListener("click", () => this.hide([]));
    grid.table.tHead.addEventListener("pointerdown", (event) => this.startResize(event));
    grid.table.tHead.addEventListener("dblclick", (event) => this.onDoubleClick(event));
    this.draw();
  }

  /** @param {Column[]} columns @returns {Column[]} visible ones; all of them if none would be left */
  shown(columns) {
    const shown = columns.filter((column) => !this.hidden.has(column.id));
    return shown.length ? shown : columns;
  }

  /** @param {HTMLInputElement} box */
  onToggle(box) {
    const hidden = new Set(this.hidden);
    if (box.checked) hidden.delete(box.value);
    else hidden.add(box.value);
    this.hide([...hidden]);
  }

  /** @param {Iterable<string>} hidden  ids of columns */
  hide(hidden) {
    this.hidden = new Set(hidden);
    this.redraw();
    this.save();
  }

  /** @param {(column: Column) => boolean} wanted @param {string} why  show hidden columns until the page is left */
  reveal(wanted, why) {
    const found = this.grid.allColumns.filter((column) => this.hidden.has(column.id) && wanted(column));
    if (!found.length) return;
    for (const column of found) this.hidden.delete(column.id);
    this.redraw();
    toast(tn("{columns} is shown again. {why}", "{columns} are shown again. {why}", found.length, { columns: found.map((column) => column.name).join(", "), why }));
  }

  redraw() {
    const { grid } = this;
    if (!grid.review) grid.show(this.shown(grid.allColumns));
    this.draw();
    grid.redraw();
  }

  /** Draw the column menu and the number of hidden columns. */
  draw() {
    if (!this.form) return;
    const hiddenColumns = this.grid.allColumns.filter((column) => this.hidden.has(column.id));
    const lastOne = this.grid.allColumns.length - hiddenColumns.length === 1;
    const focused = document.activeElement?.closest("[data-shown-list]") ? /** @type {HTMLInputElement} */ (document.activeElement).value : "";
    const lines = this.grid.allColumns.map((column) => {
      const checked = !this.hidden.has(column.id);
      const box = el("input", { class: "check", type: "checkbox", name: "shown", value: column.id, checked, disabled: checked && lastOne });
      return el("label", { class: "menu__item" }, box, el("span", { text: column.name }));
    });
    this.form.querySelector("[data-shown-list]").replaceChildren(...lines);
    if (focused) this.form.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
    this.all.hidden = hiddenColumns.length === 0;
    this.grid.querySelector("[data-shown-label]").textContent = hiddenColumns.length ? t("{count} hidden", { count: hiddenColumns.length }) : t("View");
    this.grid.querySelector("[data-shown-button]").setAttribute("aria-label", hiddenColumns.length ? t("Visible columns, {count} hidden", { count: hiddenColumns.length }) : t("View: visible columns"));
  }

  /** @param {MouseEvent} event @returns {HTMLElement | null} the header whose edge is under the pointer */
  headAtEdge(event) {
    const head = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("th[data-col]"));
    if (!head || event.button !== 0) return null;
    const box = head.getBoundingClientRect();
    return (isMirrored() ? event.clientX - box.left : box.right - event.clientX) > EDGE_PX ? null : head;
  }

  /** @param {MouseEvent} event  on the edge of a header: reset its width */
  onDoubleClick(event) {
    const id = this.headAtEdge(event)?.dataset.col ?? "";
    if (this.widths[id]) this.resetWidth(id);
  }

  /** @param {PointerEvent} event  on the edge of a header */
  startResize(event) {
    const head = this.headAtEdge(event);
    if (!head) return;
    event.preventDefault();
    // Already loaded, unless this is the first input.
    void load(() => import("./column_widths.js")).then(({ dragEdge }) => dragEdge(this, { head, event }), () => {});
  }

  /** @param {string} id @param {number} width  px, limited to the allowed range */
  setWidth(id, width) {
    this.widths[id] = Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
    // Columns may have been redrawn during the drag.
    const col = this.grid.table.querySelector(`col[data-col="${CSS.escape(id)}"]`);
    col?.removeAttribute("class");
    col?.setAttribute("width", String(this.widths[id]));
    applyWidths(this.grid);
    const edge = this.grid.table.tHead.querySelector(`th[data-col="${CSS.escape(id)}"] .col__edge`);
    edge?.setAttribute("aria-valuenow", String(this.widths[id]));
  }

  /** @param {string} id  reset its width to the automatic one */
  resetWidth(id) {
    delete this.widths[id];
    this.redraw();
    this.save();
  }

  /** Requests are sent in sequence, so that the last settings are stored. */
  save() {
    const body = structuredClone({ widths: this.widths, hidden: [...this.hidden] });
    this.sending = this.sending.then(() => this.send(body));
  }

  /** @param {{widths: Record<string, number>, hidden: string[]}} body */
  async send(body) {
    const known = new Set(this.grid.allColumns.map((column) => column.id));
    const widths = Object.fromEntries(Object.entries(body.widths).filter(([id]) => known.has(id)));
    try {
      await api.put(`/api/tables/${this.grid.tableId}/view/`, { widths, hidden: body.hidden.filter((id) => known.has(id)) });
    } catch (error) {
      toast(t("Your column settings were not saved. {reason}", { reason: error.message }), { kind: "error" });
    }
  }
}


export class GridColumns {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.head = grid.table.tHead;
    /** The button whose open menu was closed by the press. @type {Element | null} */
    this.closing = null;
    this.openCount = 0;
    for (const th of this.head.querySelectorAll("th[data-col]")) {
      const column = grid.columns.find((one) => one.id === th.dataset.col);
      if (column) addHeadControls(th, column);
    }
    /** @type {import("./column_drag.js").ColumnDrag | undefined} */
    this.drag = undefined;
    onFirstInput(() => this.loadDrag());
    // Links are draggable by default.
    this.head.addEventListener("dragstart", (event) => event.preventDefault());
    this.head.addEventListener("pointerdown", (event) => this.pressed(event));
    this.head.addEventListener("click", (event) => this.clicked(event));
    grid.table.addEventListener("contextmenu", (event) => this.rightClicked(event));
    this.head.addEventListener("keydown", (event) => this.edges?.edgeKey(this.grid, event));
    this.head.addEventListener("focusin", (event) => this.edges?.edgeEntered(event));
    grid.table.addEventListener("keydown", (event) => this.keyPressed(event), { capture: true });
  }

  async loadDrag() {
    const [{ ColumnDrag }, widths] = await load(() => Promise.all([import("./column_drag.js"), import("./column_widths.js")]));
    this.drag ??= new ColumnDrag(this.grid);
    this.edges = widths;
  }

  /** Start dragging when its module is loaded, if the pointer is still pressed. @param {PointerEvent} event */
  async startLater(event) {
    const controller = new AbortController();
    /** @type {PointerEvent | undefined} */
    let latest;
    addEventListener("pointermove", (now) => (latest = now), { signal: controller.signal });
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => controller.abort(), { signal: controller.signal });
    await this.loadDrag().catch(() => controller.abort());
    if (!controller.signal.aborted) this.drag?.startDrag(event, latest);
    controller.abort();
  }

  /** @param {Event} event */
  pressed(event) {
    if (this.drag) this.drag.startDrag(/** @type {PointerEvent} */ (event));
    else void this.startLater(/** @type {PointerEvent} */ (event));
    const button = /** @type {Element} */ (event.target).closest(".col__menu");
    this.closing = button?.getAttribute("aria-expanded") === "true" ? button : null;
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const button = /** @type {Element} */ (event.target).closest(".col__menu");
    if (!button) return;
    if (this.closing !== button) this.open(button.closest("th").dataset.col, { fromHead: true });
    this.closing = null;
  }

  /** @param {MouseEvent} event  with Shift the browser's menu opens, as in fields and during a review */
  rightClicked(event) {
    const target = /** @type {Element} */ (event.target);
    const th = target.closest("th[data-col]");
    if (event.shiftKey) return;
    if (th?.querySelector(".col__menu")) this.open(th.dataset.col, { fromHead: true, event });
    else if (target.closest('tbody > tr:is([data-body="rows"] > [data-row], .is-blank, .is-draft) > td:not(.is-editing)') && !this.grid.review) this.openCells(event);
    else return;
    event.preventDefault();
  }

  /**
   * @param {KeyboardEvent} event  Alt+↑ and Alt+↓ move rows; Alt+Shift+↓, or Alt+↓ on a header, opens the column menu;
   *   Shift+F10 or the menu key opens the menu of a header or the selected cells
   */
  keyPressed(event) {
    if (this.movesRows(event)) return;
    const column = event.altKey && event.key === "ArrowDown";
    if (!(column || (event.shiftKey && event.key === "F10") || event.key === "ContextMenu") || event.ctrlKey || event.metaKey) return;
    const th = /** @type {Element} */ (event.target).closest("th[data-col]");
    const { table, cursor, drafts, review } = this.grid;
    const onGrid = event.target === table;
    const id = th ? th.dataset.col : onGrid ? cursor.current?.column?.id : undefined;
    if (onGrid && !column && !review && cursor.current && (cursor.index >= 0 || drafts.editable(cursor.current.tr))) this.openCells(null);
    else if (id) this.open(id, { fromHead: !onGrid });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether it is a key for moving rows, even if they are sorted */
  movesRows(event) {
    const { grid } = this;
    const { key, altKey, shiftKey, ctrlKey, metaKey } = event;
    if (!altKey || shiftKey || ctrlKey || metaKey || (key !== "ArrowUp" && key !== "ArrowDown")) return false;
    if (event.target !== grid.table || !grid.mayEdit || grid.review) return false;
    event.preventDefault();
    event.stopPropagation();
    void lazy(t("The command could not be loaded."), () => load(() => import("./row_moves.js"))).then(({ moveByKey }) => moveByKey(grid, key));
    return true;
  }

  /**
   * @param {string} id
   * @param {{fromHead: boolean, event?: MouseEvent | null}} how  fromHead: return the focus to the header; event: a right click
   */
  open(id, { fromHead, event }) {
    return this.whenLoaded(load(() => import("./column_menu.js")), ({ openColumnMenu }) => openColumnMenu(this.grid, id, { fromHead }), event);
  }

  /** @param {MouseEvent | null} event  a click on a cell or a row number; null: by keyboard */
  openCells(event) {
    const td = /** @type {Element | undefined} */ (event?.target)?.closest("td");
    // Cells may be redrawn before the menu is loaded.
    const clickedCell = td ? { id: td.parentElement.dataset.row, col: Math.min(td.cellIndex, this.grid.columns.length) - 1, x: event.clientX, y: event.clientY } : null;
    this.grid.table.focus({ preventScroll: true });
    return this.whenLoaded(load(() => import("./cell_menu.js")), ({ openCellMenu }) => openCellMenu(this.grid, clickedCell), event);
  }

  /**
   * @template T
   * @param {Promise<T>} loading @param {(module: T) => void} show @param {MouseEvent | null} [event]  a right click; show is
   *   not called if the user has opened another menu or moved the focus meanwhile
   */
  async whenLoaded(loading, show, event) {
    const number = ++this.openCount;
    // However long the button is held down.
    const up = event?.buttons ? new Promise((resolve) => addEventListener("pointerup", () => setTimeout(resolve), { once: true })) : null;
    const focused = document.activeElement;
    try {
      const module = await loading;
      // The end of the press would close the menu.
      await (up ?? press.released());
      if (number === this.openCount && document.activeElement === focused && !this.grid.editor.isOpen) show(module);
    } catch {
      toast(t("The menu could not be opened. Try again in a moment."), { kind: "error" });
    }
  }
}
