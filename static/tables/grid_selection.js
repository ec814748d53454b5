// Checked rows and their commands; the button that opens the details of a row.

import { t, tn } from "../locale.js";
import { el, icon, lazy, load, toast } from "../element.js";

const MAX_SELECTED = 10_000;
/** @param {ViewState} view */
const rowQuery = ({ search, filter }) => JSON.stringify([search, filter]);
const loadCommands = () => lazy(t("The command could not be loaded."), () => load(() => import("./row_commands.js")));

export class RowSelection {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {Set<string>} */
    this.ids = new Set();
    this.last = "";
    /** Increased when the user checks or unchecks something. */
    this.version = 0;
    /** @type {Promise<void> | null} */
    this.deleting = null;
    /** @type {Promise<void> | null} */
    this.duplicating = null;
    /** Checked rows that are not loaded. @type {Map<string, any>} */
    this.unseen = new Map();
    /** Rows to check again after a review. @type {Set<string>} */
    this.before = new Set();
    /** The search and filter of the checked rows. */
    this.view = rowQuery(grid.view);
    /** Checked rows that may not match the new search or filter; unchecked until the server has answered. @type {Set<string>} */
    this.uncertain = new Set();
    this.bar = grid.querySelector("[data-selbar]");
    this.all = grid.querySelector("[data-check-all]");
    this.all.disabled = false;
    for (const tr of grid.rowsBody.rows) this.updateRow(tr);
    grid.rowsBody.addEventListener("click", (event) => this.clicked(event));
    this.all.addEventListener("change", () => this.checkAll(this.all.checked));
    this.bar.querySelector("[data-delete-selected]").addEventListener("click", () => this.deleteSelected());
    this.bar.querySelector("[data-clear-selected]").addEventListener("click", () => this.clear());
    this.bar.querySelector("[data-ask-selected]")?.addEventListener("click", () => {
      document.dispatchEvent(new CustomEvent("chat-reveal"));
    });
  }

  /** @param {HTMLTableRowElement} tr  a newly drawn row; its checkbox is no tab stop */
  updateRow(tr) {
    const check = tr.querySelector(".check");
    if (!check) return;
    const checked = this.ids.has(tr.dataset.row ?? "");
    if (check.tabIndex !== -1) check.tabIndex = -1;
    if (check.checked !== checked) check.checked = checked;
    tr.classList.toggle("is-selected", checked);
    if (tr.ariaSelected !== String(checked)) tr.ariaSelected = String(checked);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const check = /** @type {Element} */ (event.target).closest(".check");
    const tr = check?.closest("tr");
    if (!check || !tr || tr.dataset.op) return;
    // A row that is being loaded has no id.
    if (!tr.dataset.row) return event.preventDefault();
    this.version += 1;
    const id = tr.dataset.row ?? "";
    if (event.shiftKey && this.last) this.checkRange(this.last, id, check.checked);
    else this.set(tr, check.checked);
    this.last = id;
    this.refresh();
  }

  /** @param {HTMLTableRowElement} tr */
  toggle(tr) {
    if (tr.dataset.op || !tr.dataset.row || !tr.querySelector(".check")) return;
    this.version += 1;
    this.set(tr, !this.ids.has(tr.dataset.row ?? ""));
    this.refresh();
  }

  /** @param {HTMLTableRowElement} tr @param {boolean} on */
  set(tr, on) {
    const id = tr.dataset.row ?? "";
    if (on) this.ids.add(id);
    else this.ids.delete(id);
    this.updateRow(tr);
  }

  /** @param {string} from @param {string} to @param {boolean} on */
  checkRange(from, to, on) {
    const indexes = [from, to].map((id) => this.grid.store.indexOf(id)).sort((a, b) => a - b);
    if (indexes[0] < 0) return this.setMany([to], on);
    return this.checkSpan({ first: indexes[0], last: indexes[1] + 1 }, on);
  }

  /** @param {boolean} on  for all rows, including those that are not loaded */
  checkAll(on) {
    if (this.grid.review) return;
    if (on) this.grid.reading.whenCounted(() => void this.checkSpan({ first: 0, last: this.grid.store.length }, true));
    else this.clear();
  }

  /** @param {{first: number, last: number}} span @param {boolean} on  reads rows that are not loaded */
  async checkSpan({ first, last }, on) {
    const { store } = this.grid;
    if (on && last - first > MAX_SELECTED) {
      this.refresh();
      toast(t("At most {most} rows can be selected at once; there are {count}. Search or filter first.", { count: last - first, most: MAX_SELECTED }));
      return;
    }
    const number = ++this.version;
    const { view } = this.grid;
    const allLoaded = store.missing({ first, last }).length === 0;
    const rows = allLoaded ? Array.from({ length: last - first }, (_, step) => store.at(first + step)) : await this.read({ first, last });
    // The user has unchecked them or changed the view meanwhile.
    if (!rows || number !== this.version || view !== this.grid.view) return this.refresh();
    if (on && !allLoaded) for (const row of rows) this.unseen.set(String(row.id), row);
    this.setMany(rows.map((row) => String(row.id)), on);
  }

  /** @param {{first: number, last: number}} span @returns {Promise<any[] | null>} null if the server cannot be reached */
  read(span) {
    return loadCommands().then(({ readRows }) => readRows(this.grid, span));
  }

  /** @param {string[]} ids @param {boolean} on */
  setMany(ids, on) {
    const proposed = new Set([...this.grid.rowsBody.rows].filter((tr) => tr.dataset.op).map((tr) => tr.dataset.row));
    for (const id of ids) {
      if (on && !proposed.has(id)) this.ids.add(id);
      else this.ids.delete(id);
    }
    this.updateRows();
  }

  /** @param {string[]} ids  of deleted rows */
  uncheck(ids) {
    for (const id of ids) {
      this.before.delete(id);
      this.uncertain.delete(id);
    }
    if (!ids.some((id) => this.ids.has(id))) return;
    this.setMany(ids, false);
  }

  clear() {
    this.version += 1;
    this.ids.clear();
    this.uncertain.clear();
    this.unseen.clear();
    this.updateRows();
  }

  /** Rows were read: uncheck deleted rows, and rows that do not match the search or filter. */
  async rowsRead() {
    const { reading, review, store } = this.grid;
    if (review) return;
    const { shown } = reading;
    const view = rowQuery(shown);
    if (view !== this.view) {
      for (const id of this.uncertain) this.ids.add(id);
      this.uncertain.clear();
      // Without search and filter, all rows match.
      if (shown.search || shown.filter) this.uncertain = new Set([...this.ids].filter((id) => !store.get(id)));
      for (const id of this.uncertain) this.ids.delete(id);
      this.view = view;
      this.updateRows();
    }
    const unknown = [...this.uncertain, ...this.ids].filter((id) => !store.get(id));
    if (!unknown.length) return;
    const module = await load(() => import("./checked_rows.js")).catch(() => null);
    await module?.updateChecked(this, unknown, { shown, isCurrent: () => view === this.view && !this.grid.review });
  }

  /** Uncheck all rows for a review, in which the checkboxes belong to the changes. */
  suspend() {
    for (const id of [...this.ids, ...this.uncertain]) this.before.add(id);
    this.clear();
  }

  /** Check the rows again that were checked before the review. */
  resume() {
    for (const id of this.before) this.ids.add(id);
    this.before.clear();
    this.refresh();
  }

  updateRows() {
    for (const tr of this.grid.rowsBody.rows) if (tr.dataset.row && !tr.dataset.op) this.updateRow(tr);
    this.refresh();
  }

  /** @returns {Promise<any[]> | any[]} the checked rows; an array if all of them are loaded */
  rows() {
    const known = [...this.ids].map((id) => this.grid.store.get(id) ?? this.unseen.get(id));
    return known.every(Boolean) ? known : this.grid.reading.readRows(this.numbers);
  }

  /** Update the bar and the checkbox in the header. */
  refresh() {
    const count = this.ids.size;
    this.bar.hidden = count === 0 || this.grid.review !== null;
    this.bar.querySelector("[data-selected-count]").textContent = tn("{count} row selected", "{count} rows selected", count);
    if (!this.grid.review) {
      const { rows, displayedCount } = this.grid.store;
      this.all.checked = count > 0 && count === displayedCount && rows.every(({ id }) => this.ids.has(String(id)));
      this.all.indeterminate = count > 0 && !this.all.checked;
    }
    this.grid.dispatchEvent(new CustomEvent("grid-selected", { bubbles: true, detail: { ids: this.numbers } }));
  }

  /** @returns {number[]} */
  get numbers() {
    return [...this.ids].map(Number);
  }

  /** @returns {number[]} selected ids for the assistant, including rows checked before a review */
  get contextIds() {
    return [...new Set([...this.before, ...this.ids])].map(Number);
  }

  /** Duplicate the checked rows at the end. A second press during the request is ignored. */
  duplicate() {
    this.duplicating ??= loadCommands()
      .then(({ duplicateRows }) => duplicateRows(this.grid, this.ids.size, () => this.rows()))
      .finally(() => (this.duplicating = null));
  }

  deleteSelected() {
    const ids = this.numbers;
    // A second press during the request is ignored.
    if (!ids.length || this.deleting) return;
    this.deleting = loadCommands()
      .then(({ deleteRows }) => deleteRows(this.grid, ids))
      .finally(() => (this.deleting = null));
  }
}

export class GridDetails {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {null | import("./row_sheet.js").RowSheet} */
    this.sheet = null;
    const open = { click: () => this.open(this.button.closest("tr")?.dataset.row ?? "") };
    this.button = el("button", { class: "gutter__open", type: "button", tabindex: "-1", "aria-label": t("Row details"), title: t("Row details (Shift+Enter)"), on: open }, icon("table-properties", "icon--14"));
    grid.rowsBody.addEventListener("pointerover", (event) => this.moveButton(/** @type {Element} */ (event.target).closest("tr")));
    grid.rowsBody.addEventListener("cell-cursor", (event) => this.moveButton(/** @type {Element} */ (event.target).closest("tr")));
    this.checkedButton = el("button", { type: "button", hidden: true, on: { click: () => this.open([...grid.selection.ids][0] ?? "") } }, icon("table-properties", "icon--14"), t("Details"));
    const copies = el("button", { class: "only-wide", type: "button", "data-for-editors": true, hidden: !grid.mayEdit, on: { click: () => grid.selection.duplicate() } }, icon("copy", "icon--14"), t("Duplicate"));
    grid.selection.bar.querySelector("[data-delete-selected]").before(this.checkedButton, copies);
    grid.addEventListener("grid-selected", () => (this.checkedButton.hidden = grid.selection.ids.size !== 1));
    grid.table.addEventListener("keydown", (event) => this.keyPressed(event), { capture: true });
  }

  /** @param {HTMLTableRowElement | null} tr  to which the button is moved */
  moveButton(tr) {
    if (!tr?.dataset.row || this.grid.review || this.grid.window.indexOf(tr) < 0 || this.button.parentElement === tr.cells[0]) return;
    tr.cells[0].append(this.button);
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    if (event.key !== "Enter" || !event.shiftKey || event.target !== this.grid.table) return;
    const tr = this.grid.cursor.current?.tr;
    if (!tr || this.grid.window.indexOf(tr) < 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.open(tr.dataset.row ?? "");
  }

  /** @param {string} id  of a saved row @param {string} [columnId]  of the field to edit */
  async open(id, columnId) {
    if (!id || this.grid.review) return;
    const number = (this.requestCount = (this.requestCount ?? 0) + 1);
    try {
      const { RowSheet } = await load(() => import("./row_sheet.js"));
      // Another row was requested meanwhile, or a review has started.
      if (number !== this.requestCount || this.grid.review) return;
      this.sheet ??= new RowSheet(this.grid, () => (this.sheet = null));
      this.sheet.show(id, columnId);
    } catch {
      toast(t("The details could not be opened. Try again in a moment."), { kind: "error" });
    }
  }
}
