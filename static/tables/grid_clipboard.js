// Copies, cuts and empties cells as tab-separated text; what pastes it is loaded when it is first needed.

import { t } from "../locale.js";
import { late, load, toast } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { MOST_TOGETHER, holdCells, rowsIn } from "./range_figures.js";
import { copiedText, toTsv } from "./values.js";

/** What changes several cells is loaded when it is first needed. */
const commands = () => late(t("The command could not be loaded."), () => load(() => import("./cell_commands.js")));

export class GridClipboard {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {typeof import("./pasting.js") | undefined} */
    this.pasting = undefined;
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
    if (rows instanceof Promise) return commands().then(({ copyLater }) => copyLater(this, rows, columns));
    event.clipboardData?.setData("text/plain", this.textOf(rows, columns));
    return true;
  }

  /** @param {any[]} rows @param {Column[]} columns */
  textOf(rows, columns) {
    return toTsv(rows.map((row) => columns.map((column) => copiedText(column, this.shown(row, column)))));
  }

  /** @param {any} row @param {Column} column @returns {any} its value as it is seen: what is not saved yet counts */
  shown(row, column) {
    const written = this.grid.writer.written(String(row.id), column.id);
    return (written ? written.value : row.data[column.id]) ?? null;
  }

  /**
   * @param {Rect} rect @param {"copied" | "deleted" | "duplicated" | "emptied" | "filled" | "moved" | "pasted"} done  what becomes of them
   * @returns {any[] | Promise<any[] | null> | null} null, with a message: they are too many
   */
  rowsOf(rect, done) {
    if (rowsIn(rect) > MOST_TOGETHER) {
      this.refuseTooMany(done, rowsIn(rect));
      return null;
    }
    return this.grid.ranges.figures.known(rect) ?? this.grid.selection.read({ first: rect.top, last: rect.bottom + 1 });
  }

  /** @param {"copied" | "deleted" | "duplicated" | "emptied" | "filled" | "pasted"} done @param {number} count  of rows */
  refuseTooMany(done, count) {
    void commands().then(({ tellTooMany }) => tellTooMany(done, count));
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
    const held = holdCells(this.grid, rect);
    const copied = this.copyRange(event, rect);
    if (mayEdit && (await copied)) this.empty(held);
  }

  /** Empties cells, as one change. @param {any} held */
  async empty(held) {
    const { emptyCells, findCells } = await commands();
    const rect = findCells(this.grid, held);
    if (rect) emptyCells(this, rect);
  }

  /** Fills cells from the row above, as one change. @param {Rect | null} rect  null: the cursor's cell of a new row */
  async fillDown(rect) {
    const held = rect && holdCells(this.grid, rect);
    const { fillDown, fillFromAbove, findCells } = await commands();
    if (!held) return fillFromAbove(this.grid);
    const now = findCells(this.grid, held);
    if (now) fillDown(this, now);
  }

  /** @param {any} row @param {Column[]} columns  what the person saw there */
  expected(row, columns) {
    const { complaints } = this.grid.writer;
    const seen = (id) => {
      const edit = complaints.get(`${row.id} ${id}`)?.edit;
      return (edit ? edit.seen : row.data[id]) ?? null;
    };
    return Object.fromEntries(columns.map(({ id }) => [id, seen(id)]));
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text || !this.grid.mayEdit) return;
    event.preventDefault();
    this.pasteText(text);
  }

  /** @param {string} text  into the selected cells, or from the cursor on */
  pasteText(text) {
    const { cursor, ranges } = this.grid;
    const rect = ranges.rect ?? cursor.rect;
    if (rect) return this.pasteInto(text, rect);
    const { here } = cursor;
    const id = here?.tr.dataset.row;
    this.whenLoaded((pasting) => {
      if (!here?.column || !id) pasting.pasteFirst(this.grid, text);
      else if (here.tr.isConnected && here.tr.dataset.row === id) pasting.pasteBeside(this.grid, text, here);
    });
  }

  /** @param {string} text @param {Rect} rect  of saved rows */
  pasteInto(text, rect) {
    const held = holdCells(this.grid, rect);
    this.whenLoaded(({ pasteInto }) => pasteInto(this.grid, text, held));
  }

  /** Runs at once where what pastes and what reads the columns is loaded; else once it is. @param {(pasting: typeof import("./pasting.js")) => void} run */
  whenLoaded(run) {
    const { grid } = this;
    const reading = grid.columns.map((column) => columnType(column).prepare()).filter(Boolean);
    if (this.pasting && !reading.length) return run(this.pasting);
    const { status } = grid.writer;
    status.begin();
    Promise.all([load(() => import("./pasting.js")), ...reading]).then(([pasting]) => {
      this.pasting = pasting;
      run(pasting);
      status.end(true);
    }).catch((error) => {
      status.end(false);
      toast(t("Nothing was pasted. {reason}", { reason: error.message }), { kind: "error" });
    });
  }
}
