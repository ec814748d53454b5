// Column changes of an open table while they arrive: a line each in the strip, new columns in the grid's head. A preview only.

import { el, icon } from "../../element.js";
import { t, tn } from "../../locale.js";
import { drawArrivingLine } from "./column_lines.js";

const TONES = { add: "add", modify: "update", reorder: "update", remove: "delete" };

export class IncomingColumns {
  /** @param {HTMLElement} slot @param {TableGrid | null} grid */
  constructor(slot, grid) {
    grid?.review?.end();
    this.slot = slot;
    this.grid = grid;
    /** @type {any[]} */
    this.operations = [];
    this.closed = false;
    this.tally = el("div", { class: "review__row review__row--progress" });
    this.lines = el("div", { class: "ops" });
    const words = el("div", { class: "review__txt" }, el("h2", { text: t("Receiving column changes") }), el("p", { text: t("You can apply them once all have arrived.") }));
    const top = el("div", { class: "review__top" }, el("span", { class: "review__mark" }, icon("columns-3")), words);
    this.element = el("section", { class: "review", "aria-label": t("Column changes that are arriving"), "aria-busy": "true" }, top, this.tally, this.lines);
    slot.replaceChildren(this.element);
    this.saved = grid ? [...grid.allColumns] : [];
    grid?.beginReview(this);
    this.draw();
  }

  /** @param {{operations: any[], reset?: boolean}} event  operations as the assistant wrote them */
  take({ operations, reset }) {
    if (reset) this.operations = [];
    for (const operation of operations ?? []) {
      if (TONES[operation.action] && (operation.column?.name || operation.column_id)) this.operations.push(this.understood(operation));
    }
    this.draw();
  }

  /** The operation as it will be once resolved, as far as the grid knows its column. @param {any} operation */
  understood(operation) {
    const { action, column_id, changes, after_column_id } = operation;
    // As it was written it may lack what every column of a table has.
    const options = Array.isArray(operation.column?.options) ? operation.column.options.map(String) : [];
    const column = operation.column && { type: "text", ...operation.column, name: String(operation.column.name), options };
    const found = this.find(column_id);
    const old = found ?? (action === "add" ? undefined : { name: column_id });
    const id = action === "add" ? `arriving-${this.operations.length}` : found?.id ?? column_id;
    return { action, column, old, new: changes, column_id: id, after: after_column_id, notes: [], state: "ok" };
  }

  /** @param {any} said  the id of a column, or its name */
  find(said) {
    if (typeof said !== "string") return undefined;
    const name = said.normalize("NFKC").toLowerCase().trim();
    return this.saved.find((column) => column.id === said) ?? this.saved.find((column) => column.name.normalize("NFKC").toLowerCase() === name);
  }

  draw() {
    const words = this.operations.length ? tn("{count} change so far", "{count} changes so far", this.operations.length) : t("Drawing up the columns");
    this.tally.replaceChildren(icon("loader-circle", "spin"), el("span", { class: "nowrap", role: "status", text: words }));
    const columns = this.arrange(this.saved);
    this.lines.replaceChildren(...this.operations.map((operation) => drawArrivingLine(operation, columns)));
    if (!this.grid) return;
    this.grid.columns = columns;
    this.grid.redraw();
    this.markGrid();
  }

  /** The grid asks which columns to draw: those of the table, with the new and the moved ones in their places. */
  arrange(columns) {
    this.saved = columns;
    const arranged = [...columns];
    for (const operation of this.operations) {
      const at = arranged.findIndex((column) => column.id === operation.column_id);
      if (operation.action === "add") this.place(arranged, { ...operation.column, id: operation.column_id, proposed: true }, operation);
      else if (operation.action === "reorder" && at >= 0) this.place(arranged, arranged.splice(at, 1)[0], operation);
    }
    return arranged;
  }

  /** @param {any[]} arranged @param {any} column @param {any} operation */
  place(arranged, column, { action, after }) {
    const known = this.find(after)?.id ?? this.operations.find((one) => one.action === "add" && one.column.name === after)?.column_id;
    const before = arranged.findIndex((one) => one.id === known);
    const otherwise = action === "add" ? arranged.length : 0;
    arranged.splice(before < 0 ? otherwise : before + 1, 0, column);
  }

  /** The grid has drawn its rows. */
  rowsDrawn() {
    this.markGrid();
  }

  /** Other rows came into sight. */
  windowDrawn() {
    this.markGrid();
  }

  markGrid() {
    for (const operation of this.operations) {
      const cells = this.grid?.table.querySelectorAll(`[data-col="${CSS.escape(operation.column_id)}"]:is(th, td)`) ?? [];
      for (const cell of cells) cell.dataset.op = TONES[operation.action];
    }
  }

  end() {
    if (this.closed) return;
    this.closed = true;
    if (this.slot.contains(this.element)) this.slot.replaceChildren();
    if (!this.grid) return;
    this.grid.columns = this.saved;
    this.grid.endReview(this);
  }
}
