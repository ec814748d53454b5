// Pastes tab-separated text into the grid: cells whose values fit are written as one change, the others are marked with the reason.

import { api } from "../api.js";
import { toast } from "../element.js";
import { t, tn } from "../locale.js";
import { addRows } from "./added_rows.js";
import { columnType } from "./column_types/registry.js";
import { MOST_TOGETHER, spread } from "./range_figures.js";
import { fromTsv, sameValue } from "./values.js";

/**
 * @typedef {{tr: HTMLTableRowElement, column: Column, col: number}} Target  the cell under the cursor
 * @param {TableGrid} grid @param {string} text @param {{target: Target | null, rect: Rect | null}} where  rect: what is selected
 */
export function paste(grid, text, { target, rect }) {
  if (!target) return pasteFirst(grid, text);
  const { tr, column, col } = target;
  const cells = rect ? spread(fromTsv(text), rect) : fromTsv(text);
  const owner = grid.ownerOf(tr);
  if (!rect && cells.length === 1 && cells[0].length === 1) {
    const value = pastedValue(column, cells[0][0]);
    if (owner.editable(tr, column) && !sameValue(owner.value(tr, column), value)) owner.write(tr, column, value);
  } else if (owner === grid.writer && grid.mayEdit) {
    void pasteRange(grid, cells, rect ?? { top: grid.store.indexOf(tr.dataset.row ?? ""), left: col });
  } else if (grid.mayEdit) {
    toast(t("Several cells can be pasted into saved rows only."));
  }
}

/** @param {TableGrid} grid @param {string} text @param {Rect} rect  of saved rows: filled where the text fits in whole times, else only its corner counts */
export function pasteInto(grid, text, rect) {
  if (text && grid.mayEdit) void pasteRange(grid, spread(fromTsv(text), rect), rect);
}

/** Into a table without rows they become its first ones. @param {TableGrid} grid @param {string} text */
function pasteFirst(grid, text) {
  const { columns, mayEdit, review, store, places } = grid;
  if (!mayEdit || review || grid.isNarrowed || store.count || places.total || !columns.length) return;
  addLines(grid, fromTsv(text), columns);
}

/** @param {TableGrid} grid @param {string[][]} cells  of rows that are new @param {Column[]} columns  of their cells */
function addLines(grid, cells, columns) {
  const rows = cells.map((line) => {
    const found = columns.slice(0, line.length).map((column, at) => [column.id, pastedValue(column, line[at])]);
    return Object.fromEntries(found.filter(([, value]) => value !== null));
  });
  const filled = rows.filter((row) => Object.keys(row).length);
  if (filled.length > MOST_TOGETHER) {
    grid.clipboard.refuseTooMany("pasted", filled.length);
  } else if (filled.length) {
    void addRows(grid, filled, { told: (count) => tn("Added {count} row", "Added {count} rows", count), skipInvalid: true });
  }
}

/** @param {TableGrid} grid @param {string[][]} cells @param {{top: number, left: number}} corner */
async function pasteRange(grid, cells, { top, left }) {
  const { columns, store, ranges } = grid;
  const width = Math.max(...cells.map((line) => line.length));
  const rect = { top, left, bottom: Math.min(top + cells.length, store.length) - 1, right: Math.min(left + width, columns.length) - 1 };
  if (rect.bottom < top) return;
  const targets = columns.slice(left);
  const below = await grid.clipboard.rowsOf(rect, "pasted");
  if (!below) return;
  writeCells(grid, below, { cells, targets });
  if (grid.columns === columns && !grid.review) ranges.select(rect);
  offerRoom(grid, { cells, below, targets, width });
}

/** @param {TableGrid} grid @param {any[]} rows @param {{cells: string[][], targets: (Column & {proposed?: boolean})[]}} pasted  a line of cells for each row */
function writeCells(grid, rows, { cells, targets }) {
  const written = rows.flatMap((row, at) => {
    const columns = targets.slice(0, cells[at].length).filter((column) => !column.proposed);
    const data = Object.fromEntries(columns.map((column) => [column.id, pastedValue(column, cells[at][targets.indexOf(column)])]));
    return columns.length ? [{ id: row.id, data, expected: grid.clipboard.expected(row, columns) }] : [];
  });
  if (written.length) grid.writer.writeRows(written, t("Nothing was pasted."), { skipInvalid: true });
}

/**
 * Offers rows and columns for what was pasted beyond the end of the table.
 * @param {TableGrid} grid
 * @param {{cells: string[][], below: any[], targets: (Column & {proposed?: boolean})[], width: number}} pasted
 *   below: the rows that took the first lines; width: of the longest line
 */
function offerRoom(grid, { cells, below, targets, width }) {
  const over = cells.slice(below.length);
  const more = Math.max(0, width - targets.length);
  if (!over.length && !more) return;
  const rowsText = tn("{count} row", "{count} rows", over.length);
  const columnsText = tn("{count} column", "{count} columns", more);
  const what = over.length && more ? t("{rows} and {columns}", { rows: rowsText, columns: columnsText }) : over.length ? rowsText : columnsText;
  const add = async () => {
    const added = more ? await addColumns(grid, more) : [];
    if (!added) return;
    if (more) writeCells(grid, below, { cells: cells.slice(0, below.length).map((line) => line.slice(targets.length)), targets: added });
    if (over.length) addLines(grid, over, [...targets, ...added]);
  };
  const offers = grid.columns.every((column) => !column.proposed);
  const text = t("{what} did not fit: the table ends here.", { what });
  toast(text, offers ? { action: { label: t("Add {what}", { what }), run: add }, stays: true } : {});
}

/** @param {TableGrid} grid @param {number} count @returns {Promise<Column[] | null>} new text columns at the end; null where they were refused */
async function addColumns(grid, count) {
  const taken = new Set(grid.allColumns.map((column) => column.name));
  const before = new Set(grid.allColumns.map((column) => column.id));
  const operations = [];
  for (let number = before.size + 1; operations.length < count; number += 1) {
    const name = t("Column {number}", { number });
    if (!taken.has(name)) operations.push({ action: "add", column: { name, type: "text" } });
  }
  let added = false;
  await grid.writer.inTurn(async () => {
    try {
      const { change } = await api.post(`/api/tables/${grid.tableId}/proposals/schema/`, { mode: "update", operations });
      added = true;
      grid.writer.past.made(change);
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

/** @param {Column} column @param {string} text */
function pastedValue(column, text) {
  const kind = columnType(column);
  const kept = kind.keepsSpace ? text : text.trim();
  return kept === "" ? null : kind.pasted(kept);
}
