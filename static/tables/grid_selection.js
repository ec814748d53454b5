// Which rows are checked, and what can be done with them together.

import { counted } from "./values.js";

export class RowSelection {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {Set<string>} */
    this.ids = new Set();
    this.last = "";
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
    check.tabIndex = -1;
    check.checked = this.ids.has(tr.dataset.row ?? "");
    tr.classList.toggle("is-selected", check.checked);
    tr.setAttribute("aria-selected", String(check.checked));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const check = /** @type {Element} */ (event.target).closest(".check");
    const tr = check?.closest("tr");
    if (!check || !tr || tr.dataset.op) return;
    const id = tr.dataset.row ?? "";
    if (event.shiftKey && this.last) this.checkRange(this.last, id, check.checked);
    else this.set(tr, check.checked);
    this.last = id;
    this.refresh();
  }

  /** @param {HTMLTableRowElement} tr */
  toggle(tr) {
    if (tr.dataset.op || !tr.querySelector(".check")) return;
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
    const rows = [...this.grid.rowsBody.rows];
    const places = [from, to].map((id) => rows.findIndex((tr) => tr.dataset.row === id)).sort((a, b) => a - b);
    if (places[0] < 0) return;
    for (const tr of rows.slice(places[0], places[1] + 1)) if (!tr.dataset.op) this.set(tr, on);
  }

  /** @param {boolean} on  all rows that are on the page */
  checkAll(on) {
    if (this.grid.review) return;
    for (const tr of this.grid.rowsBody.rows) this.set(tr, on);
    this.refresh();
  }

  clear() {
    this.ids.clear();
    for (const tr of this.grid.rowsBody.rows) if (tr.dataset.row) this.dress(tr);
    this.refresh();
  }

  /** Brings the bar and the head's check box up to date; rows that are gone are no longer checked. */
  refresh() {
    for (const id of this.ids) if (!this.grid.store.get(id)) this.ids.delete(id);
    const count = this.ids.size;
    this.bar.hidden = count === 0 || this.grid.review !== null;
    this.bar.querySelector("[data-selected-count]").textContent = `${counted(count, "row")} selected`;
    if (!this.grid.review) {
      this.all.checked = count > 0 && count === this.grid.store.rows.length;
      this.all.indeterminate = count > 0 && !this.all.checked;
    }
    this.grid.dispatchEvent(new CustomEvent("grid-selected", { bubbles: true, detail: { ids: this.numbers } }));
  }

  /** @returns {number[]} */
  get numbers() {
    return [...this.ids].map(Number);
  }

  deleteSelected() {
    const ids = this.numbers;
    if (!ids.length) return;
    this.grid.writer.deleteRows(ids);
  }
}
