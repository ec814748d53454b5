// The way to a row's details: a button on the row under the pointer or the cursor, one for the checked row, Shift+Enter.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { toast } from "../toast.js";

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
    this.ofChecked = el("button", { type: "button", hidden: true, text: t("Details"), on: { click: () => this.open([...grid.selection.ids][0] ?? "") } });
    grid.selection.bar.querySelector("[data-delete-selected]").before(this.ofChecked);
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
      const { RowSheet } = await import("./row_sheet.js");
      // Another row was asked for meanwhile, or a proposal has come.
      if (mine !== this.asked || this.grid.review) return;
      this.sheet ??= new RowSheet(this.grid, () => (this.sheet = null));
      this.sheet.show(id);
    } catch {
      toast(t("The details could not be opened. Try again in a moment."), { kind: "error" });
    }
  }
}
