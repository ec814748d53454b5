// Copy, cut and paste between the grid and anything that speaks tab-separated text.

import { toast } from "../toast.js";
import { columnType } from "./column_types/index.js";
import { fromTsv, toTsv } from "./tsv.js";
import { counted, editText, sameValue } from "./values.js";

export class GridClipboard {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    const when = (act) => (event) => {
      if (document.activeElement === grid.table && !grid.editor.isOpen) act(event);
    };
    document.addEventListener("copy", when((event) => this.copy(event)));
    document.addEventListener("cut", when((event) => this.cut(event)));
    document.addEventListener("paste", when((event) => this.paste(event)));
  }

  /** The checked rows, or the cell under the cursor. @param {ClipboardEvent} event @returns {boolean} */
  copy(event) {
    const { cursor, selection } = this.grid;
    const here = cursor.here;
    const rows = selection.ids.size ? selection.rows() : [];
    if (rows instanceof Promise) {
      event.preventDefault();
      this.copyLater(rows);
      return false;
    }
    if (!rows.length && !here?.column) return false;
    const text = rows.length ? this.textOf(rows) : toTsv([[editText(here.column, this.grid.ownerOf(here.tr).value(here.tr, here.column))]]);
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    return !rows.length;
  }

  /** @param {any[]} rows */
  textOf(rows) {
    return toTsv(rows.map((row) => this.grid.columns.map((column) => editText(column, row.data[column.id]))));
  }

  /** @param {Promise<any[]>} reading  checked rows that have to be read again first */
  async copyLater(reading) {
    try {
      const rows = await reading;
      await navigator.clipboard.writeText(this.textOf(rows));
      toast(`Copied ${counted(rows.length, "row")}`);
    } catch (error) {
      toast(`Nothing was copied. ${error.message}`, { kind: "error" });
    }
  }

  /** @param {ClipboardEvent} event  checked rows are only copied: deleting them has a button of its own */
  cut(event) {
    if (this.copy(event)) this.grid.cursor.clear();
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const here = this.grid.cursor.here;
    if (!text || !here?.column || !here.tr.dataset.row) return;
    event.preventDefault();
    const cells = fromTsv(text);
    const owner = this.grid.ownerOf(here.tr);
    if (cells.length === 1 && cells[0].length === 1) {
      const value = pastedValue(here.column, cells[0][0]);
      if (owner.editable(here.tr, here.column) && !sameValue(owner.value(here.tr, here.column), value)) owner.write(here.tr, here.column, value);
    } else if (owner === this.grid.writer && this.grid.mayEdit) {
      this.pasteRange(cells, here.tr);
    } else if (this.grid.mayEdit) {
      toast("Several cells can be pasted into saved rows only.");
    }
  }

  /** @param {string[][]} cells @param {HTMLTableRowElement} first */
  async pasteRange(cells, first) {
    const { columns, cursor, store, selection } = this.grid;
    const from = store.indexOf(first.dataset.row ?? "");
    const span = { first: from, last: Math.min(from + cells.length, store.length) };
    const targets = columns.slice(cursor.col);
    const known = Array.from({ length: span.last - from }, (_, step) => store.at(from + step));
    const below = known.every(Boolean) ? known : await selection.read(span);
    if (!below) return;
    const rows = below.map((row, place) => {
      const written = targets.slice(0, cells[place].length).filter((column) => !column.proposed);
      const data = Object.fromEntries(written.map((column, at) => [column.id, pastedValue(column, cells[place][at])]));
      return { id: row.id, data, expected: Object.fromEntries(written.map((column) => [column.id, row.data[column.id] ?? null])) };
    });
    this.grid.writer.writeRows(rows);
    const left = cells.length - rows.length;
    if (left > 0) toast(`${counted(left, "row")} found no place: the table ends here.`);
  }
}

/** @param {Column} column @param {string} text */
function pastedValue(column, text) {
  const kind = columnType(column);
  const kept = kind.keepsSpace ? text : text.trim();
  return kept === "" ? null : kind.pasted(kept);
}
