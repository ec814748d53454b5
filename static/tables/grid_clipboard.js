// Copy, cut and paste as tab-separated text between the grid and other programs; emptying cells.

import { t, tn } from "../locale.js";
import { toast } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { MOST_TOGETHER, columnsIn, rowsIn, spread } from "./range_figures.js";
import { copiedText, fromTsv, isEmpty, sameValue, toTsv } from "./values.js";

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
    document.addEventListener("paste", (event) => document.activeElement === document.body && this.pasteFirst(event));
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
      toast(TOO_MANY[done]({ count: rowsIn(rect), most: MOST_TOGETHER }));
      return null;
    }
    return this.grid.ranges.figures.known(rect) ?? this.grid.selection.read({ first: rect.top, last: rect.bottom + 1 });
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
    const { cursor, ranges, writer, mayEdit } = this.grid;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const here = cursor.here;
    if (!text || !here?.column || !here.tr.dataset.row) return this.pasteFirst(event);
    event.preventDefault();
    const { rect } = ranges;
    const cells = rect ? spread(fromTsv(text), rect) : fromTsv(text);
    const owner = this.grid.ownerOf(here.tr);
    if (!rect && cells.length === 1 && cells[0].length === 1) {
      const value = pastedValue(here.column, cells[0][0]);
      if (owner.editable(here.tr, here.column) && !sameValue(owner.value(here.tr, here.column), value)) owner.write(here.tr, here.column, value);
    } else if (owner === writer && mayEdit) {
      this.pasteRange(cells, rect ?? { top: this.grid.store.indexOf(here.tr.dataset.row), left: cursor.col });
    } else if (mayEdit) {
      toast(t("Several cells can be pasted into saved rows only."));
    }
  }

  /** Into a table without rows they become its first ones. @param {ClipboardEvent} event */
  pasteFirst(event) {
    const { columns, mayEdit, review, store, places } = this.grid;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text || !mayEdit || review || this.grid.isNarrowed || store.count || places.total || !columns.length) return;
    event.preventDefault();
    this.addRows(fromTsv(text), 0);
  }

  /** @param {string[][]} cells  of rows that are new @param {number} left  the column that the first of each goes to */
  addRows(cells, left) {
    const rows = cells.map((line) => {
      const found = this.grid.columns.slice(left, left + line.length).map((column, at) => [column.id, pastedValue(column, line[at])]);
      return Object.fromEntries(found.filter(([, value]) => value !== null));
    });
    const filled = rows.filter((row) => Object.keys(row).length);
    if (filled.length > MOST_TOGETHER) return void toast(TOO_MANY.pasted({ count: filled.length, most: MOST_TOGETHER }));
    if (filled.length) this.grid.writer.addRows(filled, (count) => tn("Added {count} row", "Added {count} rows", count));
  }

  /** For whoever has no keys. @param {Rect} rect */
  async copyRect(rect) {
    const cells = rowsIn(rect) * columnsIn(rect);
    const columns = this.grid.columns.slice(rect.left, rect.right + 1);
    await this.copyLater(Promise.resolve(this.rowsOf(rect, "copied")), columns, tn("Copied {count} cell", "Copied {count} cells", cells));
  }

  /** @param {string} text @param {Rect} rect  of saved rows: filled where the text fits in whole times, else only its corner counts */
  pasteInto(text, rect) {
    if (text && this.grid.mayEdit) this.pasteRange(spread(fromTsv(text), rect), rect);
  }

  /** @param {string[][]} cells @param {{top: number, left: number}} corner */
  async pasteRange(cells, { top, left }) {
    const { columns, store, ranges, writer } = this.grid;
    const width = Math.max(...cells.map((line) => line.length));
    const rect = { top, left, bottom: Math.min(top + cells.length, store.length) - 1, right: Math.min(left + width, columns.length) - 1 };
    if (rect.bottom < top) return;
    const targets = columns.slice(left);
    const below = await this.rowsOf(rect, "pasted");
    if (!below) return;
    const rows = below.flatMap((row, place) => {
      const written = targets.slice(0, cells[place].length).filter((column) => !column.proposed);
      const data = Object.fromEntries(written.map((column) => [column.id, pastedValue(column, cells[place][targets.indexOf(column)])]));
      return written.length ? [{ id: row.id, data, expected: this.expected(row, written) }] : [];
    });
    if (rows.length) writer.writeRows(rows, t("Nothing was pasted."));
    if (this.grid.columns === columns && !this.grid.review) ranges.select(rect);
    const over = cells.slice(below.length);
    const leftOut = leftOutText(over.length, left + width - columns.length);
    if (!leftOut) return;
    const add = () => this.addRows(over, left);
    const offers = over.length > 0 && !columns.some((column) => column.proposed);
    toast(leftOut, offers ? { action: { label: tn("Add {count} row", "Add {count} rows", over.length), run: add }, stays: true } : {});
  }
}

/** @param {number} rows @param {number} columns  that were pasted beyond the last @returns {string} "" where all had their place */
function leftOutText(rows, columns) {
  const lines = tn("{count} row", "{count} rows", rows);
  if (rows > 0 && columns > 0) {
    return t("{rows} and {columns} found no place: the table ends here.", { rows: lines, columns: tn("{count} column", "{count} columns", columns) });
  }
  if (rows > 0) return tn("{count} row found no place: the table ends here.", "{count} rows found no place: the table ends here.", rows);
  return columns > 0 ? tn("{count} column found no place: the table ends here.", "{count} columns found no place: the table ends here.", columns) : "";
}

/** @param {Column} column @param {string} text */
function pastedValue(column, text) {
  const kind = columnType(column);
  const kept = kind.keepsSpace ? text : text.trim();
  return kept === "" ? null : kind.pasted(kept);
}
