// What is done with rows of the grid as a whole, from its menu or for those that are checked.

import { api } from "../api.js";
import { t, tn } from "../locale.js";
import { toast } from "../element.js";
import { addRows } from "./added_rows.js";
import { tellTooMany } from "./cell_commands.js";
import { MOST_TOGETHER } from "./range_figures.js";
import { isEmpty } from "./values.js";

const QUIET_MS = 1000;
const MOST_HELD_MS = 10_000;
/** Keys that change cells together with Ctrl. */
const HELD_WITH_CTRL = new Set(["d", "v", "x", "y", "z"]);

/**
 * Adds rows once more, at the end or at a place.
 * @param {TableGrid} grid @param {number} count @param {() => any[] | null | Promise<any[] | null>} read  the rows; null after a message
 * @param {RowPlace} [place]
 */
export async function duplicateRows(grid, count, read, place) {
  if (count > MOST_TOGETHER) return tellTooMany("duplicated", count);
  const { allColumns, store } = grid;
  // As they lie, not as they were checked.
  const index = (/** @type {any} */ row) => (store.indexOf(row.id) < 0 ? Infinity : store.indexOf(row.id));
  const found = await Promise.resolve(read()).catch((error) => void toast(t("The rows could not be read. {reason}", { reason: error.message }), { kind: "error" }));
  const rows = [...(found ?? [])].sort((one, other) => index(one) - index(other) || 0);
  const cells = rows.map((row) => Object.fromEntries(allColumns.map((column) => [column.id, grid.clipboard.shown(row, column)]).filter(([, value]) => value !== null)));
  if (cells.length) await addRows(grid, cells, { told: (added) => tn("Duplicated {count} row", "Duplicated {count} rows", added), place, found: leadTo(grid) });
}

/**
 * Adds rows that repeat the cells of others, as one change.
 * @param {TableGrid} grid @param {Rect} source @param {number} count
 */
export async function addFilledRows(grid, source, count) {
  const columns = grid.columns.slice(source.left, source.right + 1);
  const known = (await grid.clipboard.rowsOf(source, "filled")) ?? [];
  const cellsOf = (/** @type {any} */ row) => Object.fromEntries(columns.map((column) => [column.id, grid.clipboard.shown(row, column)]).filter(([, value]) => value !== null));
  const cells = known.length ? Array.from({ length: count }, (_, step) => cellsOf(known[step % known.length])) : [];
  const filled = cells.filter((row) => Object.keys(row).length);
  if (filled.length) await addRows(grid, filled, { told: (added) => tn("Added {count} row", "Added {count} rows", added), found: leadTo(grid) });
}

/** Deletes rows, as one change. @param {TableGrid} grid @param {number[]} ids */
export function deleteRows(grid, ids) {
  const { writer } = grid;
  return writer.inTurn(async () => {
    try {
      const { change } = await api.post(`${writer.address}/rows/delete/`, { ids });
      writer.past.record("made", change);
      grid.selection.uncheck(ids.map(String));
      for (const { rowId, column } of writer.unsaved) if (ids.includes(Number(rowId))) writer.forget(rowId, column.id);
      showWithout(grid, ids);
      toast(tn("Deleted {count} row", "Deleted {count} rows", ids.length), { action: writer.past.undoAction(change) });
      await grid.reload();
    } catch (error) {
      toast(t("Nothing was deleted. {reason}", { reason: error.message }), { kind: "error" });
      throw error;
    }
  });
}

/** @param {TableGrid} grid @param {number[]} ids  of rows that are gone; where one of them lay far away, the others are read before they move */
function showWithout(grid, ids) {
  const { store } = grid;
  if (!ids.every((id) => store.indexOf(id) >= 0)) return;
  store.remove(ids);
  grid.filters.total -= ids.length;
  grid.drawKnown();
}

/**
 * Reads rows, and says how far it is where that takes long.
 * @param {TableGrid} grid @param {{first: number, last: number}} span @returns {Promise<any[] | null>} null, with a message, when the server is out of reach
 */
export async function readRows(grid, span) {
  /** @type {HTMLElement | undefined} */
  let note;
  const began = Date.now();
  const told = (/** @type {number} */ done) => {
    if (Date.now() - began < QUIET_MS) return;
    note?.remove();
    note = toast(t("Reading rows: {done} of {total}", { done, total: span.last - span.first }));
  };
  try {
    return (await grid.reading.readRun(span, { told })).rows;
  } catch (error) {
    toast(t("The rows could not be read. {reason}", { reason: error.message }), { kind: "error" });
    return null;
  } finally {
    note?.remove();
  }
}

/**
 * Adds an empty row beside another one; where it needs values first, it waits below the others until it has them.
 * @param {TableGrid} grid @param {RowPlace} place
 */
export async function insertRow(grid, place) {
  if (grid.allColumns.some((column) => column.required && isEmpty(column.default))) {
    grid.drafts.start(place);
    toast(t("Fill in the required cells. The row is then inserted here."));
    return;
  }
  const release = holdKeys(grid);
  // A row that is not in sight is so because of them, or because a cell is edited, which rows are read after.
  const told = (/** @type {number} */ count) => (grid.isNarrowed ? t("Added a row, which the search or the filters hide") : tn("Added {count} row", "Added {count} rows", count));
  const lead = leadTo(grid);
  let led = false;
  await addRows(grid, [{}], { told, place, found: (ids) => (led = lead(ids)) });
  release(led);
}

/**
 * What is typed while a row is on its way is meant for it: the cell under the cursor would be written over.
 * @param {TableGrid} grid @returns {(led: boolean) => void} lets go; led: the cursor is in the new row
 */
function holdKeys(grid) {
  let typed = "";
  const over = new AbortController();
  const take = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const ctrl = event.ctrlKey || event.metaKey;
    if (event.target !== grid.table || (ctrl && !HELD_WITH_CTRL.has(event.key.toLowerCase()))) return;
    if (event.key.length === 1 && !ctrl && !event.altKey) typed += event.key;
    else if (event.key === "Backspace") typed = typed.slice(0, -1);
    take(event);
  };
  const changed = (/** @type {Event} */ event) => document.activeElement === grid.table && take(event);
  const release = (/** @type {boolean} */ led) => {
    clearTimeout(timer);
    if (over.signal.aborted) return;
    over.abort();
    if (!led || !typed.trim() || document.activeElement !== grid.table || !grid.cursor.edit({ replace: true })) return;
    const input = grid.editor.session?.input;
    if (!input) return;
    input.value = typed;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const timer = setTimeout(() => over.abort(), MOST_HELD_MS);
  addEventListener("keydown", pressed, { capture: true, signal: over.signal });
  for (const name of ["paste", "cut"]) addEventListener(name, changed, { capture: true, signal: over.signal });
  return release;
}

/** @param {TableGrid} grid @returns {(ids: number[]) => boolean} puts the cursor into the first of rows that are in sight */
function leadTo(grid) {
  return (ids) => {
    const index = Math.min(...ids.map((id) => grid.store.indexOf(id)));
    const tr = index < 0 ? undefined : grid.window.reveal(index);
    if (!tr) return false;
    grid.ranges.clear();
    grid.cursor.put(tr, Math.max(0, grid.cursor.col));
    return true;
  };
}
