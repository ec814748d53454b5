// Commands on whole rows, from the context menu or for checked rows.

import { api } from "../api.js";
import { t, tn } from "../locale.js";
import { toast } from "../element.js";
import { addRows } from "./added_rows.js";
import { showTooManyRows, writableColumns } from "./cell_commands.js";
import { MAX_BULK_ROWS } from "./grid_geometry.js";
import { columnType } from "./column_types/registry.js";
import { isEmpty } from "./values.js";

const PROGRESS_DELAY_MS = 1000;
const MAX_HOLD_MS = 10_000;
/** Keys that change cells with Ctrl. */
const EDITING_KEYS = new Set(["d", "v", "x", "y", "z"]);

/**
 * Duplicate rows, at the end or at a position.
 * @param {TableGrid} grid @param {number} count @param {() => any[] | null | Promise<any[] | null>} read  returns the rows; null after a message
 * @param {RowPosition} [position]
 */
export async function duplicateRows(grid, count, read, position) {
  if (count > MAX_BULK_ROWS) return showTooManyRows("duplicated", count);
  const { allColumns, store } = grid;
  // In the order of the view, not in the order of checking.
  const index = (/** @type {any} */ row) => (store.indexOf(row.id) < 0 ? Infinity : store.indexOf(row.id));
  const found = await Promise.resolve(read()).catch((error) => void toast(t("The rows could not be loaded. {reason}", { reason: error.message }), { kind: "error" }));
  const rows = [...(found ?? [])].sort((one, other) => index(one) - index(other) || 0);
  const written = allColumns.filter((column) => !columnType(column).isComputed);
  const cells = rows.map((row) => Object.fromEntries(written.map((column) => [column.id, grid.clipboard.shown(row, column)]).filter(([, value]) => value !== null)));
  const copiedFrom = rows.map(({ id }) => Number(id));
  if (cells.length) await addRows(grid, cells, { message: (added) => tn("Duplicated {count} row", "Duplicated {count} rows", added), position, copiedFrom, found: moveCursorTo(grid) });
}

/**
 * Add rows that repeat the cells of others, as one change.
 * @param {TableGrid} grid @param {Rect} source @param {number} count
 */
export async function addFilledRows(grid, source, count) {
  const columns = writableColumns(grid.columns.slice(source.left, source.right + 1));
  const sourceRows = (await grid.clipboard.rowsOf(source, "filled")) ?? [];
  const cellsOf = (/** @type {any} */ row) => Object.fromEntries(columns.map((column) => [column.id, grid.clipboard.shown(row, column)]).filter(([, value]) => value !== null));
  const cells = sourceRows.length ? Array.from({ length: count }, (_, step) => cellsOf(sourceRows[step % sourceRows.length])) : [];
  const filled = cells.filter((row) => Object.keys(row).length);
  if (filled.length) await addRows(grid, filled, { message: (added) => tn("Added {count} row", "Added {count} rows", added), found: moveCursorTo(grid) });
}

/** Delete rows, as one change. @param {TableGrid} grid @param {number[]} ids */
export function deleteRows(grid, ids) {
  const { writer } = grid;
  return writer.enqueue(async () => {
    try {
      const { change } = await api.post(`${writer.address}/rows/delete/`, { ids });
      writer.undoRedo.record("made", change);
      grid.selection.uncheck(ids.map(String));
      for (const { rowId, column } of writer.unsaved) if (ids.includes(Number(rowId))) writer.forget(rowId, column.id);
      hideDeleted(grid, ids);
      toast(tn("Deleted {count} row", "Deleted {count} rows", ids.length), { action: writer.undoRedo.undoAction(change) });
      await grid.reload();
    } catch (error) {
      toast(t("Nothing was deleted. {reason}", { reason: error.message }), { kind: "error" });
      throw error;
    }
  });
}

/** @param {TableGrid} grid @param {number[]} ids  of deleted rows; if one was not loaded, the others move after the reload */
function hideDeleted(grid, ids) {
  const { store } = grid;
  if (!ids.every((id) => store.indexOf(id) >= 0)) return;
  store.remove(ids);
  grid.filters.total -= ids.length;
  grid.redrawFromStore();
}

/**
 * Read rows, and show the progress if it takes long.
 * @param {TableGrid} grid @param {{first: number, last: number}} span @returns {Promise<any[] | null>} null, after a message,
 *   if the server cannot be reached
 */
export async function readRows(grid, span) {
  /** @type {HTMLElement | undefined} */
  let note;
  const startedAt = Date.now();
  const onProgress = (/** @type {number} */ done) => {
    if (Date.now() - startedAt < PROGRESS_DELAY_MS) return;
    note?.remove();
    note = toast(t("Loading rows: {done} of {total}", { done, total: span.last - span.first }));
  };
  try {
    return (await grid.reading.readRun(span, { onProgress })).rows;
  } catch (error) {
    toast(t("The rows could not be loaded. {reason}", { reason: error.message }), { kind: "error" });
    return null;
  } finally {
    note?.remove();
  }
}

/**
 * Insert an empty row; if required cells have no defaults, add an unsaved row below instead.
 * @param {TableGrid} grid @param {RowPosition} position
 */
export async function insertRow(grid, position) {
  if (grid.allColumns.some((column) => column.required && isEmpty(column.default))) {
    grid.drafts.start(position);
    toast(t("Fill in the required cells to insert the row here."));
    return;
  }
  const release = holdKeys(grid);
  // A row that is not visible is hidden by the search or filters, or will be shown after an edit.
  const message = (/** @type {number} */ count) => (grid.isNarrowed ? t("Row added, but hidden by search or filters") : tn("Added {count} row", "Added {count} rows", count));
  const moveCursor = moveCursorTo(grid);
  let isMoved = false;
  await addRows(grid, [{}], { message, position, found: (ids) => (isMoved = moveCursor(ids)) });
  release(isMoved);
}

/**
 * Collect keys while a row is being added, as they would overwrite the cell of the cursor.
 * @param {TableGrid} grid @returns {(isMoved: boolean) => void} release function; led: whether the cursor is in the new row
 */
function holdKeys(grid) {
  let typed = "";
  const controller = new AbortController();
  const consume = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const ctrl = event.ctrlKey || event.metaKey;
    if (event.target !== grid.table || (ctrl && !EDITING_KEYS.has(event.key.toLowerCase()))) return;
    if (event.key.length === 1 && !ctrl && !event.altKey) typed += event.key;
    else if (event.key === "Backspace") typed = typed.slice(0, -1);
    consume(event);
  };
  const onClipboard = (/** @type {Event} */ event) => document.activeElement === grid.table && consume(event);
  const release = (/** @type {boolean} */ isMoved) => {
    clearTimeout(timer);
    if (controller.signal.aborted) return;
    controller.abort();
    if (!isMoved || !typed.trim() || document.activeElement !== grid.table || !grid.cursor.edit({ replace: true })) return;
    const input = grid.editor.session?.input;
    if (!input) return;
    input.value = typed;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const timer = setTimeout(() => controller.abort(), MAX_HOLD_MS);
  addEventListener("keydown", onKeyDown, { capture: true, signal: controller.signal });
  for (const name of ["paste", "cut"]) addEventListener(name, onClipboard, { capture: true, signal: controller.signal });
  return release;
}

/** @param {TableGrid} grid @returns {(ids: number[]) => boolean} moves the cursor to the first of the rows if visible */
function moveCursorTo(grid) {
  return (ids) => {
    const index = Math.min(...ids.map((id) => grid.store.indexOf(id)));
    const tr = index < 0 ? undefined : grid.window.reveal(index);
    if (!tr) return false;
    grid.ranges.clear();
    grid.cursor.put(tr, Math.max(0, grid.cursor.col));
    return true;
  };
}
