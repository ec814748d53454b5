// Taking back and doing again what a receipt or a tool card tells of.

import { api } from "../api.js";

const BUSY = { undo: "Undoing…", redo: "Redoing…" };

/** @param {string} name @param {unknown} detail */
export function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

export class Settlements {
  /** By payload id: what is under way, or why it did not work. @type {Map<string, {busy: string, fault: string}>} */
  byPayload = new Map();
  /** Ids of changes that were taken back from tool cards. @type {Set<number>} */
  undone = new Set();

  /** @param {{onChange: () => void, onFault: (sentence: string) => void}} listener */
  constructor({ onChange, onFault }) {
    this.onChange = onChange;
    this.onFault = onFault;
  }

  /** @param {any} payload  applied or undone @param {"undo"|"redo"} way */
  async turnBack(payload, way) {
    this.#set(payload.id, { busy: BUSY[way], fault: "" });
    try {
      await turnBack({ table_id: payload.outcome.table.id, change_id: payload.outcome.change }, way);
      tell("payload-settled", { id: payload.id, status: way === "undo" ? "undone" : statusAgain(payload) });
    } catch (error) {
      this.#set(payload.id, { busy: "", fault: error.message });
    }
  }

  /** @param {ToolView} tool  one that wrote */
  async undoTool(tool) {
    try {
      await turnBack(tool.undo, "undo");
      this.undone = new Set([...this.undone, tool.undo.change_id]);
      this.onChange();
    } catch (error) {
      this.onFault(error.message);
    }
  }

  /** @param {string} payloadId */
  forget(payloadId) {
    this.byPayload = new Map([...this.byPayload].filter(([id]) => id !== payloadId));
  }

  /** @param {string} payloadId @param {{busy: string, fault: string}} state */
  #set(payloadId, state) {
    this.byPayload = new Map([...this.byPayload, [payloadId, state]]);
    this.onChange();
  }
}

/**
 * @param {{table_id: number, change_id: number}} change @param {"undo"|"redo"} way
 * @returns {Promise<void>} rejects with ApiError, for instance when a cell was edited since
 */
async function turnBack({ table_id: tableId, change_id: changeId }, way) {
  await api.post(`/api/tables/${tableId}/changes/${changeId}/${way}/`);
  tell("table-changed", { table_id: tableId, change_id: changeId });
}

/** @param {any} payload  @returns {string} its status once what it did is done again */
function statusAgain(payload) {
  return (payload.outcome?.skipped ?? []).length > 0 ? "partially_applied" : "applied";
}
