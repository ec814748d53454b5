// Pastes tab-separated text into the grid: cells whose values fit are written as one change, the others are marked with the reason.

import { api } from "../api.js";
import { toast } from "../element.js";
import { t, tn } from "../locale.js";
import { addRows } from "./added_rows.js";
import { separatorsOf } from "./column_types/decimal_text.js";
import { columnType } from "./column_types/registry.js";
import { findCells } from "./cell_commands.js";
import { fillLeftOut } from "./refused_rows.js";
import { MOST_TOGETHER, columnsIn, rowsIn } from "./range_figures.js";
import { writeRows } from "./range_writes.js";
import { fromTsv, sameValue } from "./values.js";

/**
 * @param {TableGrid} grid @param {string} text
 * @param {import("./cell_commands.js").HeldCells} held  of saved rows: filled where the text fits in whole times, else only their corner counts
 */
export function pasteInto(grid, text, held) {
  const rect = findCells(grid, held);
  if (!rect) return;
  const cells = spread(fromTsv(text), rect);
  const tr = grid.window.rowAt(rect.top);
  const owner = tr ? grid.ownerOf(tr) : grid.writer;
  if (tr && isOne(cells) && rowsIn(rect) * columnsIn(rect) === 1) pasteValue(grid, tr, grid.columns[rect.left], cells[0][0]);
  else if (owner === grid.writer && grid.mayEdit) void pasteRange(grid, cells, rect);
  else if (grid.mayEdit) toast(t("Several cells can be pasted into saved rows only."));
}

/** @param {TableGrid} grid @param {string} text @param {{tr: HTMLTableRowElement, column: Column | undefined}} cell  of a row that is none of the saved ones */
export function pasteBeside(grid, text, { tr, column }) {
  const cells = fromTsv(text);
  if (!column) return;
  if (isOne(cells)) pasteValue(grid, tr, column, cells[0][0]);
  else if (grid.mayEdit && grid.drafts.blankRows.includes(tr)) pasteRows(grid, cells, grid.columns.indexOf(column));
  else if (grid.mayEdit) toast(t("Several cells can be pasted into saved rows only."));
}

/** @param {string[][]} cells */
const isOne = (cells) => cells.length === 1 && cells[0].length === 1;

/** @param {TableGrid} grid @param {HTMLTableRowElement} tr @param {Column} column @param {string} text */
function pasteValue(grid, tr, column, text) {
  const owner = grid.ownerOf(tr);
  const value = pastedValue(column, text, decimalsOf([[text]], [column]).get(column));
  if (owner.editable(tr, column) && !sameValue(owner.value(tr, column), value)) owner.write(tr, column, value);
}

/** Into a table without rows they become its first ones. @param {TableGrid} grid @param {string} text */
export function pasteFirst(grid, text) {
  const { columns, mayEdit, review, store, places } = grid;
  if (!mayEdit || review || grid.isNarrowed || store.count || places.filled || !columns.length) return;
  const cells = fromTsv(text);
  addLines(grid, cells, columns, { numbers: numbersOf(cells) });
}

/** Into blank rows: they become rows of the table, as one change. @param {TableGrid} grid @param {string[][]} cells @param {number} left */
function pasteRows(grid, cells, left) {
  const { store, ranges } = grid;
  const targets = grid.columns.slice(left);
  const width = Math.max(...cells.map((line) => line.length));
  const lines = linesIn(cells, targets);
  const numbers = numbersOf(cells);
  const key = grid.cursor.rowKey;
  const mine = selectionOf(grid);
  const found = (/** @type {number[]} */ ids, /** @type {number | null} */ change, /** @type {number[]} */ notAdded) => {
    const below = ids.flatMap((id) => store.get(id) ?? []);
    const { added, leftOut } = parted(lines, notAdded);
    offerRoom(grid, { cells: added, leftOut, below, targets, width, numbers, change, isKnown: below.length === added.length });
    // The blank row that was pasted into may have made room for the new ones.
    const isLeft = grid.drafts.drafts.has(key) ? selectionOf(grid) !== mine : Boolean(grid.cursor.rect || ranges.rect);
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

/** @param {TableGrid} grid @returns {string} the same as long as the person selects nothing else, whatever is read anew */
function selectionOf({ cursor, ranges: { range } }) {
  return [cursor.rowKey, cursor.col, range?.from.key, range?.from.col, range?.to.key, range?.to.col].join(" ");
}

/** @param {string[][]} cells @param {Column[]} targets @returns {string[][]} the lines that are not empty in these columns */
function linesIn(cells, targets) {
  return cells.filter((line) => line.slice(0, targets.length).some((cell) => cell.trim()));
}

/** @param {string[][]} lines @param {number[]} notAdded  places of those that did not become rows */
function parted(lines, notAdded) {
  return { added: lines.filter((_, at) => !notAdded.includes(at)), leftOut: notAdded.map((at) => lines[at]) };
}

/** @param {string[][]} cells  all that was pasted @returns {Map<string[], number>} its lines, counted from 1 */
function numbersOf(cells) {
  return new Map(cells.map((line, at) => [line, at + 1]));
}

/**
 * @param {string[][]} cells @param {Column[]} columns @param {string[][]} [all]  all that was pasted, where these are only some of its lines
 * @returns {Record<string, any>[]} of each line the cells that are not empty
 */
function cellsOfNew(cells, columns, all = cells) {
  const separators = decimalsOf(all, columns);
  return cells.map((line) => {
    const found = columns.slice(0, line.length).map((column, at) => [column.id, pastedValue(column, line[at], separators.get(column))]);
    return Object.fromEntries(found.filter(([, value]) => value !== null));
  });
}

/**
 * @param {TableGrid} grid @param {string[][]} cells  of rows that are new @param {Column[]} columns  of their cells
 * @param {{numbers: Map<string[], number>, all?: string[][], found?: (ids: number[], change: number | null, notAdded: number[]) => boolean}} how
 *   all: as for `cellsOfNew`; found: as for `addRows`
 */
function addLines(grid, cells, columns, { numbers, all, found }) {
  const rows = cellsOfNew(cells, columns, all);
  const isFilled = (/** @type {Record<string, any>} */ row) => Object.keys(row).length > 0;
  const filled = rows.filter(isFilled);
  const numbersOfFilled = cells.filter((_, at) => isFilled(rows[at])).map((line) => numbers.get(line) ?? 0);
  if (filled.length > MOST_TOGETHER) {
    grid.clipboard.refuseTooMany("pasted", filled.length);
  } else if (filled.length) {
    void addRows(grid, filled, { told: (count) => tn("Added {count} row", "Added {count} rows", count), skipInvalid: true, numbers: numbersOfFilled, found, lead: true });
  }
}

/** What reaches into the blank rows below becomes rows, in the same change. @param {TableGrid} grid @param {string[][]} cells @param {{top: number, left: number}} corner */
async function pasteRange(grid, cells, { top, left }) {
  const { columns, store, ranges } = grid;
  const width = Math.max(...cells.map((line) => line.length));
  const saved = Math.min(cells.length, store.length - top);
  if (saved < 1) return;
  const targets = columns.slice(left);
  const blank = grid.drafts.blankRows.length > 0;
  const lines = [...cells.slice(0, saved), ...(blank ? linesIn(cells.slice(saved), targets) : cells.slice(saved))];
  if (blank && lines.length > MOST_TOGETHER) return grid.clipboard.refuseTooMany("pasted", lines.length);
  const rect = { top, left, bottom: top + saved - 1, right: Math.min(left + width, columns.length) - 1 };
  const below = await grid.clipboard.rowsOf(rect, "pasted");
  if (!below) return;
  const isSame = () => !grid.review && columns.every(({ id }, at) => grid.columns[at]?.id === id);
  const select = () => void (isSame() && ranges.select(rect));
  const numbers = numbersOf(cells);
  const pasted = { cells: lines, targets, width, numbers };
  if (blank && lines.length > saved) {
    let mine = "";
    const more = lines.slice(saved);
    const found = (/** @type {number[]} */ ids, /** @type {number | null} */ change, /** @type {number[]} */ notAdded) => {
      const added = ids.flatMap((id) => store.get(id) ?? []);
      const here = ranges.rect ?? grid.cursor.rect;
      // Elsewhere by now, or typing, the person goes on there.
      if (here && isSame() && selectionOf(grid) === mine && !grid.editor.isOpen) ranges.select({ ...here, bottom: here.bottom + added.length });
      const { added: linesAdded, leftOut } = parted(more, notAdded);
      offerRoom(grid, { ...pasted, cells: [...lines.slice(0, saved), ...linesAdded], leftOut, change, below: [...below, ...added], isKnown: added.length === linesAdded.length });
    };
    writeCells(grid, below, { cells: lines, targets, added: cellsOfNew(more, targets, lines), numbers: more.map((line) => numbers.get(line) ?? 0), found });
    select();
    mine = selectionOf(grid);
  } else {
    /** @type {HTMLElement | undefined} */
    let note;
    const found = (/** @type {number[]} */ _ids, /** @type {number | null} */ change) => {
      if (note && change) note.dataset.undoes = String(change);
    };
    writeCells(grid, below, { cells: lines, targets, found });
    select();
    note = offerRoom(grid, { ...pasted, below });
  }
}

/**
 * @param {TableGrid} grid @param {any[]} rows
 * @param {{cells: string[][], targets: (Column & {proposed?: boolean})[], added?: Record<string, any>[], numbers?: number[], found?: (ids: number[], change: number | null, notAdded: number[]) => void}} pasted
 *   cells: a line for each row; added, numbers, found: as for `writeRows`
 */
function writeCells(grid, rows, { cells, targets, ...how }) {
  const separators = decimalsOf(cells, targets);
  const written = rows.flatMap((row, at) => {
    const columns = targets.slice(0, cells[at].length).filter((column) => !column.proposed);
    const data = Object.fromEntries(columns.map((column) => [column.id, pastedValue(column, cells[at][targets.indexOf(column)], separators.get(column))]));
    return columns.length ? [{ id: row.id, data, expected: grid.clipboard.expected(row, columns) }] : [];
  });
  if (written.length) writeRows(grid.writer, written, t("Nothing was pasted."), { skipInvalid: true, ...how });
}

/**
 * Offers rows and columns for what was pasted beyond the end of the table.
 * @param {TableGrid} grid
 * @param {{cells: string[][], below: any[], targets: (Column & {proposed?: boolean})[], width: number, numbers: Map<string[], number>, leftOut?: string[][], change?: number | null, isKnown?: boolean}} pasted
 *   below: the rows that took the first lines; width: of the longest line; leftOut: lines that are
 *   unsaved new rows; change: of the paste, once it is known: the offer leaves
 *   when that is undone; isKnown: else all lines have rows, but not all of those are known
 * @returns {HTMLElement | undefined} the note with the offer
 */
function offerRoom(grid, { cells, below, targets, width, numbers, leftOut = [], change = null, isKnown = true }) {
  const over = isKnown ? cells.slice(below.length) : [];
  const more = Math.max(0, width - targets.length);
  if (!over.length && !more) return;
  const rowsText = tn("{count} row", "{count} rows", over.length);
  const columnsText = tn("{count} column", "{count} columns", more);
  const what = over.length && more ? t("{rows} and {columns}", { rows: rowsText, columns: columnsText }) : over.length ? rowsText : columnsText;
  const add = async () => {
    const rest = more ? await linesLeft(grid, below, { cells: cells.map((line) => line.slice(targets.length)), change: Number(note.dataset.undoes ?? 0) }) : null;
    if (more && !rest) return;
    const added = rest ? await addColumns(grid, more, rest) : [];
    if (!added) return;
    if (change && more) fillLeftOut(grid, change, cellsOfNew(leftOut.map((line) => line.slice(targets.length)), added));
    if (over.length) addLines(grid, over, [...targets, ...added], { numbers, all: cells });
  };
  const offers = isKnown && grid.columns.every((column) => !column.proposed);
  const text = t("{what} did not fit: the table ends here.", { what });
  const action = { label: t("Add {what}", { what }), run: add, ...(change ? { change } : {}) };
  const note = toast(text, offers ? { action, stays: true } : {});
  return note;
}

/**
 * @param {TableGrid} grid @param {any[]} rows  that were pasted into @param {{cells: string[][], change: number}} pasted  cells: what did not fit, a line
 *   for each row; change: of the paste; 0: not known
 * @returns {Promise<{rows: any[], cells: string[][]} | null>} the rows that are still there, and their cells; null after a message
 */
async function linesLeft(grid, rows, { cells, change }) {
  try {
    const [found, paste] = await Promise.all([
      grid.reading.readRows(rows.map(({ id }) => id)),
      change ? api.get(`/api/tables/${grid.tableId}/changes/${change}/`) : null,
    ]);
    const ids = new Set(found.map(({ id }) => id));
    const left = rows.map((row, at) => ({ row, line: cells[at] })).filter(({ row }) => ids.has(row.id));
    if (left.length && !paste?.undone_by) return { rows: left.map(({ row }) => row), cells: left.map(({ line }) => line) };
    toast(left.length ? t("No column was added, because the paste was undone.") : t("No column was added, because the rows were deleted."));
  } catch (error) {
    toast(t("No column was added. {reason}", { reason: error.message }), { kind: "error" });
  }
  return null;
}

/**
 * Adds text columns at the end with their cells, as one change.
 * @param {TableGrid} grid @param {number} count @param {{rows: any[], cells: string[][]}} filled  cells: of the new columns, a line for each row
 * @returns {Promise<Column[] | null>} the columns; null where they were refused
 */
async function addColumns(grid, count, { rows, cells }) {
  const taken = new Set(grid.allColumns.map((column) => column.name));
  const before = new Set(grid.allColumns.map((column) => column.id));
  /** @type {string[]} */
  const names = [];
  for (let number = before.size + 1; names.length < count; number += 1) {
    const name = t("Column {number}", { number });
    if (!taken.has(name)) names.push(name);
  }
  const written = cellsOfNew(cells, names.map((id) => /** @type {Column} */ ({ id, name: id, type: "text" })))
    .map((data, at) => ({ id: rows[at].id, data })).filter(({ data }) => Object.keys(data).length);
  const address = `/api/tables/${grid.tableId}`;
  let added = false;
  await grid.writer.inTurn(async () => {
    try {
      const { change } = written.length
        ? await api.patch(`${address}/rows/?keys=id`, { new_columns: names, rows: written })
        : await api.post(`${address}/proposals/schema/`, { mode: "update", operations: names.map((name) => ({ action: "add", column: { name, type: "text" } })) });
      added = true;
      grid.writer.past.record("made", change);
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

/** @param {string[][]} cells @param {Column[]} columns @returns {Map<Column, string>} the decimal separators that pasted numbers show */
function decimalsOf(cells, columns) {
  const texts = (/** @type {number} */ at) => cells.flatMap((line) => (line[at] ?? "").trim() || []);
  return separatorsOf(new Map(columns.flatMap((column, at) => (columnType(column).hasDecimals ? [[column, texts(at)]] : []))));
}

/** @param {Column} column @param {string} text @param {string} [separator]  the decimal one, where it is known */
function pastedValue(column, text, separator) {
  const kind = columnType(column);
  const kept = kind.keepsSpace ? text : text.trim();
  return kept === "" ? null : kind.pasted(kept, undefined, separator);
}

/**
 * @param {string[][]} cells  what is pasted @param {Rect} rect  what is selected
 * @returns {string[][]} repeated until it fills the selection where it fits in whole times, as it is otherwise
 */
export function spread(cells, rect) {
  const width = Math.max(...cells.map((line) => line.length));
  const [down, across] = [rowsIn(rect) / cells.length, columnsIn(rect) / width];
  if (!Number.isInteger(down) || !Number.isInteger(across) || cells.some((line) => line.length !== width)) return cells;
  return Array.from({ length: rowsIn(rect) }, (_, row) => Array.from({ length: columnsIn(rect) }, (_each, col) => cells[row % cells.length][col % width]));
}
