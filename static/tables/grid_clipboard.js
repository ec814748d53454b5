// Copies, cuts and clears cells as tab-separated text. Pasting is loaded on demand.

import { t } from "../locale.js";
import { hasFiles, lazy, load, toast } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { MAX_BULK_ROWS, captureCells, loadedRows, rowsIn } from "./grid_geometry.js";
import { copiedText, toTsv } from "./values.js";

/** Commands on several cells, loaded on demand. */
const loadCommands = () => lazy(t("The command could not be loaded."), () => load(() => import("./cell_commands.js")));

export class GridClipboard {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {typeof import("./pasting.js") | undefined} */
    this.pasting = undefined;
    /** The text that was copied last, and its values: files are pasted as these. @type {{text: string, values: any[][]} | undefined} */
    this.copied = undefined;
    const ifFocused = (handler) => (event) => {
      if (document.activeElement === grid.table && !grid.editor.isOpen) handler(event);
    };
    document.addEventListener("copy", ifFocused((event) => this.copy(event)));
    document.addEventListener("cut", ifFocused((event) => this.cut(event)));
    document.addEventListener("paste", ifFocused((event) => this.paste(event)));
    grid.addEventListener("dragover", (event) => this.draggedOver(event));
    grid.addEventListener("drop", (event) => this.dropped(event));
    // A table without rows has no cell to focus.
    document.addEventListener("paste", (event) => document.activeElement === document.body && this.paste(event));
  }

  /** Copy the selected cells, the checked rows, or the cell of the cursor. @param {ClipboardEvent} event */
  copy(event) {
    const { cursor, selection, ranges } = this.grid;
    const current = cursor.current;
    if (ranges.rect) return this.copyRange(event, ranges.rect);
    if (selection.ids.size) return this.copyRows(event, selection.rows(), this.grid.columns);
    if (!current?.column) return;
    event.clipboardData?.setData("text/plain", this.textWith([[this.grid.ownerOf(current.tr).value(current.tr, current.column)]], [current.column]));
    event.preventDefault();
  }

  /** @param {ClipboardEvent} event @param {Rect} rect @returns {boolean | Promise<boolean>} whether it succeeded */
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
    if (rows instanceof Promise) return loadCommands().then(({ copyRead }) => copyRead(this, rows, columns));
    event.clipboardData?.setData("text/plain", this.textOf(rows, columns));
    return true;
  }

  /** @param {any[]} rows @param {Column[]} columns */
  textOf(rows, columns) {
    return this.textWith(rows.map((row) => columns.map((column) => this.shown(row, column))), columns);
  }

  /** @param {any[][]} values  of rows @param {Column[]} columns @returns {string} the text to copy, whose values are remembered */
  textWith(values, columns) {
    const text = toTsv(values.map((line) => line.map((value, at) => copiedText(columns[at], value))));
    this.copied = { text, values };
    return text;
  }

  /** @param {any} row @param {Column} column @returns {any} the displayed value, including unsaved edits */
  shown(row, column) {
    const written = this.grid.writer.unsavedValue(String(row.id), column.id);
    return (written ? written.value : row.data[column.id]) ?? null;
  }

  /**
   * @param {Rect} rect @param {"copied" | "deleted" | "duplicated" | "emptied" | "filled" | "moved" | "pasted"} done  the command
   * @returns {any[] | Promise<any[] | null> | null} null, after a message, if there are too many
   */
  rowsOf(rect, done) {
    if (rowsIn(rect) > MAX_BULK_ROWS) {
      this.showTooManyRows(done, rowsIn(rect));
      return null;
    }
    return loadedRows(this.grid, rect) ?? this.grid.selection.read({ first: rect.top, last: rect.bottom + 1 });
  }

  /** @param {"copied" | "deleted" | "duplicated" | "emptied" | "filled" | "pasted"} done @param {number} count  of rows */
  showTooManyRows(done, count) {
    void loadCommands().then(({ showTooManyRows }) => showTooManyRows(done, count));
  }

  /** @param {ClipboardEvent} event  checked rows are only copied; a separate button deletes them */
  async cut(event) {
    const { cursor, ranges, selection, mayEdit } = this.grid;
    const { rect } = ranges;
    if (!rect) {
      this.copy(event);
      if (!selection.ids.size) cursor.set(null);
      return;
    }
    const captured = captureCells(this.grid, rect);
    const copied = this.copyRange(event, rect);
    if (mayEdit && (await copied)) this.empty(captured);
  }

  /** Clear cells as one change. @param {any} captured */
  async empty(captured) {
    const { emptyCells, findCells } = await loadCommands();
    const rect = findCells(this.grid, captured);
    if (rect) emptyCells(this, rect);
  }

  /** Fill cells from the row above, as one change. @param {Rect | null} rect  null: the cursor's cell in an unsaved row */
  async fillDown(rect) {
    const captured = rect && captureCells(this.grid, rect);
    const { fillDown, fillFromAbove, findCells } = await loadCommands();
    if (!captured) return fillFromAbove(this.grid);
    const now = findCells(this.grid, captured);
    if (now) fillDown(this, now);
  }

  /** @param {DragEvent} event  files that are dropped elsewhere would replace the page */
  draggedOver(event) {
    if (!hasFiles(event.dataTransfer) || event.defaultPrevented) return;
    event.preventDefault();
    const { tr, column } = this.cellOf(event);
    if (!this.takesFiles(tr, column)) event.dataTransfer.dropEffect = "none";
  }

  /** @param {DragEvent} event */
  dropped(event) {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length || event.defaultPrevented) return;
    event.preventDefault();
    const { tr, column } = this.cellOf(event);
    if (this.takesFiles(tr, column)) this.attach(tr, column, files);
  }

  /** @param {Event} event @returns {{tr: HTMLTableRowElement | null, column: Column | undefined}} */
  cellOf(event) {
    const cell = /** @type {Element} */ (event.target).closest("td[data-col]");
    return { tr: cell?.closest("tr") ?? null, column: this.grid.columns.find(({ id }) => id === /** @type {any} */ (cell)?.dataset.col) };
  }

  /** @param {HTMLTableRowElement | null | undefined} tr @param {Column | undefined} column @returns {boolean} */
  takesFiles(tr, column) {
    const { grid } = this;
    return Boolean(tr?.dataset.row && column && columnType(column).hasFiles && grid.mayEdit && !grid.review);
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {File[]} files */
  attach(tr, column, files) {
    void lazy(t("The command could not be loaded."), () => load(() => import("./file_uploads.js"))).then(({ attachFiles }) => attachFiles(this.grid, tr, column, files));
  }

  /** @param {ClipboardEvent} event */
  paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    const { current } = this.grid.cursor;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!this.grid.mayEdit || !(text || files.length)) return;
    event.preventDefault();
    if (files.length && this.takesFiles(current?.tr, current?.column)) return this.attach(current.tr, current.column, files);
    // Spreadsheets add a picture to the text of copied cells.
    if (!text) return current?.column && !this.grid.review && this.attach(current.tr, current.column, files);
    this.pasteText(text);
  }

  /** @param {string} text  pasted into the selected cells, or from the cursor on */
  pasteText(text) {
    const { cursor, ranges } = this.grid;
    const rect = ranges.rect ?? cursor.rect;
    if (rect) return this.pasteInto(text, rect);
    const { current } = cursor;
    const id = current?.tr.dataset.row;
    this.whenLoaded((pasting) => {
      if (!current?.column || !id) pasting.pasteFirst(this.grid, text);
      else if (current.tr.isConnected && current.tr.dataset.row === id) pasting.pasteBeside(this.grid, text, current);
    });
  }

  /** @param {string} text @param {Rect} rect  in stored rows */
  pasteInto(text, rect) {
    const captured = captureCells(this.grid, rect);
    this.whenLoaded(({ pasteInto }) => pasteInto(this.grid, text, captured));
  }

  /**
   * Run immediately if pasting and the parsers of all columns are loaded, else when they are.
   * @param {(pasting: typeof import("./pasting.js")) => void} run
   */
  whenLoaded(run) {
    const { grid } = this;
    const reading = grid.columns.map((column) => columnType(column).prepare()).filter(Boolean);
    if (this.pasting && !reading.length) return run(this.pasting);
    const { status } = grid.writer;
    status.start();
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
