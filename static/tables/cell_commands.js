// What is done with several cells at once: emptied or filled down as one change, copied without an event.

import { t, tn } from "../locale.js";
import { toast } from "../element.js";
import { MOST_TOGETHER, columnsIn, columnsOf, holdCells, rowsIn } from "./range_figures.js";
import { writeRows } from "./range_writes.js";
import { isEmpty, sameValue, toTsv } from "./values.js";

/**
 * @typedef {object} HeldCells  cells by their rows and columns: others may insert, delete or move rows before something is done with them
 * @property {Rect} rect  where they were @property {any[]} ids  of their rows @property {string} columns  ids of their columns
 * @property {number} total  of all rows @property {any} review @property {boolean} redrawn  whether rows were read anew since
 */

const TOO_MANY = {
  copied: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be copied together. Select fewer, search or filter first.", all),
  deleted: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be deleted together. Select fewer, search or filter first.", all),
  duplicated: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be duplicated together. Select fewer, search or filter first.", all),
  emptied: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be emptied together. Select fewer, search or filter first.", all),
  filled: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be filled together. Select fewer, search or filter first.", all),
  moved: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be moved together. Select fewer, search or filter first.", all),
  pasted: (/** @type {Values} */ all) => t("{count} rows are too many: {most} at most can be pasted together. Select fewer, search or filter first.", all),
};

/** @param {keyof typeof TOO_MANY} done @param {number} count */
export function tellTooMany(done, count) {
  toast(TOO_MANY[done]({ count, most: MOST_TOGETHER }));
}

/** @param {TableGrid} grid @returns {Rect | null} the cells that are meant: the selected ones, else the cursor's */
export function chosenRect({ review, editor, cursor, ranges }) {
  if (review || editor.isOpen) return null;
  return ranges.rect ?? cursor.rect;
}

/**
 * Remembers cells until something is done with them.
 * @param {TableGrid} grid @param {Rect} rect
 * @returns {() => Rect | null} where they are now; null, with a message, where they are no longer together
 */
export function heldCells(grid, rect) {
  const held = holdCells(grid, rect);
  return () => findCells(grid, held);
}

/** @param {TableGrid} grid @param {HeldCells} held @returns {Rect | null} where they are now; null, with a message, where they are no longer together */
export function findCells(grid, held) {
  const now = cellsNow(grid, held);
  if (!now) toast(t("The selected cells have moved or are gone. Select them again."));
  return now;
}

/** @param {TableGrid} grid @param {HeldCells} held @returns {Rect | null} */
function cellsNow(grid, { rect, ids, columns, total, review, redrawn }) {
  const { store } = grid;
  // Rows that are not known can only be the same ones while nothing was read anew.
  const anew = redrawn || store.total !== total;
  const top = !anew ? rect.top : ids[0] === undefined ? -1 : store.indexOf(ids[0]);
  const left = grid.columns.findIndex((column) => column.id === columns.split(",")[0]);
  const now = { top, left, bottom: top + rowsIn(rect) - 1, right: left + columnsIn(rect) - 1 };
  const isSame = (/** @type {any} */ id, /** @type {any} */ other) => id === other || (!anew && (id === undefined || other === undefined));
  if (grid.review !== review || top < 0 || left < 0 || columnsOf(grid, now) !== columns) return null;
  // Of more rows than can be changed together, all must be known to lie where they did.
  if (anew && rowsIn(rect) > ids.length) return null;
  return ids.every((id, step) => isSame(id, store.at(top + step)?.id)) ? now : null;
}

/**
 * Without an event that could be filled.
 * @param {GridClipboard} clipboard @param {any[] | Promise<any[] | null> | null} reading  rows that may have to be read first
 * @param {Column[]} columns @param {{told?: string, headers?: boolean}} [how]  what is said once it is done; names of columns first
 * @returns {Promise<boolean>}
 */
export async function copyLater(clipboard, reading, columns, { told, headers = false } = {}) {
  try {
    const rows = await reading;
    if (!rows) return false; // told already
    if (!navigator.clipboard) throw new Error(t("Browsers keep the clipboard from pages without https."));
    const names = headers ? [toTsv([columns.map((column) => column.name)])] : [];
    await navigator.clipboard.writeText([...names, clipboard.textOf(rows, columns)].join("\n"));
    toast(told ?? tn("Copied {count} row", "Copied {count} rows", rows.length));
    return true;
  } catch (error) {
    toast(t("Nothing was copied. {reason}", { reason: error.message }), { kind: "error" });
    return false;
  }
}

/** @param {GridClipboard} clipboard @param {Rect} rect @param {{headers?: boolean}} [how] @returns {Promise<boolean>} whether it was copied */
export function copyCells(clipboard, rect, { headers = false } = {}) {
  const cells = rowsIn(rect) * columnsIn(rect);
  const columns = clipboard.grid.columns.slice(rect.left, rect.right + 1);
  return copyLater(clipboard, clipboard.rowsOf(rect, "copied"), columns, { told: tn("Copied {count} cell", "Copied {count} cells", cells), headers });
}

/** @param {GridClipboard} clipboard @param {() => Rect | null} held  where the cells are: copying may take as long as the browser asks for leave */
export async function cutCells(clipboard, held) {
  const rect = held();
  if (!rect || !(await copyCells(clipboard, rect)) || !clipboard.grid.mayEdit) return;
  const now = held();
  if (now) await emptyCells(clipboard, now);
}

/** Empties cells, as one change; those of required columns are left and named. @param {GridClipboard} clipboard @param {Rect} rect */
export async function emptyCells(clipboard, rect) {
  const { columns, writer, mayEdit, review } = clipboard.grid;
  if (!mayEdit || review) return;
  const written = columns.slice(rect.left, rect.right + 1).filter((column) => !column.proposed);
  const found = await clipboard.rowsOf(rect, "emptied");
  const rows = (found ?? []).flatMap((row) => {
    const filled = written.filter((column) => !isEmpty(clipboard.shown(row, column)));
    const data = Object.fromEntries(filled.map((column) => [column.id, null]));
    return filled.length ? [{ id: row.id, data, expected: clipboard.expected(row, filled) }] : [];
  });
  if (rows.length && !clipboard.grid.review) writeRows(writer, rows, t("Nothing was emptied."), { skipInvalid: true, done: "emptied" });
}

/**
 * Copies the first row of a range into the others; a single row is filled from the row above it.
 * @param {GridClipboard} clipboard @param {Rect} rect
 */
export async function fillDown(clipboard, rect) {
  const top = rect.top === rect.bottom ? rect.top - 1 : rect.top;
  if (top >= 0) await fillFrom(clipboard, { ...rect, top, bottom: top }, { ...rect, top: top + 1 });
}

/** Writes the value above the cursor into the cell of a new row that the cursor is in. @param {TableGrid} grid */
export function fillFromAbove(grid) {
  const { cursor, drafts, places } = grid;
  const { tr, column } = cursor.here ?? {};
  const above = places.at(places.current - 1);
  if (!tr || !column || !drafts.editable(tr) || !above?.dataset.row) return;
  const value = grid.ownerOf(above).value(above, column);
  if (!isEmpty(value) && !sameValue(value, drafts.value(tr, column))) drafts.write(tr, column, value);
}

/**
 * Repeats rows in the rows before or after them, as one change.
 * @param {GridClipboard} clipboard @param {Rect} source @param {Rect} target  of the same columns, directly above or below
 */
export async function fillFrom(clipboard, source, target) {
  const { columns, writer, mayEdit, review } = clipboard.grid;
  if (!mayEdit || review) return;
  const whole = { ...source, top: Math.min(source.top, target.top), bottom: Math.max(source.bottom, target.bottom) };
  const written = columns.slice(source.left, source.right + 1).filter((column) => !column.proposed);
  const known = (await clipboard.rowsOf(whole, "filled")) ?? [];
  const count = rowsIn(source);
  const rows = known.flatMap((row, place) => {
    const index = whole.top + place;
    if (index < target.top || index > target.bottom) return [];
    const step = (((index - source.top) % count) + count) % count;
    const from = known[source.top + step - whole.top];
    const filled = written.filter((column) => !sameValue(clipboard.shown(row, column), clipboard.shown(from, column)));
    const data = Object.fromEntries(filled.map((column) => [column.id, clipboard.shown(from, column)]));
    return filled.length ? [{ id: row.id, data, expected: clipboard.expected(row, filled) }] : [];
  });
  if (rows.length && !clipboard.grid.review) writeRows(writer, rows, t("Nothing was filled."));
}

/** @returns {Promise<string | null>} what the clipboard holds; null where the browser does not say */
export async function clipboardText() {
  return (await Promise.resolve(navigator.clipboard?.readText()).catch(() => null)) ?? null;
}
