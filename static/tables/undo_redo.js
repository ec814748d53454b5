// Undoing and redoing, on the server and in new rows that are not saved.

import { ApiError, api } from "../api.js";
import { load, removeUndoToasts, toast } from "../element.js";
import { t } from "../locale.js";

/** Errors that say that a change is as it was to be: undone elsewhere, done again, or nothing of it is left. */
const LEFT_ALONE = new Set(["nothing_left", "already_undone", "not_undone"]);

/**
 * @typedef {object} DraftEdit
 * @property {import("./new_rows.js").Draft} draft
 * @property {import("./new_rows.js").Draft} before  a copy of it
 * @property {number} after  the last change of this tab by then; 0: none
 * @property {number} failures  of the writer by then
 */

/** @param {GridWriter} writer @param {DraftEdit} edit  the last one of its row */
export function undoEdit(writer, edit) {
  const { drafts } = writer.grid;
  drafts.edits = drafts.edits.filter((/** @type {DraftEdit} */ one) => one !== edit);
  const { data, created, reasons, changed } = edit.before;
  Object.assign(edit.draft, { data, created, reasons, changed });
  edit.draft.note?.remove();
  drafts.redraw();
  writer.status.word = t("Undone");
}

/** @param {import("./pending_writes.js").OwnChangesPast} past @param {{change: number, verb: "undo" | "redo", onConflict?: "keep" | "overwrite"}} how */
export async function carryBack(past, { change, verb, onConflict }) {
  const { writer } = past;
  try {
    await api.post(`${writer.address}/changes/${change}/${verb}/`, onConflict ? { on_conflict: onConflict } : {});
    past.record(verb === "undo" ? "undone" : "redone", change);
    writer.grid.dispatchEvent(new CustomEvent("change-turned-back", { bubbles: true, detail: { change, verb } }));
    writer.status.word = verb === "undo" ? t("Undone") : t("Done again");
    await writer.grid.reload();
  } catch (error) {
    const mine = past.stack.holds(change);
    if (error instanceof ApiError) past.stack.record("forget", change);
    if (LEFT_ALONE.has(error.code)) {
      // Nothing went wrong, and nothing was saved either.
      removeUndoToasts(change);
      writer.status.word = "";
      toast(error.message);
      return;
    }
    const words = await load(() => import("./undo_conflicts.js")).catch(() => null);
    if (words) await words.showRefusal(past, { change, verb, mine }, error);
    else toast(error.message, { kind: "error" });
    throw error;
  } finally {
    past.showStack();
  }
}
