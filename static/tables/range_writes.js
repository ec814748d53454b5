// Writes several cells as one change; restores unsaved edits in cells that were not written.

import { ApiError, api, newId } from "../api.js";
import { toast } from "../element.js";
import { t } from "../locale.js";
import { leftOutRows } from "./refused_rows.js";

/** Statuses of a proxy without a response from the server, and the server's codes for requests that were not executed. */
const PROXY_ERRORS = new Set([502, 503, 504]);
const NOT_WRITTEN = new Set(["busy", "too_costly"]);

/** @typedef {{id: number, data: Record<string, any>, expected: Record<string, any>}} WrittenRow  expected: the values that the user has seen */
/** @typedef {Map<string, import("./grid_writer.js").CellError>} UnsavedCells  by row and column */

/** @param {GridWriter} writer @param {boolean} skipInvalid @returns {string} */
export function bulkRowsUrl({ address }, skipInvalid) {
  return `${address}/rows/?keys=id&typecast=true${skipInvalid ? "&on_invalid=skip" : ""}`;
}

/**
 * @param {GridWriter} writer @param {WrittenRow[]} rows  written as one change, all or nothing
 * @param {string} refusal  first sentence of the error message
 * @param {{skipInvalid?: boolean, done?: "pasted" | "emptied", added?: Record<string, any>[], numbers?: number[], found?: (ids:
 *   number[], change: number | null, notAdded: number[]) => void, request?: {idempotencyKey: string, body: any}}} [how]
 *   skipInvalid: invalid cells are skipped and reported; done: the command; added: cells of rows added at the end in the same
 *   change; numbers: their pasted line numbers; found: called after the reload, with the indexes in `added` of rows that were
 *   not added; request: repeats a request whose response was lost
 */
export function writeRows(writer, rows, refusal, how = {}) {
  const { skipInvalid = false, done, added = [], numbers = [], found, request = { idempotencyKey: newId(), body: null } } = how;
  const { cellErrors, grid, pending } = writer;
  /** @type {UnsavedCells} */
  const unsaved = new Map();
  for (const { rowId, id, row } of cellsOf(rows)) {
    const cellError = cellErrors.get(`${rowId} ${id}`);
    if (cellError?.edit) unsaved.set(`${rowId} ${id}`, cellError);
    writer.forget(rowId, id);
    pending.start(rowId, id, { value: row.data[id], saved: row.expected[id] });
  }
  writer.showRows(rows);
  return writer.enqueue(async () => {
    if (!request.body) {
      // Earlier writes are finished, and the user has seen their results.
      for (const { rowId, id, row } of cellsOf(rows)) row.expected[id] = pending.at(rowId, id)?.saved ?? null;
      request.body = { rows: [...rows, ...added.map((data) => ({ id: null, data }))] };
    }
    try {
      const { idempotencyKey, body } = request;
      const { rows: written, ...outcome } = await api.patch(bulkRowsUrl(writer, skipInvalid), body, added.length ? { idempotencyKey } : {});
      const savedRows = new Map(written.map((row) => [row.id, row]));
      for (const { rowId, id, row } of cellsOf(rows)) pending.end(rowId, id, { saved: (savedRows.get(row.id)?.data ?? row.expected)[id] ?? null });
      for (const row of written) grid.store.update(row);
      writer.showRows(rows);
      writer.undoRedo.record("made", outcome.change);
      const ids = new Set(rows.map(({ id }) => id));
      const addedRows = written.filter(({ id }) => !ids.has(id));
      const leftOut = leftOutRows(outcome, added, { first: rows.length, numbers });
      const next = addedRows.values();
      const writtenRows = [...rows, ...added.map((_, at) => (leftOut.has(rows.length + at) ? undefined : next.next().value))];
      if (added.length) await grid.reload();
      if (outcome.skipped_count) writer.loadRefusedCells().then((cells) => cells.skipped(writtenRows, outcome, { unsaved, done, leftOut, numbers: [...rows.map((_, at) => at + 1), ...numbers] }), () => {});
      if (!added.length) await grid.reload();
      found?.(addedRows.map(({ id }) => id), outcome.change, [...leftOut.keys()].map((position) => position - rows.length));
    } catch (error) {
      endPending(writer, rows, unsaved);
      const retry = () => void writeRows(writer, rows, refusal, { ...how, request });
      // A new request could add the rows twice.
      if (added.length && isLost(error)) showLost(t("It is not clear whether the cells were pasted. {reason}", { reason: error.message }), retry);
      else showRefused(writer, rows, refusal, error);
      if (!isLost(error)) return "refused";
      throw error;
    }
  });
}

/** @param {any} error @returns {boolean} whether the request may have been executed */
export function isLost(error) {
  if (!(error instanceof ApiError) || error.code === "in_progress") return true;
  return PROXY_ERRORS.has(error.status) && !NOT_WRITTEN.has(error.code);
}

/** @param {string} words @param {() => void} retry  repeats the request with the same key */
export function showLost(words, retry) {
  toast(words, { kind: "error", action: { label: t("Retry"), run: retry } });
}

/** End the pending writes of cells. @param {GridWriter} writer @param {any[]} rows @param {UnsavedCells} unsaved  previous edits */
function endPending(writer, rows, unsaved) {
  for (const { rowId, id } of cellsOf(rows)) writer.pending.end(rowId, id);
  restoreUnsaved(writer, unsaved);
  writer.showRows(rows);
}

/** @param {GridWriter} writer @param {any[]} rows  empty for new rows @param {string} refusal @param {any} error */
export function showRefused(writer, rows, refusal, error) {
  writer.loadRefusedCells().then((cells) => cells.refused(rows, refusal, error), () => toast(`${refusal} ${error.message}`, { kind: "error" }));
  if (error instanceof ApiError && error.status === 409) writer.grid.reload();
}

/** @param {GridWriter} writer @param {UnsavedCells} unsaved  restored unless the cell was written meanwhile */
export function restoreUnsaved(writer, unsaved) {
  for (const [key, cellError] of unsaved) {
    const { rowId, column } = cellError.edit;
    if (!writer.pending.at(rowId, column.id)) writer.cellErrors.set(key, cellError);
  }
  if (unsaved.size) writer.showUnsaved();
}

/** @param {WrittenRow[]} rows */
function cellsOf(rows) {
  return rows.flatMap((row) => Object.keys(row.data).map((id) => ({ rowId: String(row.id), id, row })));
}

/** @param {TableGrid} grid @param {any} row @param {Column[]} columns @returns {Record<string, any>} the values that the user has seen */
export function expectedValues(grid, row, columns) {
  const { cellErrors } = grid.writer;
  const storedValue = (/** @type {string} */ id) => {
    const edit = cellErrors.get(`${row.id} ${id}`)?.edit;
    return (edit ? edit.seen : row.data[id]) ?? null;
  };
  return Object.fromEntries(columns.map(({ id }) => [id, storedValue(id)]));
}
