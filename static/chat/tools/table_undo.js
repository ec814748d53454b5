// Undo and redo of changes of tables, from the cards of tools and the receipts of proposals. Loaded when first used.

import { api } from "../../api.js";
import { dispatch } from "../registry.js";

const DONE = { undo: "already_undone", redo: "not_undone" }; // another user or tab was faster; the change stays as it is

/**
 * Undo or redo a change of a table, and dispatch `table-changed`.
 * @param {{table_id: number, change_id: number}} change @param {"undo"|"redo"} way @param {string} [onConflict]
 * @returns {Promise<boolean>} false if another user or tab was faster; rejects with ApiError, for instance when a cell was
 *   edited since
 */
export async function undoOrRedo({ table_id: tableId, change_id: changeId }, way, onConflict) {
  let step = way === "undo" ? "undone" : "redone";
  try {
    await api.post(`/api/tables/${tableId}/changes/${changeId}/${way}/`, onConflict ? { on_conflict: onConflict } : {});
  } catch (error) {
    if (error.code !== DONE[way]) throw error;
    step = "forget";
  }
  dispatch("table-changed", { table_id: tableId, change_id: changeId, step });
  return step !== "forget";
}

/**
 * The `undo` of the handlers of proposals about tables.
 * @param {any} payload  applied or undone @param {"undo"|"redo"} way @param {string} [onConflict]
 */
export async function undoProposal({ outcome }, way, onConflict) {
  const isOwn = await undoOrRedo({ table_id: outcome.table.id, change_id: outcome.change }, way, onConflict);
  const left = (outcome.skipped ?? []).filter((/** @type {any} */ entry) => entry.reason !== "nothing_to_do");
  const redone = left.length ? "partially_applied" : "applied";
  return { status: way === "undo" ? "undone" : redone, ...(isOwn ? {} : { fromOtherTab: true }) };
}
