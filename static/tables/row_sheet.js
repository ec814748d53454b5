// The details of a row in a side sheet: view and edit all fields, go to the previous or next row.

import { el, icon, replaceInside, toast } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { drawValue, rowLabel } from "./values.js";
import { drawField, drawLaterField } from "./row_field.js";
import { editOptions, editedValue } from "./grid_editor.js";
import { deleteRows } from "./row_commands.js";
import { countValue } from "./view_state.js";

export class RowSheet {
  /** @param {TableGrid} grid @param {() => void} closed */
  constructor(grid, closed) {
    this.grid = grid;
    this.closed = closed;
    /** The id of the column whose field is focused. */
    this.focused = "";
    this.id = "";
    /** Its index, -1 while unknown. */
    this.index = -1;
    /** The loaded row. @type {Row | null} */
    this.row = null;
    /** @type {{column: Column, draw: (value: any) => void, commit: () => void, dirty: () => boolean}[]} */
    this.fields = [];
    this.shown = 0;
    this.build();
    this.controller = new AbortController();
    const { signal } = this.controller;
    for (const type of ["grid-redrawn", "grid-written", "grid-role"]) grid.addEventListener(type, () => this.refresh(), { signal });
    addEventListener("beforeunload", (event) => this.fields.some((field) => field.dirty()) && event.preventDefault(), { signal });
  }

  build() {
    const step = (/** @type {string} */ label, /** @type {string} */ name, /** @type {number} */ by) =>
      el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": label, title: label, on: { click: () => this.step(by) } }, icon(name));
    this.before = step(t("Previous row"), "chevron-up", -1);
    this.after = step(t("Next row"), "chevron-down", 1);
    this.history = el("a", { class: "btn btn--ghost btn--icon btn--sm", "aria-label": t("History of this row"), title: t("History of this row") }, icon("history"));
    const close = el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": t("Close details"), on: { click: () => this.close() } }, icon("x"));
    this.title = el("h2", { id: "row-sheet-title", tabindex: "-1" });
    this.positionNode = el("span", { class: "rsheet__number", role: "status" });
    this.body = el("div", { class: "rsheet__body" });
    this.foot = el("div", { class: "rsheet__foot", hidden: !this.grid.mayEdit }, this.drawButton(t("Duplicate"), "copy", () => this.duplicate()), this.drawButton(t("Delete"), "trash-2", () => this.remove()));
    this.dialog = el("dialog", { class: "rsheet", "aria-labelledby": "row-sheet-title" }, el("div", { class: "rsheet__head" }, this.title, this.positionNode, this.history, this.before, this.after, close), this.body, this.foot);
    this.dialog.addEventListener("keydown", (event) => this.keyPressed(event));
    document.body.append(this.dialog);
  }

  /** @param {string} label @param {string} name @param {() => void} run */
  drawButton(label, name, run) {
    return el("button", { class: "btn btn--sm", type: "button", on: { click: run } }, icon(name, "icon--14"), label);
  }

  /** @param {string} id  of a row @param {string} [columnId]  of a field to focus, if it is loaded later */
  show(id, columnId = "") {
    this.commit();
    this.focused = columnId;
    const row = this.grid.store.get(id);
    if (!row) return void this.fetch(id);
    this.setRow(row, this.grid.store.indexOf(id));
    if (!this.dialog.open) this.dialog.show();
    this.title.focus({ preventScroll: true });
  }

  /** @param {string} id */
  async fetch(id) {
    const number = ++this.shown;
    const [row] = await this.grid.reading.readRows([Number(id)]).catch(() => []);
    if (number !== this.shown) return;
    if (!row) {
      toast(t("This row could not be loaded."), { kind: "error" });
      if (!this.dialog.open) this.close();
      return;
    }
    this.setRow(row, -1);
    if (!this.dialog.open) this.dialog.show();
    this.title.focus({ preventScroll: true });
  }

  /** @param {Row} row @param {number} index */
  setRow(row, index) {
    this.shown += 1;
    this.id = String(row.id);
    this.row = { ...row };
    this.index = index;
    this.drawnSignature = this.signature;
    this.fields = this.grid.allColumns.map((column) => this.field(column));
    replaceInside(this.body, ...this.fields.map((field) => field.node));
    this.describe();
    this.announce();
  }

  /** Let others add to the fields. */
  announce() {
    this.grid.dispatchEvent(new CustomEvent("row-sheet-drawn", { detail: { sheet: this } }));
  }

  /** @returns {string} a key of the fields: the columns, and whether they can be edited */
  get signature() {
    return JSON.stringify([this.grid.mayEdit, this.grid.allColumns]);
  }

  /** @param {Column} column */
  field(column) {
    const { id } = this;
    if (columnType(column).hasFiles) return drawLaterField(column, this.value(column), { grid: this.grid, rowId: id, isFocused: column.id === this.focused });
    // A field that is removed while focused fires another change, which must not be written.
    if (this.grid.mayEdit) {
      const write = (/** @type {import("./grid_editor.js").CellEdit} */ edit) => id === this.id && this.write(column, edit);
      return drawField(column, this.value(column), write, () => void editOptions(this.grid, column.id, this.dialog));
    }
    const value = el("dd", {}, drawValue(column, this.value(column)));
    const node = el("dl", { class: "field" }, el("dt", { text: column.name }), value);
    return { column, node, draw: (now) => value.replaceChildren(drawValue(column, now)), commit: () => {}, dirty: () => false };
  }

  /** @param {Column} column @returns {any} including unsaved edits */
  value(column) {
    const unsaved = this.grid.writer.unsavedValue(this.id, column.id);
    return (unsaved ? unsaved.value : this.row?.data[column.id]) ?? null;
  }

  /** @param {Column} column @param {import("./grid_editor.js").CellEdit} edit */
  write(column, edit) {
    const { writer } = this.grid;
    const { id } = this;
    const seen = this.row?.data[column.id] ?? null;
    writer.whenReadable(column, () => writer.writeCell(id, column, { ...editedValue(column, edit), seen }));
  }

  describe() {
    const { store, mayEdit } = this.grid;
    this.title.textContent = rowLabel(this.grid.allColumns, this.row?.data ?? {}, t("Row"));
    const positionText = this.index < 0 ? "" : t("Row {number} of {total}", { number: this.index + 1, total: countValue(store, store.length) });
    if (this.positionNode.textContent !== positionText) this.positionNode.textContent = positionText;
    this.history.href = `/tables/${this.grid.tableId}/history/?row=${this.id}`;
    this.before.setAttribute("aria-disabled", String(this.index <= 0));
    this.after.setAttribute("aria-disabled", String(this.index < 0 || this.index >= store.length - 1));
    this.foot.hidden = !mayEdit;
  }

  /** Update fields that are not being edited after something was saved, refused or redrawn. */
  async refresh() {
    if (!this.id) return;
    if (this.grid.review) return this.close();
    this.foot.hidden = !this.grid.mayEdit;
    const { store } = this.grid;
    const number = this.shown;
    let row = store.get(this.id);
    if (!row) {
      const found = await this.grid.reading.readRows([Number(this.id)]).catch(() => null);
      if (number !== this.shown || !this.dialog.isConnected || !found) return;
      if (!found.length) return this.onDeleted();
      row = found[0];
    }
    this.row = { ...row };
    this.index = store.indexOf(this.id);
    if (this.drawnSignature !== this.signature) {
      if (!this.fields.some((field) => field.dirty())) this.setRow(row, this.index);
      return;
    }
    for (const field of this.fields) if (!field.dirty()) field.draw(this.value(field.column));
    this.describe();
    this.announce();
  }

  onDeleted() {
    toast(t("The row you were viewing was deleted."));
    // Do not write to a deleted row.
    this.fields = [];
    this.close();
  }

  /** @param {number} by */
  async step(by) {
    const { grid } = this;
    this.focused = "";
    const to = this.index + by;
    if (this.index < 0 || to < 0 || to >= grid.store.length) return;
    this.commit();
    const number = ++this.shown;
    const tr = grid.window.reveal(to);
    const loaded = grid.store.at(to);
    const rows = loaded ? [loaded] : await grid.reading.readRun({ first: to, last: to + 1 }).then((run) => run.rows, () => []);
    if (number !== this.shown || !this.dialog.isConnected) return;
    if (!rows.length) return void toast(t("This row could not be loaded."), { kind: "error" });
    this.setRow(rows[0], to);
    if (tr?.isConnected && grid.window.indexOf(tr) === to) grid.cursor.put(tr, Math.max(0, grid.cursor.col), { scroll: false });
  }

  commit() {
    for (const field of this.fields) field.commit();
  }

  async duplicate() {
    this.commit();
    const { writer } = this.grid;
    const copiedFrom = [Number(this.id)];
    const name = this.title.textContent;
    const data = Object.fromEntries(this.grid.allColumns.filter((column) => !columnType(column).isComputed).map((column) => [column.id, this.value(column)]).filter(([, value]) => value !== null));
    await writer.enqueue(async () => {
      try {
        const { change } = await writer.addRow(data, undefined, { copiedFrom });
        toast(t("Duplicated {row}", { row: name }), { action: writer.undoRedo.undoAction(change) });
        await this.grid.reload();
      } catch (error) {
        toast(t("The row was not duplicated. {reason}", { reason: error.errors?.[0]?.detail ?? error.message }), { kind: "error" });
        throw error;
      }
    });
  }

  remove() {
    const id = Number(this.id);
    this.close();
    void deleteRows(this.grid, [id]);
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    event.stopPropagation();
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    event.preventDefault();
    this.close();
  }

  /** Typed text is saved; the focus returns to the grid. */
  close() {
    this.commit();
    this.shown += 1;
    this.id = "";
    this.controller.abort();
    const hadFocus = this.dialog.contains(document.activeElement);
    this.dialog.remove();
    this.closed();
    if (hadFocus) this.grid.table.focus({ preventScroll: true });
  }
}
