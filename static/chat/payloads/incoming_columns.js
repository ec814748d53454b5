// A preview of column changes while they are streamed: a line each, and new columns in the header of the grid.

import { el, icon } from "../../element.js";
import { t, tn } from "../../locale.js";
import { DEFAULT_TYPE } from "../../tables/column_types/registry.js";
import { drawIncomingLine } from "./column_lines.js";

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
    this.progress = el("div", { class: "review__row review__row--progress" });
    this.lines = el("div", { class: "ops" });
    const words = el("div", { class: "review__text" }, el("h2", { text: t("Receiving column changes") }), el("p", { text: t("You can apply them once all have arrived.") }));
    const top = el("div", { class: "review__top" }, el("span", { class: "review__mark" }, icon("columns-3")), words);
    this.element = el("section", { class: "review", "aria-label": t("Incoming column changes"), "aria-busy": "true" }, top, this.progress, this.lines);
    slot.replaceChildren(this.element);
    this.saved = grid ? [...grid.allColumns] : [];
    grid?.beginReview(this);
    this.draw();
  }

  /** @param {{operations: any[], reset?: boolean}} event  operations as written by the assistant */
  update({ operations, reset }) {
    if (reset) this.operations = [];
    for (const operation of operations ?? []) {
      if (TONES[operation.action] && (operation.column?.name || operation.column_id)) this.operations.push(this.resolve(operation));
    }
    this.draw();
  }

  /** Resolve an operation as far as the grid knows its column. @param {any} operation */
  resolve(operation) {
    const { action, column_id, changes, after_column_id } = operation;
    // It may lack properties that every column has.
    const options = Array.isArray(operation.column?.options) ? operation.column.options.map(String) : [];
    const column = operation.column && { type: DEFAULT_TYPE, ...operation.column, name: String(operation.column.name), options };
    const found = this.find(column_id);
    const old = found ?? (action === "add" ? undefined : { name: column_id });
    const id = action === "add" ? `arriving-${this.operations.length}` : found?.id ?? column_id;
    return { action, column, old, new: changes, column_id: id, after: after_column_id, notes: [], state: "ok" };
  }

  /** @param {any} idOrName  of a column */
  find(idOrName) {
    if (typeof idOrName !== "string") return undefined;
    const name = idOrName.normalize("NFKC").toLowerCase().trim();
    return this.saved.find((column) => column.id === idOrName) ?? this.saved.find((column) => column.name.normalize("NFKC").toLowerCase() === name);
  }

  draw() {
    const words = this.operations.length ? tn("{count} change so far", "{count} changes so far", this.operations.length) : t("Preparing columns");
    this.progress.replaceChildren(icon("loader-circle", "spin"), el("span", { class: "nowrap", role: "status", text: words }));
    const columns = this.arrange(this.saved);
    this.lines.replaceChildren(...this.operations.map((operation) => drawIncomingLine(operation, columns)));
    if (!this.grid) return;
    this.grid.columns = columns;
    this.grid.redraw();
    this.markGrid();
  }

  /** Called by the grid: its columns, with new and moved ones in their positions. */
  arrange(columns) {
    this.saved = columns;
    const arranged = [...columns];
    for (const operation of this.operations) {
      const at = arranged.findIndex((column) => column.id === operation.column_id);
      if (operation.action === "add") this.insert(arranged, { ...operation.column, id: operation.column_id, proposed: true }, operation);
      else if (operation.action === "reorder" && at >= 0) this.insert(arranged, arranged.splice(at, 1)[0], operation);
    }
    return arranged;
  }

  /** @param {any[]} arranged @param {any} column @param {any} operation */
  insert(arranged, column, { action, after }) {
    const known = this.find(after)?.id ?? this.operations.find((one) => one.action === "add" && one.column.name === after)?.column_id;
    const before = arranged.findIndex((one) => one.id === known);
    const fallback = action === "add" ? arranged.length : 0;
    arranged.splice(before < 0 ? fallback : before + 1, 0, column);
  }

  /** Called when the grid has drawn its rows. */
  rowsDrawn() {
    this.markGrid();
  }

  /** Called when the grid has scrolled to other rows. */
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
