// Which rows are checked, and what can be done with them together; the way to the details of one: a button on the row under
// the pointer or the cursor, one for the checked row, Shift+Enter.

import { t, tn } from "../locale.js";
import { el, icon, late, load, toast } from "../element.js";

const MOST = 10_000;
/** @param {ViewState} view */
const narrowing = ({ search, filter }) => JSON.stringify([search, filter]);
const commands = () => late(t("The command could not be loaded."), () => load(() => import("./row_commands.js")));

export class RowSelection {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {Set<string>} */
    this.ids = new Set();
    this.last = "";
    /** Another one, once the person has checked or unchecked something else. */
    this.wish = 0;
    /** @type {Promise<void> | null} */
    this.deleting = null;
    /** @type {Promise<void> | null} */
    this.duplicating = null;
    /** Rows that were checked without being in sight. @type {Map<string, any>} */
    this.unseen = new Map();
    /** Rows that were checked before a review, and are again after it. @type {Set<string>} */
    this.before = new Set();
    /** The search and filter that the checked rows match. */
    this.view = narrowing(grid.view);
    /** Rows that were checked and are perhaps left out by the search or filter now: not checked until it is known. @type {Set<string>} */
    this.doubtful = new Set();
    this.bar = grid.querySelector("[data-selbar]");
    this.all = grid.querySelector("[data-check-all]");
    this.all.disabled = false;
    for (const tr of grid.rowsBody.rows) this.dress(tr);
    grid.rowsBody.addEventListener("click", (event) => this.clicked(event));
    this.all.addEventListener("change", () => this.checkAll(this.all.checked));
    this.bar.querySelector("[data-delete-selected]").addEventListener("click", () => this.deleteSelected());
    this.bar.querySelector("[data-clear-selected]").addEventListener("click", () => this.clear());
    this.bar.querySelector("[data-ask-selected]")?.addEventListener("click", () => {
      document.dispatchEvent(new CustomEvent("chat-reveal"));
    });
  }

  /** @param {HTMLTableRowElement} tr  a freshly drawn row: its check box is no tab stop, the grid is one */
  dress(tr) {
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
    // A row that is still being read cannot be told from another.
    if (!tr.dataset.row) return event.preventDefault();
    this.wish += 1;
    const id = tr.dataset.row ?? "";
    if (event.shiftKey && this.last) this.checkRange(this.last, id, check.checked);
    else this.set(tr, check.checked);
    this.last = id;
    this.refresh();
  }

  /** @param {HTMLTableRowElement} tr */
  toggle(tr) {
    if (tr.dataset.op || !tr.dataset.row || !tr.querySelector(".check")) return;
    this.wish += 1;
    this.set(tr, !this.ids.has(tr.dataset.row ?? ""));
    this.refresh();
  }

  /** @param {HTMLTableRowElement} tr @param {boolean} on */
  set(tr, on) {
    const id = tr.dataset.row ?? "";
    if (on) this.ids.add(id);
    else this.ids.delete(id);
    this.dress(tr);
  }

  /** @param {string} from @param {string} to @param {boolean} on */
  checkRange(from, to, on) {
    const places = [from, to].map((id) => this.grid.store.indexOf(id)).sort((a, b) => a - b);
    if (places[0] < 0) return this.setMany([to], on);
    return this.checkSpan({ first: places[0], last: places[1] + 1 }, on);
  }

  /** @param {boolean} on  all rows, those that were not read yet among them */
  checkAll(on) {
    if (this.grid.review) return;
    if (on) return this.checkSpan({ first: 0, last: this.grid.store.length }, true);
    this.clear();
  }

  /** @param {{first: number, last: number}} span @param {boolean} on  reads what of it is not known */
  async checkSpan({ first, last }, on) {
    const { store } = this.grid;
    if (on && last - first > MOST) {
      this.refresh();
      toast(t("At most {most} rows can be selected at once, and there are {count}. Search or filter first.", { count: last - first, most: MOST }));
      return;
    }
    const mine = ++this.wish;
    const { view } = this.grid;
    const whole = store.missing({ first, last }).length === 0;
    const rows = whole ? Array.from({ length: last - first }, (_, step) => store.at(first + step)) : await this.read({ first, last });
    // Who has unchecked them meanwhile, or looks at other rows, is not given them after all.
    if (!rows || mine !== this.wish || view !== this.grid.view) return this.refresh();
    if (on && !whole) for (const row of rows) this.unseen.set(String(row.id), row);
    this.setMany(rows.map((row) => String(row.id)), on);
  }

  /** @param {{first: number, last: number}} span @returns {Promise<any[] | null>} null when the server is out of reach */
  read(span) {
    return commands().then(({ readRows }) => readRows(this.grid, span));
  }

  /** @param {string[]} ids @param {boolean} on */
  setMany(ids, on) {
    const proposed = new Set([...this.grid.rowsBody.rows].filter((tr) => tr.dataset.op).map((tr) => tr.dataset.row));
    for (const id of ids) {
      if (on && !proposed.has(id)) this.ids.add(id);
      else this.ids.delete(id);
    }
    this.redress();
  }

  /** @param {string[]} ids  rows that are gone */
  uncheck(ids) {
    for (const id of ids) {
      this.before.delete(id);
      this.doubtful.delete(id);
    }
    if (!ids.some((id) => this.ids.has(id))) return;
    this.setMany(ids, false);
  }

  clear() {
    this.wish += 1;
    this.ids.clear();
    this.doubtful.clear();
    this.unseen.clear();
    this.redress();
  }

  /** Rows were read anew: those that others deleted, or that the search or filter leaves out, are no longer checked. */
  async rowsRead() {
    const { reading, review, store } = this.grid;
    if (review) return;
    const { shown } = reading;
    const view = narrowing(shown);
    if (view !== this.view) {
      for (const id of this.doubtful) this.ids.add(id);
      this.doubtful.clear();
      // Without a search and filter, none is left out.
      if (shown.search || shown.filter) this.doubtful = new Set([...this.ids].filter((id) => !store.get(id)));
      for (const id of this.doubtful) this.ids.delete(id);
      this.view = view;
      this.redress();
    }
    const unknown = [...this.doubtful, ...this.ids].filter((id) => !store.get(id));
    if (!unknown.length) return;
    const module = await load(() => import("./checked_rows.js")).catch(() => null);
    await module?.keepMatching(this, unknown, { shown, isCurrent: () => view === this.view && !this.grid.review });
  }

  /** Unchecks all rows for a review, in which the check boxes are those of the changes. */
  suspend() {
    for (const id of [...this.ids, ...this.doubtful]) this.before.add(id);
    this.clear();
  }

  /** Checks the rows again that were checked before a review. */
  resume() {
    for (const id of this.before) this.ids.add(id);
    this.before.clear();
    this.refresh();
  }

  redress() {
    for (const tr of this.grid.rowsBody.rows) if (tr.dataset.row && !tr.dataset.op) this.dress(tr);
    this.refresh();
  }

  /** @returns {Promise<any[]> | any[]} the checked rows as they are now; at once when all of them are known */
  rows() {
    const known = [...this.ids].map((id) => this.grid.store.get(id) ?? this.unseen.get(id));
    return known.every(Boolean) ? known : this.grid.reading.readRows(this.numbers);
  }

  /** Brings the bar and the head's check box up to date. */
  refresh() {
    const count = this.ids.size;
    this.bar.hidden = count === 0 || this.grid.review !== null;
    this.bar.querySelector("[data-selected-count]").textContent = tn("{count} row selected", "{count} rows selected", count);
    if (!this.grid.review) {
      const { rows, standing } = this.grid.store;
      this.all.checked = count > 0 && count === standing && rows.every(({ id }) => this.ids.has(String(id)));
      this.all.indeterminate = count > 0 && !this.all.checked;
    }
    this.grid.dispatchEvent(new CustomEvent("grid-selected", { bubbles: true, detail: { ids: this.numbers } }));
  }

  /** @returns {number[]} */
  get numbers() {
    return [...this.ids].map(Number);
  }

  /** @returns {number[]}  for the assistant, who is asked about the rows that were checked before a review, too */
  get meant() {
    return [...new Set([...this.before, ...this.ids])].map(Number);
  }

  /** The checked rows once more, at the end. A second press, before the first is answered, means the same. */
  duplicate() {
    this.duplicating ??= commands()
      .then(({ duplicateRows }) => duplicateRows(this.grid, this.ids.size, () => this.rows()))
      .finally(() => (this.duplicating = null));
  }

  deleteSelected() {
    const ids = this.numbers;
    // A second press, before the first is answered, means the same rows.
    if (!ids.length || this.deleting) return;
    this.deleting = commands()
      .then(({ deleteRows }) => deleteRows(this.grid, ids))
      .finally(() => (this.deleting = null));
  }
}

export class GridDetails {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {null | {show: (id: string) => void, close: () => void}} */
    this.sheet = null;
    const open = { click: () => this.open(this.button.closest("tr")?.dataset.row ?? "") };
    this.button = el("button", { class: "gutter__open", type: "button", tabindex: "-1", "aria-label": t("Row details"), title: t("Row details (Shift+Enter)"), on: open }, icon("table-properties", "icon--14"));
    grid.rowsBody.addEventListener("pointerover", (event) => this.stand(/** @type {Element} */ (event.target).closest("tr")));
    grid.rowsBody.addEventListener("cell-cursor", (event) => this.stand(/** @type {Element} */ (event.target).closest("tr")));
    this.ofChecked = el("button", { type: "button", hidden: true, on: { click: () => this.open([...grid.selection.ids][0] ?? "") } }, icon("table-properties", "icon--14"), t("Details"));
    const copies = el("button", { class: "only-wide", type: "button", "data-for-editors": true, hidden: !grid.mayEdit, on: { click: () => grid.selection.duplicate() } }, icon("copy", "icon--14"), t("Duplicate"));
    grid.selection.bar.querySelector("[data-delete-selected]").before(this.ofChecked, copies);
    grid.addEventListener("grid-selected", () => (this.ofChecked.hidden = grid.selection.ids.size !== 1));
    grid.table.addEventListener("keydown", (event) => this.keyPressed(event), { capture: true });
  }

  /** @param {HTMLTableRowElement | null} tr  where the button stands from now on */
  stand(tr) {
    if (!tr?.dataset.row || this.grid.review || this.grid.window.indexOf(tr) < 0 || this.button.parentElement === tr.cells[0]) return;
    tr.cells[0].append(this.button);
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    if (event.key !== "Enter" || !event.shiftKey || event.target !== this.grid.table) return;
    const tr = this.grid.cursor.here?.tr;
    if (!tr || this.grid.window.indexOf(tr) < 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.open(tr.dataset.row ?? "");
  }

  /** @param {string} id  of a saved row */
  async open(id) {
    if (!id || this.grid.review) return;
    const mine = (this.asked = (this.asked ?? 0) + 1);
    try {
      const { RowSheet } = await load(() => import("./row_sheet.js"));
      // Another row was asked for meanwhile, or a proposal has come.
      if (mine !== this.asked || this.grid.review) return;
      this.sheet ??= new RowSheet(this.grid, () => (this.sheet = null));
      this.sheet.show(id);
    } catch {
      toast(t("The details could not be opened. Try again in a moment."), { kind: "error" });
    }
  }
}
