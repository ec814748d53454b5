// Adds rows, and shows rows that a change has added, if necessary by resetting search, filter and sort.

import { api, newId } from "../api.js";
import { t } from "../locale.js";
import { toast } from "../element.js";
import { MAX_ROWS } from "./grid_geometry.js";
import { leftOutRows } from "./refused_rows.js";
import { isLost, bulkRowsUrl, showRefused, showLost } from "./range_writes.js";

/** Maximum number of ids in a request. */
const MAX_IDS = 200;
const DEFAULT_VIEW = { search: "", sort: "", filter: "" };

/** @typedef {{after_row_id: number} | {before_row_id: number}} RowPosition  directly after or before this row */

/**
 * Add rows as one change, all or nothing.
 * @param {TableGrid} grid @param {Record<string, any>[]} rows  the cells of each
 * @param {{message: (count: number) => string, position?: RowPosition, copiedFrom?: number[], found?: (ids: number[],
 *   change: number | null, notAdded: number[]) => boolean, skipInvalid?: boolean, lead?: boolean, numbers?: number[]}} how
 *   message: text of the toast; position: default is the end; copiedFrom: ids of the rows that they repeat; found: shows the
 *   rows and returns whether they are visible, in which case rows at a position need no toast; also receives the indexes in
 *   `rows` that were not added;
 *   skipInvalid: invalid cells stay empty and are reported; lead: move the cursor to the rows, unless `found` did so or the
 *   view is filtered or sorted; numbers: pasted line numbers
 */
export function addRows(grid, rows, { message, position, copiedFrom, found = () => false, skipInvalid = false, lead: movesCursor = false, numbers = [] }) {
  const { writer } = grid;
  const idempotencyKey = newId();
  const post = () => writer.enqueue(async () => {
    try {
      writer.requireEditRight();
      const { rows: added, ...outcome } = await api.post(bulkRowsUrl(writer, skipInvalid), { rows, ...position, copied_from: copiedFrom }, { idempotencyKey });
      const { change } = outcome;
      writer.undoRedo.record("made", change);
      const ids = added.map((/** @type {Row} */ row) => row.id);
      const showToast = () => toast(message(ids.length), { actions: [{ label: t("Show"), run: () => showAddedRows(grid, ids) }, writer.undoRedo.undoAction(change)] });
      const isRefused = outcome.skipped_count > 0;
      if (!position && !isRefused) showToast();
      await grid.reload();
      const leftOut = leftOutRows(outcome, rows, { first: 0, numbers });
      const isFound = found(ids, change, [...leftOut.keys()]);
      if (position && !isFound) showToast();
      const { search, sort, filter } = grid.view;
      if (movesCursor && !isFound && !search && !sort && !filter) await showAddedRows(grid, ids);
      const next = added.values();
      const writtenRows = rows.map((_, at) => (leftOut.has(at) ? undefined : next.next().value));
      // One message: it can undo the change too.
      if (isRefused) writer.loadRefusedCells().then((cells) => cells.skipped(writtenRows, outcome, { leftOut, numbers }), showToast);
    } catch (error) {
      if (isLost(error)) showLost(t("It is not clear whether the rows were added. {reason}", { reason: error.message }), () => void post());
      else if (numbers.length && isAboutRows(error)) {
        // None of them could be added.
        const leftOut = leftOutRows({ not_added: rows.map((_, at) => at) }, rows, { first: 0, numbers });
        const outcome = { skipped: error.errors, skipped_count: error.errors.length, change: null };
        writer.loadRefusedCells().then((cells) => cells.skipped([], outcome, { leftOut }), () => showRefused(writer, [], t("No row was added."), error));
      } else showRefused(writer, [], t("No row was added."), error);
      throw error;
    }
  });
  return post();
}

/** @param {any} error @returns {boolean} whether only values of the rows were refused */
function isAboutRows({ status, errors = [] }) {
  return status === 422 && errors.length > 0 && errors.every(({ path = "" }) => path.startsWith("rows["));
}

/**
 * @typedef {object} ShowMessages
 * @property {string} proposed @property {string} missing @property {string} beyond @property {(reason: string) => string} unfound
 * @property {string} widened @property {boolean} [keepsView]  a row that matches the current filter is shown in it
 */

/** @type {ShowMessages} */
const ADDED_MESSAGES = {
  proposed: t("Apply or dismiss the proposal to see the added rows."),
  missing: t("The added rows no longer exist."),
  beyond: t("The added rows are too far down to be shown. Use a filter or another sort."),
  unfound: (reason) => t("The added rows could not be found. {reason}", { reason }),
  widened: t("Search, filters and sort were cleared to show the added rows."),
};

/** @param {TableGrid} grid @param {number[]} ids  at least one */
export function showAddedRows(grid, ids) {
  return showRows(grid, ids, ADDED_MESSAGES);
}

/**
 * Move the cursor to the first of the rows that still exists. Search, filter and sort are reset if they hide the rows; a toast
 * offers to restore them.
 * @param {TableGrid} grid @param {number[]} ids  at least one @param {ShowMessages} messages  if they cannot be shown
 */
export async function showRows(grid, ids, messages) {
  await grid.reading.settled();
  if (grid.rowsBody.hidden) {
    toast(messages.proposed);
    return;
  }
  const indexes = ids.map((id) => grid.store.indexOf(id));
  if (indexes.every((position) => position >= 0)) {
    lead(grid, Math.min(...indexes), ids);
    return;
  }
  const before = grid.view;
  const narrowed = !grid.review && Boolean(before.search || before.sort || before.filter);
  try {
    if (messages.keepsView && narrowed) {
      const position = await firstIndex(grid, ids, before);
      if (position >= 0 && position < MAX_ROWS) return lead(grid, position, ids);
    }
    const position = await firstIndex(grid, ids, grid.review ? grid.query : DEFAULT_VIEW);
    if (position < 0) return void toast(messages.missing);
    if (narrowed) {
      grid.filters.go({ ...DEFAULT_VIEW });
      await grid.reading.settled();
      const action = { label: t("Restore view"), run: () => grid.filters.go(before) };
      toast(messages.widened, { action });
    }
    if (position >= MAX_ROWS) toast(messages.beyond);
    else lead(grid, position, ids);
  } catch (error) {
    toast(messages.unfound(error.message), { kind: "error", action: { label: t("Try again"), run: () => showRows(grid, ids, messages) } });
  }
}

/** @param {TableGrid} grid @param {number} position @param {number[]} ids */
function lead(grid, position, ids) {
  const tr = grid.window.reveal(position, { center: true });
  grid.dispatchEvent(new CustomEvent("rows-highlight", { detail: { ids } }));
  grid.ranges.clear();
  if (tr) grid.cursor.put(tr, Math.max(0, grid.cursor.col));
  grid.table.focus({ preventScroll: true });
}

/**
 * @param {TableGrid} grid @param {number[]} ids @param {ViewState} view
 * @returns {Promise<number>} index of the first existing row in the view; -1 for none
 */
async function firstIndex(grid, ids, view) {
  const query = new URLSearchParams({ ids: ids.slice(0, MAX_IDS).join(",") });
  for (const [name, value] of Object.entries(view)) if (value) query.set(name, value);
  const { found } = await api.get(`/api/tables/${grid.tableId}/rows/find/?${query}`);
  return found[0]?.index ?? -1;
}
