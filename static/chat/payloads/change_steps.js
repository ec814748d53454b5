// Previous and next change: the counter in the bar, and J and K.

import { el, icon } from "../../element.js";

export class ChangeSteps {
  /** @param {TableGrid} grid @param {{byIndex: Map<number, HTMLTableRowElement>}} rows */
  constructor(grid, rows) {
    this.grid = grid;
    this.rows = rows;
    this.place = -1;
    this.total = 0;
    this.words = el("span");
    const button = (label, symbol, step) =>
      el("button", { type: "button", "aria-label": label, title: label, on: { click: () => this.go(step) } }, icon(symbol, "icon--14"));
    this.element = el(
      "span",
      { class: "stepper only-wide", role: "group", "aria-label": "Go to change" },
      button("Previous change", "chevron-up", -1),
      this.words,
      button("Next change", "chevron-down", 1),
    );
    this.keys = (event) => this.keyPressed(event);
    document.addEventListener("keydown", this.keys, { capture: true });
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    const step = { j: 1, k: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.("input:not([type=checkbox]), textarea, select, dialog")) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(step);
  }

  /** @returns {HTMLTableRowElement[]} the changed rows on the page, from top to bottom */
  get changedRows() {
    return [...this.grid.table.querySelectorAll("tbody:not([hidden]) > tr[data-index]")];
  }

  /** @param {number} step @param {{fromStart?: boolean}} [how] */
  go(step, { fromStart = false } = {}) {
    const rows = this.changedRows;
    if (!rows.length) return;
    this.place = fromStart ? 0 : (this.place + step + rows.length) % rows.length;
    this.show(rows[this.place]);
  }

  /** @param {{index: number} | undefined} operation */
  goTo(operation) {
    const tr = operation && this.rows.byIndex.get(operation.index);
    if (!tr) return;
    this.place = this.changedRows.indexOf(tr);
    this.show(tr);
  }

  /** @param {HTMLTableRowElement} tr */
  show(tr) {
    const first = [...tr.cells].findIndex((cell) => cell.matches(".is-changed, .is-conflict"));
    this.grid.cursor.put(tr, Math.max(0, first - 1));
    tr.scrollIntoView({ block: "center", behavior: "instant" });
    this.grid.table.focus({ preventScroll: true });
    this.draw(this.total);
  }

  /** @param {number} total */
  draw(total) {
    this.total = total;
    this.words.textContent = this.place < 0 ? `${total} in all` : `${this.place + 1} of ${total}`;
  }

  end() {
    document.removeEventListener("keydown", this.keys, { capture: true });
  }
}
