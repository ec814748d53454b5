// Answering a proposal from its card, taking back and doing again what a receipt or a tool card tells of. Fetched when the first
// of their buttons is pressed.

import { api, isDecidable } from "../api.js";
import { t } from "../locale.js";
import { conflictWords, tell } from "./registry.js";

const BUSY = { undo: t("Undoing…"), redo: t("Redoing…"), apply: t("Applying…"), dismiss: t("Dismissing…") };
const DONE = { undo: "already_undone", redo: "not_undone" }; // another person or tab was quicker: it is not for this tab to turn it back

/** @typedef {TurningBack & {undone: boolean}} TakenBack  of a tool's change that could not be turned back; undone: how it stood then */

/**
 * @typedef {object} Settling
 * @property {string} busy  what is under way, "" for nothing
 * @property {string} fault  why it did not work
 * @property {"undo"|"redo"|""} blocked  what would overwrite later changes: the person has to say what becomes of them
 */

export class Settlements {
  /** By payload id. @type {Map<string, Settling>} */
  byPayload = new Map();
  /** What did not work, by the id of a change that a tool made. @type {Map<number, TakenBack>} */
  byChange = new Map();

  /** @param {{onChange: () => void, onTurnedBack: (changeId: number, undone: boolean) => void}} listener */
  constructor({ onChange, onTurnedBack }) {
    Object.assign(this, { onChange, onTurnedBack });
  }

  /**
   * @param {any} payload  applied or undone @param {"undo"|"redo"} way
   * @param {"keep"|"overwrite"} [onConflict]  the person's word about cells that changed since
   */
  async turnBack(payload, way, onConflict) {
    if (this.#isBusy(payload.id)) return;
    this.#set(payload.id, { busy: BUSY[way], fault: "", blocked: "" });
    try {
      await turnBack({ table_id: payload.outcome.table.id, change_id: payload.outcome.change }, way, onConflict);
      tell("payload-settled", { id: payload.id, status: way === "undo" ? "undone" : statusAgain(payload) });
    } catch (error) {
      if (error.code === DONE[way]) {
        const { table, change } = payload.outcome;
        tell("table-changed", { table_id: table.id, change_id: change, step: "forget" });
        tell("payload-settled", { id: payload.id, status: way === "undo" ? "undone" : statusAgain(payload), elsewhere: true });
      } else {
        this.#set(payload.id, { busy: "", fault: await reasonOf(error), blocked: isDecidable(error) ? way : "" });
      }
    }
  }

  /** @param {any} payload  pending, and shown by nothing but its card @param {"apply"|"dismiss"} way */
  async answer(payload, way) {
    if (this.#isBusy(payload.id)) return;
    this.#set(payload.id, { busy: BUSY[way], fault: "", blocked: "" });
    try {
      await answerPayload(payload.id, way);
    } catch (error) {
      this.#set(payload.id, { busy: "", fault: error.message, blocked: "" });
    }
  }

  /**
   * @param {ToolView} tool  one that wrote @param {"undo"|"redo"} way
   * @param {"keep"|"overwrite"} [onConflict]  the person's word about cells that changed since
   */
  async turnBackTool({ undo }, way, onConflict) {
    try {
      await turnBack(undo, way, onConflict);
    } catch (error) {
      if (error.code !== DONE[way]) {
        const fault = { fault: await reasonOf(error), blocked: isDecidable(error) ? way : "", undone: way === "redo" };
        this.byChange = new Map([...this.byChange, [undo.change_id, fault]]);
        this.onChange();
        return;
      }
      tell("table-changed", { ...undo, step: "forget" });
    }
    this.byChange = new Map([...this.byChange].filter(([id]) => id !== undo.change_id));
    this.onTurnedBack(undo.change_id, way === "undo");
  }

  /** Pressed twice before it was drawn anew, a button means it once. @param {string} payloadId */
  #isBusy(payloadId) {
    return Boolean(this.byPayload.get(payloadId)?.busy);
  }

  /** @param {string} payloadId */
  forget(payloadId) {
    this.byPayload = new Map([...this.byPayload].filter(([id]) => id !== payloadId));
  }

  /** @param {string} payloadId @param {Settling} state */
  #set(payloadId, state) {
    this.byPayload = new Map([...this.byPayload, [payloadId, state]]);
    this.onChange();
  }
}

/**
 * Applies all of a proposal, or dismisses it, and tells the page.
 * @param {string} payloadId @param {"apply"|"dismiss"} way @returns {Promise<void>} rejects with ApiError
 */
export async function answerPayload(payloadId, way) {
  const body = way === "apply" ? { operations: "all" } : {};
  const { id, status, outcome } = await api.post(`/api/chat/payloads/${payloadId}/${way}/`, body);
  tell("payload-settled", { id, status, outcome });
}

/** @param {any} error @returns {Promise<string>} with what would be overwritten, in the words of the page that shows it */
async function reasonOf(error) {
  const named = await conflictWords(error).catch(() => []);
  return [error.message, ...named].join(" ");
}

/**
 * @param {{table_id: number, change_id: number}} change @param {"undo"|"redo"} way @param {string} [onConflict]
 * @returns {Promise<void>} rejects with ApiError, for instance when a cell was edited since
 */
async function turnBack({ table_id: tableId, change_id: changeId }, way, onConflict) {
  await api.post(`/api/tables/${tableId}/changes/${changeId}/${way}/`, onConflict ? { on_conflict: onConflict } : {});
  tell("table-changed", { table_id: tableId, change_id: changeId, step: way === "undo" ? "undone" : "redone" });
}

/** @param {any} payload  @returns {string} its status once what it did is done again */
function statusAgain(payload) {
  const left = (payload.outcome?.skipped ?? []).filter((entry) => entry.reason !== "nothing_to_do");
  return left.length ? "partially_applied" : "applied";
}
