// New rows that are not saved yet: a row is written once its required cells are filled and something stands in it.

import { toast } from "../toast.js";
import { drawRow, redrawCell } from "./cells.js";
import { isEmpty, sameValue } from "./values.js";


export class GridDrafts {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.next = 1;
    /** @type {Map<string, {data: Record<string, any>, sending: boolean}>} */
    this.drafts = new Map();
    this.button = grid.querySelector("[data-add-row]");
    this.button.disabled = !grid.mayEdit || grid.columns.length === 0;
    this.button.addEventListener("click", () => this.start());
  }

  /** Opens an empty row, with the defaults of its columns, and starts in its first cell. */
  start() {
    if (this.grid.columns.length === 0) return;
    const key = `new-${this.next++}`;
    this.grid.look.reveal((column) => column.required && isEmpty(column.default), "A new row needs it.");
    const defaults = this.grid.allColumns.filter((column) => !isEmpty(column.default)).map((column) => [column.id, column.default]);
    this.drafts.set(key, { data: Object.fromEntries(defaults), sending: false });
    const body = this.grid.draftsBody;
    const tr = this.draw(key);
    body.hidden = false;
    body.append(tr);
    this.markWanted(tr);
    this.grid.querySelector("[data-blank]").hidden = true;
    this.grid.cursor.put(tr, 0);
    this.grid.table.focus({ preventScroll: true });
    this.grid.cursor.edit();
  }

  /** @param {string} key @returns {HTMLTableRowElement} */
  draw(key) {
    const tr = drawRow(this.grid.columns, { id: key, data: this.drafts.get(key)?.data ?? {} }, { number: "+", label: "new row" });
    tr.classList.add("is-draft");
    tr.querySelector(".check")?.remove();
    this.grid.owners.set(tr, this);
    return tr;
  }

  /** The columns may be others now. */
  redraw() {
    for (const tr of [...this.grid.draftsBody.rows]) {
      if (!this.drafts.has(tr.dataset.row ?? "")) continue;
      if (this.grid.editor.isIn(tr)) {
        this.grid.editor.whenClosed("drafts", () => this.redraw());
        continue;
      }
      const fresh = this.draw(tr.dataset.row ?? "");
      tr.replaceWith(fresh);
      this.markWanted(fresh);
    }
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column */
  value(tr, column) {
    return this.drafts.get(tr.dataset.row ?? "")?.data[column.id] ?? null;
  }

  /** @param {HTMLTableRowElement} tr */
  editable(tr) {
    return this.drafts.has(tr.dataset.row ?? "");
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {any} value */
  write(tr, column, value) {
    const draft = this.drafts.get(tr.dataset.row ?? "");
    if (!draft) return;
    draft.data[column.id] = value;
    const cell = tr.querySelector(`td[data-col="${column.id}"]`);
    if (cell) redrawCell(cell, column, value);
    this.markWanted(tr);
    if (!draft.sending && this.isComplete(draft.data)) this.send(tr, draft);
  }

  /** @param {Record<string, any>} data */
  isComplete(data) {
    const columns = this.grid.allColumns;
    const filled = columns.some((column) => !isEmpty(data[column.id]));
    return filled && columns.every((column) => !column.required || !isEmpty(data[column.id]));
  }

  /** @param {HTMLTableRowElement} tr  shows which cells are still wanted */
  markWanted(tr) {
    for (const column of this.grid.columns) {
      const wanted = column.required && isEmpty(this.value(tr, column));
      tr.querySelector(`td[data-col="${column.id}"]`)?.classList.toggle("is-wanted", Boolean(wanted));
    }
  }

  /** @param {HTMLTableRowElement} tr @param {{data: Record<string, any>, sending: boolean}} draft */
  send(tr, draft) {
    draft.sending = true;
    const sent = { ...draft.data };
    const filled = Object.entries(sent).filter(([, value]) => !isEmpty(value));
    this.grid.writer.inTurn(async () => {
      try {
        const row = await this.grid.writer.addRow(Object.fromEntries(filled));
        // It may have been drawn anew meanwhile.
        this.becomeRow(this.grid.rowElement(tr.dataset.row ?? "") ?? tr, row, sent);
      } catch (error) {
        draft.sending = false;
        toast(`The row was not saved. ${error.errors?.[0]?.detail ?? error.message}`, { kind: "error" });
        throw error;
      }
    });
  }

  /**
   * The draft is a row of the table from now on. It stays where it is until rows are read again, so that nobody who
   * is already typing in its next cell is disturbed.
   * @param {HTMLTableRowElement} tr @param {any} row @param {Record<string, any>} sent
   */
  becomeRow(tr, row, sent) {
    const { grid } = this;
    const key = tr.dataset.row ?? "";
    const later = this.drafts.get(key)?.data ?? {};
    this.drafts.delete(key);
    grid.owners.delete(tr);
    if (grid.cursor.rowKey === key) grid.cursor.rowKey = String(row.id);
    tr.dataset.row = String(row.id);
    tr.classList.remove("is-draft");
    grid.store.know({ id: row.id, version: row.version, data: row.data });
    tr.querySelector(".gutter__n").textContent = String(grid.store.count);
    for (const column of grid.columns) {
      if (!sameValue(later[column.id], sent[column.id])) grid.writer.write(tr, column, later[column.id] ?? null);
      else grid.writer.show(String(row.id), column, row.data[column.id], "");
    }
    grid.showCounts();
  }

  /** Rows were drawn anew: what was saved meanwhile stands among them now. */
  clearSaved() {
    for (const tr of [...this.grid.draftsBody.rows]) if (!this.drafts.has(tr.dataset.row ?? "")) tr.remove();
    this.grid.draftsBody.hidden = this.grid.draftsBody.rows.length === 0;
  }
}
