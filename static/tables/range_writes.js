// Writes several cells as one change, and gives those that are not written their unsaved edits back.

import { ApiError, api, newId } from "../api.js";
import { toast } from "../element.js";
import { t } from "../locale.js";
import { leftOutRows } from "./refused_rows.js";

/** Statuses of a proxy that has lost the server's answer, and the server's own codes that say that nothing was written. */
const LOST = new Set([502, 503, 504]);
const NOT_WRITTEN = new Set(["busy", "too_costly"]);

/** @typedef {{id: number, data: Record<string, any>, expected: Record<string, any>}} WrittenRow  expected: what was seen there */
/** @typedef {Map<string, import("./grid_writer.js").Complaint>} UnsavedCells  edits that are not saved, by row and column */

/** @param {GridWriter} writer @param {boolean} skipInvalid @returns {string} */
export function manyRowsAddress({ address }, skipInvalid) {
  return `${address}/rows/?keys=id&typecast=true${skipInvalid ? "&on_invalid=skip" : ""}`;
}

/**
 * @param {GridWriter} writer @param {WrittenRow[]} rows  all or nothing, one change
 * @param {string} refusal  what is said first when they are refused
 * @param {{skipInvalid?: boolean, done?: "pasted" | "emptied", added?: Record<string, any>[], numbers?: number[], found?: (ids: number[], change: number | null, notAdded: number[]) => void, request?: {once: string, body: any}}} [how]
 *   skipInvalid: cells whose values do not fit are left as they are and named; done: what was done; added: the cells of rows that are added at the end in
 *   the same change; numbers: of their lines in what was pasted; found: called once they can be seen, with the places in `added`
 *   of those that were not added; request: one whose answer was lost, again
 */
export function writeRows(writer, rows, refusal, how = {}) {
  const { skipInvalid = false, done, added = [], numbers = [], found, request = { once: newId(), body: null } } = how;
  const { complaints, grid, pending } = writer;
  /** @type {UnsavedCells} */
  const unsaved = new Map();
  for (const { rowId, id, row } of cellsOf(rows)) {
    const complaint = complaints.get(`${rowId} ${id}`);
    if (complaint?.edit) unsaved.set(`${rowId} ${id}`, complaint);
    writer.forget(rowId, id);
    pending.begin(rowId, id, { value: row.data[id], saved: row.expected[id] });
  }
  writer.showRows(rows);
  return writer.inTurn(async () => {
    if (!request.body) {
      // What was still being saved is known now: that is what was seen here.
      for (const { rowId, id, row } of cellsOf(rows)) row.expected[id] = pending.at(rowId, id)?.saved ?? null;
      request.body = { rows: [...rows, ...added.map((data) => ({ id: null, data }))] };
    }
    try {
      const { once, body } = request;
      const { rows: written, ...outcome } = await api.patch(manyRowsAddress(writer, skipInvalid), body, added.length ? { once } : {});
      const now = new Map(written.map((row) => [row.id, row]));
      for (const { rowId, id, row } of cellsOf(rows)) pending.end(rowId, id, { saved: (now.get(row.id)?.data ?? row.expected)[id] ?? null });
      for (const row of written) grid.store.renew(row);
      writer.showRows(rows);
      writer.past.record("made", outcome.change);
      const ids = new Set(rows.map(({ id }) => id));
      const made = written.filter(({ id }) => !ids.has(id));
      const leftOut = leftOutRows(outcome, added, { first: rows.length, numbers });
      const next = made.values();
      const known = [...rows, ...added.map((_, at) => (leftOut.has(rows.length + at) ? undefined : next.next().value))];
      if (added.length) await grid.reload();
      if (outcome.skipped_count) writer.refusals().then((cells) => cells.skipped(known, outcome, { unsaved, done, leftOut, numbers: [...rows.map((_, at) => at + 1), ...numbers] }), () => {});
      if (!added.length) await grid.reload();
      found?.(made.map(({ id }) => id), outcome.change, [...leftOut.keys()].map((position) => position - rows.length));
    } catch (error) {
      leaveCells(writer, rows, unsaved);
      const again = () => void writeRows(writer, rows, refusal, { ...how, request });
      // Sent as a new request, it could add the rows twice.
      if (added.length && isLost(error)) tellLost(t("The cells may have been pasted or not. {reason}", { reason: error.message }), again);
      else rowsRefused(writer, rows, refusal, error);
      if (!isLost(error)) return "refused";
      throw error;
    }
  });
}

/** @param {any} error @returns {boolean} whether the request may have been carried out all the same */
export function isLost(error) {
  if (!(error instanceof ApiError) || error.code === "in_progress") return true;
  return LOST.has(error.status) && !NOT_WRITTEN.has(error.code);
}

/** @param {string} words @param {() => void} retry  sends the same request with the same key */
export function tellLost(words, retry) {
  toast(words, { kind: "error", action: { label: t("Retry"), run: retry } });
}

/** Nothing is on its way to these cells any more. @param {GridWriter} writer @param {any[]} rows @param {UnsavedCells} unsaved  what they showed before */
function leaveCells(writer, rows, unsaved) {
  for (const { rowId, id } of cellsOf(rows)) writer.pending.end(rowId, id);
  giveBack(writer, unsaved);
  writer.showRows(rows);
}

/** @param {GridWriter} writer @param {any[]} rows  none where they were new @param {string} refusal @param {any} error */
export function rowsRefused(writer, rows, refusal, error) {
  writer.refusals().then((cells) => cells.refused(rows, refusal, error), () => toast(`${refusal} ${error.message}`, { kind: "error" }));
  if (error instanceof ApiError && error.status === 409) writer.grid.reload();
}

/** @param {GridWriter} writer @param {UnsavedCells} unsaved  shown again where no other value was written meanwhile */
export function giveBack(writer, unsaved) {
  for (const [key, complaint] of unsaved) {
    const { rowId, column } = complaint.edit;
    if (!writer.pending.at(rowId, column.id)) writer.complaints.set(key, complaint);
  }
  if (unsaved.size) writer.tellUnsaved();
}

/** @param {WrittenRow[]} rows */
function cellsOf(rows) {
  return rows.flatMap((row) => Object.keys(row.data).map((id) => ({ rowId: String(row.id), id, row })));
}
