// Pastes tab-separated text into the grid: valid cells are written as one change, invalid ones are marked with an error.

import { api } from "../api.js";
import { load, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { addRows } from "./added_rows.js";
import { separatorsOf } from "./column_types/decimal_text.js";
import { DEFAULT_TYPE, columnType } from "./column_types/registry.js";
import { plainText } from "./column_types/text.js";
import { findCells, isWritable, writableColumns } from "./cell_commands.js";
import { fillLeftOut } from "./refused_rows.js";
import { MAX_BULK_ROWS, columnsIn, rowsIn } from "./grid_geometry.js";
import { expectedValues, writeRows } from "./range_writes.js";
import { fromTsv } from "./tsv.js";
import { refusesEdit, sameValue } from "./values.js";

/**
 * @param {TableGrid} grid @param {string} text
 * @param {import("./cell_commands.js").CapturedCells} held  in stored rows; filled if their size is a multiple of the text's, else
 *   only the corner is used
 */
export function pasteInto(grid, text, held) {
  const rect = findCells(grid, held);
  if (!rect) return;
  const cells = repeatToFill(cellsIn(grid, text), rect);
  const tr = grid.window.rowAt(rect.top);
  const owner = tr ? grid.ownerOf(tr) : grid.writer;
  if (tr && isOne(cells) && rowsIn(rect) * columnsIn(rect) === 1) pasteValue(grid, tr, grid.columns[rect.left], cells[0][0]);
  else if (owner === grid.writer && grid.mayEdit) void pasteRange(grid, cells, rect);
  else if (grid.mayEdit) toast(t("You can only paste several cells into saved rows."));
}

/**
 * @param {TableGrid} grid
 * @param {string} text @param {{tr: HTMLTableRowElement, column: Column | undefined}} cell  in an unsaved or blank row
 */
export function pasteBeside(grid, text, { tr, column }) {
  const cells = cellsIn(grid, text);
  if (!column) return;
  if (isOne(cells)) pasteValue(grid, tr, column, cells[0][0]);
  else if (grid.mayEdit && grid.drafts.blankRows.includes(tr)) pasteRows(grid, cells, grid.columns.indexOf(column));
  else if (grid.mayEdit) toast(t("You can only paste several cells into saved rows."));
}

/** Starts the text of a cell with files that were copied in the grid; their JSON follows. Other texts cannot have it. */
const FILES = "\0";

/** @param {TableGrid} grid @param {string} text @returns {string[][]} its cells, with the files if it was copied in the grid */
function cellsIn({ clipboard: { copied } }, text) {
  const cells = fromTsv(text);
  // Clipboards of some systems have other line ends.
  if (copied?.text !== text.replaceAll("\r\n", "\n")) return cells;
  const isFiles = (/** @type {any} */ value) => Boolean(value?.[0]?.id);
  return cells.map((line, row) => line.map((cell, at) => (isFiles(copied.values[row]?.[at]) ? FILES + JSON.stringify(copied.values[row][at]) : cell)));
}

/** @param {string} cell @returns {any[] | null} its files */
const filesOf = (cell) => (cell.startsWith(FILES) ? JSON.parse(cell.slice(FILES.length)) : null);

/** @param {Column} column @param {string} cell @returns {boolean} only copied files can be pasted as files */
const isPastable = (column, cell) => isWritable(column) && (!columnType(column).hasFiles || filesOf(cell) !== null);

/** @param {string[][]} cells @param {Column[]} columns  of the cells @returns {boolean} whether there is text for a column of files, after a message */
function refusesText(cells, columns) {
  const at = columns.findIndex((column, index) => columnType(column).hasFiles && cells.some((line) => isText(line[index])));
  const text = cells.map((line) => line[at]).find(isText);
  if (text !== undefined) void load(() => import("./file_uploads.js")).then(({ refuseText }) => refuseText(columns[at], text), () => {});
  return text !== undefined;
}

/** @param {string | undefined} cell */
const isText = (cell = "") => cell.trim() !== "" && !filesOf(cell);

/** @param {string[][]} cells */
const isOne = (cells) => cells.length === 1 && cells[0].length === 1;

/** @param {TableGrid} grid @param {HTMLTableRowElement} tr @param {Column} column @param {string} text */
function pasteValue(grid, tr, column, text) {
  if (refusesText([[text]], [column])) return;
  const owner = grid.ownerOf(tr);
  const value = pastedValue(column, text, decimalsOf([[text]], [column]).get(column));
  if (owner.editable(tr, column) && !refusesEdit(column) && !sameValue(owner.value(tr, column), value)) owner.write(tr, column, value);
}

/** Paste into a table without rows. @param {TableGrid} grid @param {string} text */
export function pasteFirst(grid, text) {
  const { columns, mayEdit, review, store, rowRange } = grid;
  if (!mayEdit || review || grid.isNarrowed || store.count || rowRange.filled || !columns.length) return;
  const cells = cellsIn(grid, text);
  writableColumns(columns.slice(0, widthOf(cells)));
  refusesText(cells, columns);
  addLines(grid, cells, columns, { numbers: numbersOf(cells) });
}

/**
 * Paste into blank rows, which become rows of the table in one change.
 * @param {TableGrid} grid @param {string[][]} cells @param {number} left
 */
function pasteRows(grid, cells, left) {
  const { store, ranges } = grid;
  const targets = grid.columns.slice(left);
  const width = widthOf(cells);
  const lines = linesIn(cells, targets);
  const numbers = numbersOf(cells);
  writableColumns(targets.slice(0, width));
  refusesText(cells, targets);
  const key = grid.cursor.rowKey;
  const selectionBefore = selectionOf(grid);
  const found = (/** @type {number[]} */ ids, /** @type {number | null} */ change, /** @type {number[]} */ notAdded) => {
    const below = ids.flatMap((id) => store.get(id) ?? []);
    const { added, leftOut } = splitAdded(lines, notAdded);
    offerToExtend(grid, { cells: added, leftOut, below, targets, width, numbers, change, isKnown: below.length === added.length });
    // The new rows may have replaced the blank row.
    const isLeft = grid.drafts.drafts.has(key) ? selectionOf(grid) !== selectionBefore : Boolean(grid.cursor.rect || ranges.rect);
    if (isLeft || grid.editor.isOpen) return true;
    const top = store.indexOf(ids[0]);
    const tr = top < 0 || grid.columns[left]?.id !== targets[0].id ? undefined : grid.window.reveal(top);
    if (!tr) return false;
    grid.cursor.put(tr, left);
    ranges.select({ top, left, bottom: top + ids.length - 1, right: left + Math.min(width, targets.length) - 1 });
    return true;
  };
  addLines(grid, lines, targets, { numbers, found });
}

/** @param {TableGrid} grid @returns {string} identifies the user's selection, also after rows were read */
function selectionOf({ cursor, ranges: { range } }) {
  return [cursor.rowKey, cursor.col, range?.from.key, range?.from.col, range?.to.key, range?.to.col].join(" ");
}

/** @param {string[][]} cells @returns {number} cells of the longest line */
const widthOf = (cells) => Math.max(...cells.map((line) => line.length));

/** @param {string[][]} cells @param {Column[]} targets @returns {string[][]} the lines with text for these columns */
function linesIn(cells, targets) {
  return cells.filter((line) => targets.slice(0, line.length).some((column, at) => line[at].trim() && isPastable(column, line[at])));
}

/** @param {string[][]} lines @param {number[]} notAdded  indexes of lines that did not become rows */
function splitAdded(lines, notAdded) {
  return { added: lines.filter((_, at) => !notAdded.includes(at)), leftOut: notAdded.map((at) => lines[at]) };
}

/** @param {string[][]} cells  all pasted lines @returns {Map<string[], number>} line numbers from 1 */
function numbersOf(cells) {
  return new Map(cells.map((line, at) => [line, at + 1]));
}

/**
 * @param {string[][]} cells @param {Column[]} columns @param {string[][]} [all]  all pasted lines, if `cells` are only some of them
 * @returns {Record<string, any>[]} values of the cells that are not empty, for each line
 */
function newRowValues(cells, columns, all = cells) {
  const separators = decimalsOf(all, columns);
  return cells.map((line) => {
    const pasted = columns.slice(0, line.length).map((column, at) => ({ column, cell: line[at] })).filter(({ column, cell }) => isPastable(column, cell));
    const found = pasted.map(({ column, cell }) => [column.id, pastedValue(column, cell, separators.get(column))]);
    return Object.fromEntries(found.filter(([, value]) => value !== null));
  });
}

/**
 * @param {TableGrid} grid @param {string[][]} cells  of new rows @param {Column[]} columns  columns of the cells
 * @param {{numbers: Map<string[], number>, all?: string[][], found?: (ids: number[], change: number | null, notAdded: number[]) => boolean}} how
 *   all: as for `newRowValues`; found: as for `addRows`
 */
function addLines(grid, cells, columns, { numbers, all, found }) {
  const rows = newRowValues(cells, columns, all);
  const isFilled = (/** @type {Record<string, any>} */ row) => Object.keys(row).length > 0;
  const filled = rows.filter(isFilled);
  const numbersOfFilled = cells.filter((_, at) => isFilled(rows[at])).map((line) => numbers.get(line) ?? 0);
  if (filled.length > MAX_BULK_ROWS) {
    grid.clipboard.showTooManyRows("pasted", filled.length);
  } else if (filled.length) {
    void addRows(grid, filled, { message: (count) => tn("Added {count} row", "Added {count} rows", count), skipInvalid: true, numbers: numbersOfFilled, found, lead: true });
  }
}

/**
 * Lines in blank rows below become rows in the same change.
 * @param {TableGrid} grid @param {string[][]} cells @param {{top: number, left: number}} corner
 */
async function pasteRange(grid, cells, { top, left }) {
  const { columns, store, ranges } = grid;
  const width = widthOf(cells);
  if (grid.reading.counting) await grid.reading.counting;
  const saved = Math.min(cells.length, store.length - top);
  if (saved < 1) return;
  const targets = columns.slice(left);
  const blank = grid.drafts.blankRows.length > 0;
  const lines = [...cells.slice(0, saved), ...(blank ? linesIn(cells.slice(saved), targets) : cells.slice(saved))];
  if (blank && lines.length > MAX_BULK_ROWS) return grid.clipboard.showTooManyRows("pasted", lines.length);
  const rect = { top, left, bottom: top + saved - 1, right: Math.min(left + width, columns.length) - 1 };
  const below = await grid.clipboard.rowsOf(rect, "pasted");
  if (!below) return;
  const isSame = () => !grid.review && columns.every(({ id }, at) => grid.columns[at]?.id === id);
  const select = () => void (isSame() && ranges.select(rect));
  const numbers = numbersOf(cells);
  const pasted = { cells: lines, targets, width, numbers };
  writableColumns(targets.slice(0, width));
  refusesText(cells, targets);
  if (blank && lines.length > saved) {
    let selectionBefore = "";
    const more = lines.slice(saved);
    const found = (/** @type {number[]} */ ids, /** @type {number | null} */ change, /** @type {number[]} */ notAdded) => {
      const added = ids.flatMap((id) => store.get(id) ?? []);
      const rect = ranges.rect ?? grid.cursor.rect;
      // The user has moved the selection or is typing.
      if (rect && isSame() && selectionOf(grid) === selectionBefore && !grid.editor.isOpen) ranges.select({ ...rect, bottom: rect.bottom + added.length });
      const { added: linesAdded, leftOut } = splitAdded(more, notAdded);
      offerToExtend(grid, { ...pasted, cells: [...lines.slice(0, saved), ...linesAdded], leftOut, change, below: [...below, ...added], isKnown: added.length === linesAdded.length });
    };
    writeCells(grid, below, { cells: lines, targets, added: newRowValues(more, targets, lines), numbers: more.map((line) => numbers.get(line) ?? 0), found });
    select();
    selectionBefore = selectionOf(grid);
  } else {
    /** @type {HTMLElement | undefined} */
    let note;
    const found = (/** @type {number[]} */ _ids, /** @type {number | null} */ change) => {
      if (note && change) note.dataset.undoes = String(change);
    };
    writeCells(grid, below, { cells: lines, targets, found });
    select();
    note = offerToExtend(grid, { ...pasted, below });
  }
}

/**
 * @param {TableGrid} grid @param {any[]} rows
 * @param {{cells: string[][], targets: (Column & {proposed?: boolean})[], added?: Record<string, any>[], numbers?: number[],
 *   found?: (ids: number[], change: number | null, notAdded: number[]) => void}} pasted
 *   cells: one line per row; added, numbers, found: as for `writeRows`
 */
function writeCells(grid, rows, { cells, targets, ...how }) {
  const separators = decimalsOf(cells, targets);
  const written = rows.flatMap((row, at) => {
    const columns = targets.slice(0, cells[at].length).filter((column, index) => isPastable(column, cells[at][index]));
    const data = Object.fromEntries(columns.map((column) => [column.id, pastedValue(column, cells[at][targets.indexOf(column)], separators.get(column))]));
    return columns.length ? [{ id: row.id, data, expected: expectedValues(grid, row, columns) }] : [];
  });
  if (written.length) writeRows(grid.writer, written, t("Nothing was pasted."), { skipInvalid: true, ...how });
}

/**
 * Offer to add rows and columns for text beyond the end of the table.
 * @param {TableGrid} grid
 * @param {{cells: string[][], below: any[], targets: (Column & {proposed?: boolean})[], width: number, numbers: Map<string[],
 *   number>, leftOut?: string[][], change?: number | null, isKnown?: boolean}} pasted
 *   below: rows of the first lines; width: of the longest line; leftOut: lines of unsaved rows; change: of the paste, if known:
 *   its undo removes the offer; isKnown: false if all lines have rows which are not all loaded
 * @returns {HTMLElement | undefined} the toast with the offer
 */
function offerToExtend(grid, { cells, below, targets, width, numbers, leftOut = [], change = null, isKnown = true }) {
  const over = isKnown ? cells.slice(below.length) : [];
  const more = Math.max(0, width - targets.length);
  if (!over.length && !more) return;
  const rowsText = tn("{count} row", "{count} rows", over.length);
  const columnsText = tn("{count} column", "{count} columns", more);
  const what = over.length && more ? t("{rows} and {columns}", { rows: rowsText, columns: columnsText }) : over.length ? rowsText : columnsText;
  const add = async () => {
    const remaining = more ? await remainingRows(grid, below, { cells: cells.map((line) => line.slice(targets.length)), change: Number(note.dataset.undoes ?? 0) }) : null;
    if (more && !remaining) return;
    const added = remaining ? await addColumns(grid, more, remaining) : [];
    if (!added) return;
    if (change && more) fillLeftOut(grid, change, newRowValues(leftOut.map((line) => line.slice(targets.length)), added));
    if (over.length) addLines(grid, over, [...targets, ...added], { numbers, all: cells });
  };
  const offers = isKnown && grid.columns.every((column) => !column.proposed);
  const text = t("{what} did not fit.", { what });
  const action = { label: t("Add {what}", { what }), run: add, ...(change ? { change } : {}) };
  const note = toast(text, offers ? { action, stays: true } : {});
  return note;
}

/**
 * @param {TableGrid} grid @param {any[]} rows  of the paste @param {{cells: string[][], change: number}} pasted
 *   cells: text that did not fit, one line per row; change: of the paste, 0 if unknown
 * @returns {Promise<{rows: any[], cells: string[][]} | null>} rows that still exist with their cells; null after a message
 */
async function remainingRows(grid, rows, { cells, change }) {
  try {
    const [found, paste] = await Promise.all([
      grid.reading.readRows(rows.map(({ id }) => id)),
      change ? api.get(`/api/tables/${grid.tableId}/changes/${change}/`) : null,
    ]);
    const ids = new Set(found.map(({ id }) => id));
    const remaining = rows.map((row, at) => ({ row, line: cells[at] })).filter(({ row }) => ids.has(row.id));
    if (remaining.length && !paste?.undone_by) return { rows: remaining.map(({ row }) => row), cells: remaining.map(({ line }) => line) };
    toast(remaining.length ? t("No column was added, because the paste was undone.") : t("No column was added, because the rows were deleted."));
  } catch (error) {
    toast(t("No column was added. {reason}", { reason: error.message }), { kind: "error" });
  }
  return null;
}

/**
 * Add text columns with their cells at the end, as one change.
 * @param {TableGrid} grid @param {number} count @param {{rows: any[], cells: string[][]}} filled  cells: of the new columns, one line per row
 * @returns {Promise<Column[] | null>} the columns; null if refused
 */
async function addColumns(grid, count, { rows, cells }) {
  const usedNames = new Set(grid.allColumns.map((column) => column.name));
  const before = new Set(grid.allColumns.map((column) => column.id));
  /** @type {string[]} */
  const names = [];
  for (let number = before.size + 1; names.length < count; number += 1) {
    const name = t("Column {number}", { number });
    if (!usedNames.has(name)) names.push(name);
  }
  const written = newRowValues(cells, names.map((id) => /** @type {Column} */ ({ id, name: id, type: DEFAULT_TYPE })))
    .map((data, at) => ({ id: rows[at].id, data })).filter(({ data }) => Object.keys(data).length);
  const address = `/api/tables/${grid.tableId}`;
  let added = false;
  await grid.writer.enqueue(async () => {
    try {
      const { change } = written.length
        ? await api.patch(`${address}/rows/?keys=id`, { new_columns: names, rows: written })
        : await api.post(`${address}/proposals/schema/`, { mode: "update", operations: names.map((name) => ({ action: "add", column: { name, type: DEFAULT_TYPE } })) });
      added = true;
      grid.writer.undoRedo.record("made", change);
    } catch (error) {
      toast(t("No column was added. {reason}", { reason: error.errors?.[0]?.detail ?? error.message }), { kind: "error" });
      throw error;
    }
  });
  if (!added) return null;
  await grid.reload();
  await grid.reading.settled();
  return grid.columns.filter((column) => !before.has(column.id));
}

/** @param {string[][]} cells @param {Column[]} columns @returns {Map<Column, string>} detected decimal separators */
function decimalsOf(cells, columns) {
  const texts = (/** @type {number} */ at) => cells.flatMap((line) => (line[at] ?? "").trim() || []);
  return separatorsOf(new Map(columns.flatMap((column, at) => (columnType(column).hasDecimals ? [[column, texts(at)]] : []))));
}

/** @param {Column} column @param {string} text @param {string} [separator]  decimal separator, if detected */
function pastedValue(column, text, separator) {
  const kind = columnType(column);
  const files = filesOf(text);
  if (files && kind.hasFiles) return files;
  const names = files ? plainText(files) : text;
  const cleaned = kind.keepsSpace ? names : names.trim();
  return cleaned === "" ? null : kind.pasted(cleaned, undefined, separator, column);
}

/**
 * @param {string[][]} cells  pasted text @param {Rect} rect  selected cells
 * @returns {string[][]} repeated to fill the selection if its size is a multiple, else unchanged
 */
export function repeatToFill(cells, rect) {
  const width = widthOf(cells);
  const [down, across] = [rowsIn(rect) / cells.length, columnsIn(rect) / width];
  if (!Number.isInteger(down) || !Number.isInteger(across) || cells.some((line) => line.length !== width)) return cells;
  return Array.from({ length: rowsIn(rect) }, (_, row) => Array.from({ length: columnsIn(rect) }, (_each, col) => cells[row % cells.length][col % width]));
}
