// Commands on several cells: copy without a clipboard event, clear, fill down.

import { t, tn } from "../locale.js";
import { toast } from "../element.js";
import { MAX_BULK_ROWS, columnsIn, columnsOf, captureCells, rowsIn } from "./grid_geometry.js";
import { columnType } from "./column_types/registry.js";
import { expectedValues, writeRows } from "./range_writes.js";
import { isEmpty, refusesEdit, sameValue, toTsv } from "./values.js";

/**
 * @typedef {object} CapturedCells  cells by row and column ids, since rows may be inserted, deleted or moved before a command runs
 * @property {Rect} rect  their position @property {any[]} ids  of their rows @property {string} columns  ids of their columns
 * @property {number} total  of all rows @property {any} review @property {boolean} redrawn  whether rows were read again since then
 */

const TOO_MANY = {
  copied: (/** @type {Values} */ all) => t("At most {most} rows can be copied at once. Select fewer, or filter first.", all),
  deleted: (/** @type {Values} */ all) => t("At most {most} rows can be deleted at once. Select fewer, or filter first.", all),
  duplicated: (/** @type {Values} */ all) => t("At most {most} rows can be duplicated at once. Select fewer, or filter first.", all),
  emptied: (/** @type {Values} */ all) => t("At most {most} rows can be cleared at once. Select fewer, or filter first.", all),
  filled: (/** @type {Values} */ all) => t("At most {most} rows can be filled at once. Select fewer, or filter first.", all),
  moved: (/** @type {Values} */ all) => t("At most {most} rows can be moved at once. Select fewer, or filter first.", all),
  pasted: (/** @type {Values} */ all) => t("At most {most} rows can be pasted at once. Select fewer, or filter first.", all),
};

/** @param {keyof typeof TOO_MANY} done @param {number} count */
export function showTooManyRows(done, count) {
  toast(TOO_MANY[done]({ count, most: MAX_BULK_ROWS }));
}

/** @param {Column & {proposed?: boolean}} column @returns {boolean} whether its cells can be written */
export const isWritable = (column) => !column.proposed && !columnType(column).isComputed;

/**
 * @param {(Column & {proposed?: boolean})[]} columns  of a command
 * @returns {Column[]} those whose cells can be written; a message says that computed ones are skipped
 */
export function writableColumns(columns) {
  const writable = columns.filter(isWritable);
  const computed = columns.find((column) => columnType(column).isComputed);
  if (computed && writable.length) toast(t("Read-only columns were skipped."));
  else if (computed) refusesEdit(computed);
  return writable;
}

/** @param {TableGrid} grid @returns {Rect | null} the selected cells, else the cell of the cursor */
export function selectedRect({ review, editor, cursor, ranges }) {
  if (review || editor.isOpen) return null;
  return ranges.rect ?? cursor.rect;
}

/**
 * Capture cells for a later command.
 * @param {TableGrid} grid @param {Rect} rect
 * @returns {() => Rect | null} returns their current position; null, after a message, if they are no longer adjacent
 */
export function trackCells(grid, rect) {
  const captured = captureCells(grid, rect);
  return () => findCells(grid, captured);
}

/**
 * @param {TableGrid} grid
 * @param {CapturedCells} captured @returns {Rect | null} current position; null, after a message, if no longer adjacent
 */
export function findCells(grid, captured) {
  const current = locateCells(grid, captured);
  if (!current) toast(t("The selected cells were moved or deleted. Select them again."));
  return current;
}

/** @param {TableGrid} grid @param {CapturedCells} captured @returns {Rect | null} */
function locateCells(grid, { rect, ids, columns, total, review, redrawn }) {
  const { store } = grid;
  // Rows that are not loaded are only known to be the same if no rows were read again.
  const reread = redrawn || store.total !== total;
  const top = !reread ? rect.top : ids[0] === undefined ? -1 : store.indexOf(ids[0]);
  const left = grid.columns.findIndex((column) => column.id === columns.split(",")[0]);
  const current = { top, left, bottom: top + rowsIn(rect) - 1, right: left + columnsIn(rect) - 1 };
  const isSame = (/** @type {any} */ id, /** @type {any} */ other) => id === other || (!reread && (id === undefined || other === undefined));
  if (grid.review !== review || top < 0 || left < 0 || columnsOf(grid, current) !== columns) return null;
  // Of more rows than can be changed at once, all positions must be known.
  if (reread && rowsIn(rect) > ids.length) return null;
  return ids.every((id, step) => isSame(id, store.at(top + step)?.id)) ? current : null;
}

/**
 * Copy without a clipboard event.
 * @param {GridClipboard} clipboard @param {any[] | Promise<any[] | null> | null} reading  rows, which may have to be read first
 * @param {Column[]} columns @param {{message?: string, headers?: boolean}} [how]  message: text of the toast; headers: start with the column names
 * @returns {Promise<boolean>}
 */
export async function copyRead(clipboard, reading, columns, { message, headers = false } = {}) {
  try {
    const rows = await reading;
    if (!rows) return false; // after a message
    if (!navigator.clipboard) throw new Error(t("Browsers only allow clipboard access over HTTPS."));
    const names = headers ? [toTsv([columns.map((column) => column.name)])] : [];
    await navigator.clipboard.writeText([...names, clipboard.textOf(rows, columns)].join("\n"));
    toast(message ?? tn("Copied {count} row", "Copied {count} rows", rows.length));
    return true;
  } catch (error) {
    toast(t("Nothing was copied. {reason}", { reason: error.message }), { kind: "error" });
    return false;
  }
}

/**
 * @param {GridClipboard} clipboard
 * @param {Rect} rect @param {{headers?: boolean}} [how] @returns {Promise<boolean>} whether they were copied
 */
export function copyCells(clipboard, rect, { headers = false } = {}) {
  const cells = rowsIn(rect) * columnsIn(rect);
  const columns = clipboard.grid.columns.slice(rect.left, rect.right + 1);
  return copyRead(clipboard, clipboard.rowsOf(rect, "copied"), columns, { message: tn("Copied {count} cell", "Copied {count} cells", cells), headers });
}

/** @param {GridClipboard} clipboard @param {() => Rect | null} locate  returns the cells, since copying may wait for a permission */
export async function cutCells(clipboard, locate) {
  const rect = locate();
  if (!rect || !(await copyCells(clipboard, rect)) || !clipboard.grid.mayEdit) return;
  const current = locate();
  if (current) await emptyCells(clipboard, current);
}

/** Clear cells as one change; required cells are skipped and reported. @param {GridClipboard} clipboard @param {Rect} rect */
export async function emptyCells(clipboard, rect) {
  const { columns, writer, mayEdit, review } = clipboard.grid;
  if (!mayEdit || review) return;
  const written = writableColumns(columns.slice(rect.left, rect.right + 1));
  const found = await clipboard.rowsOf(rect, "emptied");
  const rows = (found ?? []).flatMap((row) => {
    const filled = written.filter((column) => !isEmpty(clipboard.shown(row, column)));
    const data = Object.fromEntries(filled.map((column) => [column.id, null]));
    return filled.length ? [{ id: row.id, data, expected: expectedValues(clipboard.grid, row, filled) }] : [];
  });
  if (rows.length && !clipboard.grid.review) writeRows(writer, rows, t("Nothing was cleared."), { skipInvalid: true, done: "emptied" });
}

/**
 * Copy the first row of a range to the others; fill a single row from the row above it.
 * @param {GridClipboard} clipboard @param {Rect} rect
 */
export async function fillDown(clipboard, rect) {
  const top = rect.top === rect.bottom ? rect.top - 1 : rect.top;
  if (top >= 0) await fillFrom(clipboard, { ...rect, top, bottom: top }, { ...rect, top: top + 1 });
}

/** Copy the value above the cursor to the cell of an unsaved new row. @param {TableGrid} grid */
export function fillFromAbove(grid) {
  const { cursor, drafts, rowRange } = grid;
  const { tr, column } = cursor.current ?? {};
  const above = rowRange.at(rowRange.current - 1);
  if (!tr || !column || !drafts.editable(tr) || !above?.dataset.row || refusesEdit(column)) return;
  const value = grid.ownerOf(above).value(above, column);
  if (!isEmpty(value) && !sameValue(value, drafts.value(tr, column))) drafts.write(tr, column, value);
}

/**
 * Repeat rows in the rows above or below, as one change.
 * @param {GridClipboard} clipboard @param {Rect} source @param {Rect} target  of the same columns, directly above or below
 */
export async function fillFrom(clipboard, source, target) {
  const { columns, writer, mayEdit, review } = clipboard.grid;
  if (!mayEdit || review) return;
  const bounds = { ...source, top: Math.min(source.top, target.top), bottom: Math.max(source.bottom, target.bottom) };
  const written = writableColumns(columns.slice(source.left, source.right + 1));
  const sourceRows = (await clipboard.rowsOf(bounds, "filled")) ?? [];
  const count = rowsIn(source);
  const rows = sourceRows.flatMap((row, offset) => {
    const index = bounds.top + offset;
    if (index < target.top || index > target.bottom) return [];
    const step = (((index - source.top) % count) + count) % count;
    const sourceRow = sourceRows[source.top + step - bounds.top];
    const filled = written.filter((column) => !sameValue(clipboard.shown(row, column), clipboard.shown(sourceRow, column)));
    const data = Object.fromEntries(filled.map((column) => [column.id, clipboard.shown(sourceRow, column)]));
    return filled.length ? [{ id: row.id, data, expected: expectedValues(clipboard.grid, row, filled) }] : [];
  });
  if (rows.length && !clipboard.grid.review) writeRows(writer, rows, t("Nothing was filled."));
}

/** @returns {Promise<string | null>} text of the clipboard; null if the browser denies it */
export async function clipboardText() {
  return (await Promise.resolve(navigator.clipboard?.readText()).catch(() => null)) ?? null;
}
