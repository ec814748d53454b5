// Copies, cuts and empties cells as tab-separated text; what pastes it is loaded when it is first needed.

import { t, tn } from "../locale.js";
import { load, toast } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { MOST_TOGETHER, columnsIn, rowsIn } from "./range_figures.js";
import { copiedText, isEmpty, toTsv } from "./values.js";

const TOO_MANY = {
  copied: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be copied together. Select fewer, search or filter first.", all),
  emptied: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be emptied together. Select fewer, search or filter first.", all),
  filled: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be filled together. Select fewer, search or filter first.", all),
  pasted: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be pasted together. Select fewer, search or filter first.", all),
};

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
    // In a table without rows there is no cell to go to first.
    document.addEventListener("paste", (event) => document.activeElement === document.body && this.paste(event));
  }

  /** The selected cells, the checked rows, or the cell under the cursor. @param {ClipboardEvent} event */
  copy(event) {
    const { cursor, selection, ranges } = this.grid;
    const here = cursor.here;
    if (ranges.rect) return this.copyRange(event, ranges.rect);
    if (selection.ids.size) return this.copyRows(event, selection.rows(), this.grid.columns);
    if (!here?.column) return;
    event.clipboardData?.setData("text/plain", toTsv([[copiedText(here.column, this.grid.ownerOf(here.tr).value(here.tr, here.column))]]));
    event.preventDefault();
  }

  /** @param {ClipboardEvent} event @param {Rect} rect @returns {boolean | Promise<boolean>} whether it was copied */
  copyRange(event, rect) {
    const columns = this.grid.columns.slice(rect.left, rect.right + 1);
    const rows = this.rowsOf(rect, "copied");
    if (rows) return this.copyRows(event, rows, columns);
    event.preventDefault();
    return false;
  }

  /** @param {ClipboardEvent} event @param {any[] | Promise<any[] | null>} rows @param {Column[]} columns */
  copyRows(event, rows, columns) {
    event.preventDefault();
    if (rows instanceof Promise) return this.copyLater(rows, columns);
    event.clipboardData?.setData("text/plain", this.textOf(rows, columns));
    return true;
  }

  /** @param {any[]} rows @param {Column[]} columns */
  textOf(rows, columns) {
    return toTsv(rows.map((row) => columns.map((column) => copiedText(column, this.shown(row, column)))));
  }

  /** @param {any} row @param {Column} column @returns {any} its value as it is seen: what is still being saved counts */
  shown(row, column) {
    const pending = this.grid.writer.pending.at(String(row.id), column.id);
    return (pending ? pending.value : row.data[column.id]) ?? null;
  }

  /**
   * Without an event that could be filled. @param {Promise<any[] | null>} reading  rows that have to be read first
   * @param {Column[]} columns @param {string} [told]  what is said once it is done @returns {Promise<boolean>}
   */
  async copyLater(reading, columns, told) {
    try {
      const rows = await reading;
      if (!rows) return false; // told already
      if (!navigator.clipboard) throw new Error(t("Browsers keep the clipboard from pages without https."));
      await navigator.clipboard.writeText(this.textOf(rows, columns));
      toast(told ?? tn("Copied {count} row", "Copied {count} rows", rows.length));
      return true;
    } catch (error) {
      toast(t("Nothing was copied. {reason}", { reason: error.message }), { kind: "error" });
      return false;
    }
  }

  /** @param {Rect} rect @param {keyof typeof TOO_MANY} done  what becomes of them @returns {any[] | Promise<any[] | null> | null} null: they are too many, which is told */
  rowsOf(rect, done) {
    if (rowsIn(rect) > MOST_TOGETHER) {
      this.refuseTooMany(done, rowsIn(rect));
      return null;
    }
    return this.grid.ranges.figures.known(rect) ?? this.grid.selection.read({ first: rect.top, last: rect.bottom + 1 });
  }

  /** @param {keyof typeof TOO_MANY} done @param {number} count  of rows */
  refuseTooMany(done, count) {
    toast(TOO_MANY[done]({ count, most: MOST_TOGETHER }));
  }

  /** @param {ClipboardEvent} event  checked rows are only copied: deleting them has a button of its own */
  async cut(event) {
    const { cursor, ranges, selection, mayEdit } = this.grid;
    const { rect } = ranges;
    if (!rect) {
      this.copy(event);
      if (!selection.ids.size) cursor.clear();
      return;
    }
    const copied = this.copyRange(event, rect);
    if (mayEdit && (await copied)) this.empty(rect);
  }

  /** Empties cells, as one change. @param {Rect} rect */
  async empty(rect) {
    const { columns, writer, mayEdit } = this.grid;
    if (!mayEdit) return;
    const written = columns.slice(rect.left, rect.right + 1).filter((column) => !column.proposed);
    const found = await this.rowsOf(rect, "emptied");
    const rows = (found ?? []).flatMap((row) => {
      const filled = written.filter((column) => !isEmpty(this.shown(row, column)));
      const data = Object.fromEntries(filled.map((column) => [column.id, null]));
      return filled.length ? [{ id: row.id, data, expected: this.expected(row, filled) }] : [];
    });
    if (rows.length) writer.writeRows(rows, t("Nothing was emptied."));
  }

  /** @param {any} row @param {Column[]} columns  what the person saw there */
  expected(row, columns) {
    return Object.fromEntries(columns.map((column) => [column.id, row.data[column.id] ?? null]));
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text || !this.grid.mayEdit) return;
    event.preventDefault();
    const { cursor, ranges } = this.grid;
    const { here } = cursor;
    const target = here?.column && here.tr.dataset.row ? { tr: here.tr, column: here.column, col: cursor.col } : null;
    const { rect } = ranges;
    this.pasteLater(({ paste }) => paste(this.grid, text, { target, rect }));
  }

  /** @param {string} text @param {Rect} rect  of saved rows */
  pasteInto(text, rect) {
    this.pasteLater(({ pasteInto }) => pasteInto(this.grid, text, rect));
  }

  /** Loads what pastes, and what reads the values of these columns. @param {(pasting: typeof import("./pasting.js")) => void} run */
  pasteLater(run) {
    const { columns, writer } = this.grid;
    const loading = Promise.all([load(() => import("./pasting.js")), ...columns.map((column) => columnType(column).prepare())]);
    void writer.inTurn(async () => {
      try {
        run((await loading)[0]);
      } catch (error) {
        toast(t("Nothing was pasted. {reason}", { reason: error.message }), { kind: "error" });
        throw error;
      }
    });
  }

  /** For whoever has no keys. @param {Rect} rect */
  async copyRect(rect) {
    const cells = rowsIn(rect) * columnsIn(rect);
    const columns = this.grid.columns.slice(rect.left, rect.right + 1);
    await this.copyLater(Promise.resolve(this.rowsOf(rect, "copied")), columns, tn("Copied {count} cell", "Copied {count} cells", cells));
  }
}
