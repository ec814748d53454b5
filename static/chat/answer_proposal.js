// Applies and dismisses proposals from their cards, and undoes and redoes changes from receipts and tool cards. Loaded when one
// of these buttons is first pressed.

import { api, isResolvable } from "../api.js";
import { t } from "../locale.js";
import { dispatchNextStep } from "./message_queue.js";
import { conflictWords, dispatch } from "./registry.js";

const BUSY = { undo: t("Undoing…"), redo: t("Redoing…"), apply: t("Applying…"), dismiss: t("Dismissing…") };
const DONE = { undo: "already_undone", redo: "not_undone" }; // another user or tab was faster; the change stays as it is

/** @typedef {UndoState & {undone: boolean}} UndoFailure  undone: the state of the tool's change when undo or redo failed */

/**
 * @typedef {object} AnswerState
 * @property {string} busy  label of the action in progress, "" for none
 * @property {string} fault  error message
 * @property {"undo"|"redo"|""} blocked  an undo or redo that would overwrite later changes: the user must choose how
 */

export class ProposalAnswers {
  /** By payload id. @type {Map<string, AnswerState>} */
  byPayload = new Map();
  /** Failed undo and redo requests, by the id of a tool's change. @type {Map<number, UndoFailure>} */
  byChange = new Map();

  /** @param {{onChange: () => void, onUndoChange: (changeId: number, undone: boolean) => void}} listener */
  constructor({ onChange, onUndoChange }) {
    Object.assign(this, { onChange, onUndoChange });
  }

  /**
   * @param {any} payload  applied or undone @param {"undo"|"redo"} way
   * @param {"skip"|"overwrite"} [onConflict]  how to handle cells that have changed since
   */
  async undoOrRedo(payload, way, onConflict) {
    if (this.#isBusy(payload.id)) return;
    this.#set(payload.id, { busy: BUSY[way], fault: "", blocked: "" });
    try {
      await undoOrRedo({ table_id: payload.outcome.table.id, change_id: payload.outcome.change }, way, onConflict);
      dispatch("payload-settled", { id: payload.id, status: way === "undo" ? "undone" : statusAfterRedo(payload) });
    } catch (error) {
      if (error.code === DONE[way]) {
        const { table, change } = payload.outcome;
        dispatch("table-changed", { table_id: table.id, change_id: change, step: "forget" });
        dispatch("payload-settled", { id: payload.id, status: way === "undo" ? "undone" : statusAfterRedo(payload), fromOtherTab: true });
      } else {
        this.#set(payload.id, { busy: "", fault: await errorText(error), blocked: isResolvable(error) ? way : "" });
      }
    }
  }

  /** @param {any} payload  only shown by its card @param {"apply"|"dismiss"|"undo"} way @param {any} [body]  the items to apply, or how to undo */
  async answer(payload, way, body) {
    if (this.#isBusy(payload.id)) return;
    this.#set(payload.id, { busy: BUSY[way], fault: "", blocked: "" });
    const { undo_url: address } = payload.outcome ?? {};
    try {
      if (way === "undo" && address) {
        await api.post(address, body);
        dispatch("payload-settled", { id: payload.id, status: "undone" });
      } else await answerPayload(payload.id, way, body);
    } catch (error) {
      if (way !== "undo") this.#set(payload.id, { busy: "", fault: error.message, blocked: "" });
      else if (error.code === DONE.undo) dispatch("payload-settled", { id: payload.id, status: "undone", fromOtherTab: true });
      else this.#set(payload.id, { busy: "", fault: await errorText(error), blocked: isResolvable(error) ? "undo" : "" });
    }
  }

  /**
   * @param {ToolView} tool  with a change @param {"undo"|"redo"} way
   * @param {"skip"|"overwrite"} [onConflict]  how to handle cells that have changed since
   */
  async undoOrRedoTool({ undo }, way, onConflict) {
    try {
      await undoOrRedo(undo, way, onConflict);
    } catch (error) {
      if (error.code !== DONE[way]) {
        const failure = { fault: await errorText(error), blocked: isResolvable(error) ? way : "", undone: way === "redo" };
        this.byChange = new Map([...this.byChange, [undo.change_id, failure]]);
        this.onChange();
        return;
      }
      dispatch("table-changed", { ...undo, step: "forget" });
    }
    this.byChange = new Map([...this.byChange].filter(([id]) => id !== undo.change_id));
    this.onUndoChange(undo.change_id, way === "undo");
  }

  /** A button may be pressed twice before it is redrawn. @param {string} payloadId */
  #isBusy(payloadId) {
    return Boolean(this.byPayload.get(payloadId)?.busy);
  }

  /** @param {string} payloadId */
  forget(payloadId) {
    this.byPayload = new Map([...this.byPayload].filter(([id]) => id !== payloadId));
  }

  /** @param {string} payloadId @param {AnswerState} state */
  #set(payloadId, state) {
    this.byPayload = new Map([...this.byPayload, [payloadId, state]]);
    this.onChange();
  }
}

/**
 * Apply, dismiss or undo a proposal, and dispatch `payload-settled`.
 * @param {string} payloadId @param {"apply"|"dismiss"|"undo"} way @param {any} [body]  the chosen items, all if left out
 * @returns {Promise<void>} rejects with ApiError
 */
export async function answerPayload(payloadId, way, body = way === "apply" ? { operations: "all" } : {}) {
  const answer = await api.post(`/api/chat/payloads/${payloadId}/${way}/`, body);
  const { id, status, outcome } = answer;
  dispatch("payload-settled", { id, status, outcome });
  if (answer.next) dispatchNextStep(answer, sessionStorage);
}

/** @param {any} error @returns {Promise<string>} with the conflicting changes, as the page describes them */
async function errorText(error) {
  const named = await conflictWords(error).catch(() => []);
  return [error.message, ...named].join(" ");
}

/**
 * @param {{table_id: number, change_id: number}} change @param {"undo"|"redo"} way @param {string} [onConflict]
 * @returns {Promise<void>} rejects with ApiError, for instance when a cell was edited since
 */
async function undoOrRedo({ table_id: tableId, change_id: changeId }, way, onConflict) {
  await api.post(`/api/tables/${tableId}/changes/${changeId}/${way}/`, onConflict ? { on_conflict: onConflict } : {});
  dispatch("table-changed", { table_id: tableId, change_id: changeId, step: way === "undo" ? "undone" : "redone" });
}

/** @param {any} payload @returns {string} its status after a redo */
function statusAfterRedo(payload) {
  const left = (payload.outcome?.skipped ?? []).filter((entry) => entry.reason !== "nothing_to_do");
  return left.length ? "partially_applied" : "applied";
}
