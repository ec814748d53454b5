// Undo and redo, on the server and in unsaved rows.

import { ApiError, api } from "../api.js";
import { load, removeUndoToasts, toast } from "../element.js";
import { t } from "../locale.js";

/** Error codes for changes that need no undo or redo any more. */
const NOTHING_TO_DO = new Set(["nothing_left", "already_undone", "not_undone"]);

/**
 * @typedef {object} DraftEdit
 * @property {import("./new_rows.js").Draft} draft
 * @property {import("./new_rows.js").Draft} before  a copy of it
 * @property {number} after  the last change of this tab at that time, 0 for none
 * @property {number} failures  of the writer at that time
 */

/** @param {GridWriter} writer @param {DraftEdit} edit  the last one of its row */
export function undoEdit(writer, edit) {
  const { drafts } = writer.grid;
  drafts.edits = drafts.edits.filter((/** @type {DraftEdit} */ one) => one !== edit);
  const { data, created, reasons, changed } = edit.before;
  Object.assign(edit.draft, { data, created, reasons, changed });
  edit.draft.note?.remove();
  drafts.redraw();
  writer.status.message = t("Undone");
}

/**
 * @param {import("./pending_writes.js").UndoRedo} undoRedo @param {{change: number, verb: "undo" | "redo", onConflict?: "skip" | "overwrite"}} how
 * @returns {Promise<"refused" | void>} refused, after a message: nothing is unsaved
 */
export async function sendUndoOrRedo(undoRedo, { change, verb, onConflict }) {
  const { writer } = undoRedo;
  try {
    await api.post(`${writer.address}/changes/${change}/${verb}/`, onConflict ? { on_conflict: onConflict } : {});
    undoRedo.record(verb === "undo" ? "undone" : "redone", change);
    writer.grid.dispatchEvent(new CustomEvent("change-undo-toggled", { bubbles: true, detail: { change, verb } }));
    writer.status.message = verb === "undo" ? t("Undone") : t("Redone");
    await writer.grid.reload();
  } catch (error) {
    const mine = undoRedo.stack.contains(change);
    if (error instanceof ApiError) undoRedo.stack.record("forget", change);
    if (NOTHING_TO_DO.has(error.code)) {
      // Nothing failed, but nothing was saved either.
      removeUndoToasts(change);
      writer.status.message = "";
      toast(error.message);
      return;
    }
    const conflicts = await load(() => import("./undo_conflicts.js")).catch(() => null);
    if (conflicts) await conflicts.showRefusal(undoRedo, { change, verb, mine }, error);
    else toast(error.message, { kind: "error" });
    if (error.status < 500) return "refused";
    throw error;
  } finally {
    undoRedo.showStack();
  }
}
