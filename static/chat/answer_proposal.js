// Applies and dismisses proposals from their cards, and undoes and redoes changes from receipts and tool cards. Loaded when one
// of these buttons is first pressed.

import { api, isResolvable } from "../api.js";
import { t } from "../locale.js";
import { dispatchNextStep } from "./message_queue.js";
import { changeKey, conflictWords, dispatch, payloadHandler, toolHandler } from "./registry.js";

const BUSY = { undo: t("Undoing…"), redo: t("Redoing…"), apply: t("Applying…"), dismiss: t("Dismissing…") };
const ALREADY_UNDONE = "already_undone"; // by another user or tab

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
  /** Failed undo and redo requests, by the key of a tool's change. @type {Map<string, UndoFailure>} */
  byChange = new Map();

  /** @param {{onChange: () => void, onUndoTool: (undo: any, undone: boolean) => void}} listener */
  constructor({ onChange, onUndoTool }) {
    Object.assign(this, { onChange, onUndoTool });
  }

  /**
   * @param {any} payload  applied or undone, of a type whose handler undoes it @param {"undo"|"redo"} way
   * @param {"skip"|"overwrite"} [onConflict]  how to handle what has changed since
   */
  async undoOrRedo(payload, way, onConflict) {
    if (this.#isBusy(payload.id)) return;
    this.#set(payload.id, { busy: BUSY[way], fault: "", blocked: "" });
    try {
      dispatch("payload-settled", { id: payload.id, ...(await payloadHandler(payload.type).undo(payload, way, onConflict)) });
    } catch (error) {
      this.#set(payload.id, { busy: "", fault: await errorText(error), blocked: isResolvable(error) ? way : "" });
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
      else if (error.code === ALREADY_UNDONE) dispatch("payload-settled", { id: payload.id, status: "undone", fromOtherTab: true });
      else this.#set(payload.id, { busy: "", fault: await errorText(error), blocked: isResolvable(error) ? "undo" : "" });
    }
  }

  /**
   * @param {ToolView} tool  with an undo @param {"undo"|"redo"} way
   * @param {"skip"|"overwrite"} [onConflict]  how to handle what has changed since
   */
  async undoOrRedoTool({ name, undo }, way, onConflict) {
    const key = changeKey(undo);
    try {
      await toolHandler(name).undo(undo, way, onConflict);
    } catch (error) {
      const failure = { fault: await errorText(error), blocked: isResolvable(error) ? way : "", undone: way === "redo" };
      this.byChange = new Map([...this.byChange, [key, failure]]);
      this.onChange();
      return;
    }
    this.byChange = new Map([...this.byChange].filter(([other]) => other !== key));
    this.onUndoTool(undo, way === "undo");
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
