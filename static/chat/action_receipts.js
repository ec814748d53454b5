// Client actions that ran because they were asked for: each runs once, in the tab that asked, and leaves a line below the
// answer with a button that takes it back. The lines are the tab's own, so a reload shows them again and runs nothing.

import { drawRevealed, el, icon, toast } from "../element.js";
import { t } from "../locale.js";
import { button } from "./tray_parts.js";
import { clientAction, clientActionOptions } from "./registry.js";

const KEY = "action-receipts";
const MAX_TURNS = 30;

/**
 * @typedef {{phase: "done" | "back" | "failed", text: string, fault?: string, state?: any, label?: string}} ActionReceipt
 *   label: of the button that takes it back
 */

export class ActionReceipts {
  /** By turn id and place among its actions. @type {Record<string, Record<string, ActionReceipt>>} */
  #turns;
  /** What is under way. @type {Set<string>} */
  #busy = new Set();
  /** What changes data and was not run, because the person did not ask for it just now. @type {Set<string>} */
  #notRun = new Set();

  /** @param {{onChange: () => void, say: (words: string) => void}} tray @param {Pick<Storage, "getItem" | "setItem">} [store]  the tab's own */
  constructor({ onChange, say }, store = sessionStorage) {
    Object.assign(this, { store, onChange, say });
    this.#turns = read(store);
    this.#changed();
  }

  /** Replace `draw`, so that a comparison with the last one shows that there is something to draw. */
  #changed() {
    /** @type {(turn: TurnView, last: boolean) => [any, (() => Node[])?]} what a turn shows, "" for nothing, and what builds it */
    this.draw = (turn, last) => {
      const places = turn.phase === "complete" ? runningPlaces(turn) : [];
      return places.length ? [[turn.suggestedActions, this.of(turn), last], () => this.#nodes(turn, last)] : [""];
    };
    this.onChange();
  }

  /** @param {TurnView} turn @returns {Record<string, ActionReceipt>} */
  of({ turnId }) {
    return this.#turns[turnId] ?? {};
  }

  /**
   * Runs what was asked for, one after the other; nothing a second time.
   * @param {TurnView} turn @param {{writes: boolean}} may  writes: run also what changes data; otherwise it is offered as a button
   */
  async run(turn, { writes }) {
    for (const at of runningPlaces(turn)) {
      if (writes || !this.#writes(turn, at)) await this.#run(turn, at);
      else this.#notRun.add(`${turn.turnId} ${at}`);
    }
    if (this.#notRun.size) this.#changed();
  }

  /** @param {TurnView} turn @param {number} at @returns {boolean} */
  #writes({ suggestedActions }, at) {
    return clientActionOptions(suggestedActions[at].action).writes === true;
  }

  /** @param {TurnView} turn @param {number} at @returns {Promise<void>} */
  #run(turn, at) {
    if (this.of(turn)[at]) return Promise.resolve();
    const { action, data } = turn.suggestedActions[at];
    return this.#once(turn, at, async () => {
      try {
        const done = await clientAction(action)(data ?? {});
        this.#put(turn, at, { phase: "done", text: done?.text ?? turn.suggestedActions[at].label, state: done?.state, label: done?.label });
      } catch (error) {
        this.#put(turn, at, { phase: "failed", text: t("Not done"), fault: /** @type {Error} */ (error).message });
      }
    });
  }

  /** @param {TurnView} turn @param {number} at @returns {Promise<void>} */
  takeBack(turn, at) {
    const receipt = this.of(turn)[at];
    const { takeBack } = clientActionOptions(turn.suggestedActions[at].action);
    if (receipt?.phase !== "done" || receipt.state === undefined || !takeBack) return Promise.resolve();
    return this.#once(turn, at, async () => {
      try {
        const fault = await takeBack(receipt.state);
        this.#put(turn, at, { phase: "back", text: receipt.text, fault: fault ?? t("Taken back") });
      } catch (error) {
        this.#put(turn, at, { ...receipt, fault: /** @type {Error} */ (error).message });
      }
    });
  }

  /** Pressed twice before it was drawn anew, a button means it once. @param {TurnView} turn @param {number} at @param {() => Promise<void>} work */
  async #once({ turnId }, at, work) {
    const key = `${turnId} ${at}`;
    if (this.#busy.has(key)) return;
    this.#busy.add(key);
    await work();
    this.#busy.delete(key);
  }

  /** @param {TurnView} turn @param {number} at @param {ActionReceipt} receipt */
  #put(turn, at, receipt) {
    const { [turn.turnId]: known = {}, ...others } = this.#turns;
    const latest = Object.entries(others).slice(1 - MAX_TURNS);
    this.#turns = { ...Object.fromEntries(latest), [turn.turnId]: { ...known, [at]: receipt } };
    try {
      this.store.setItem(KEY, JSON.stringify(this.#turns));
    } catch {
      // A full store: then the lines are there until the page is left.
    }
    this.say([receipt.text, receipt.fault].filter(Boolean).join(": "));
    this.#changed();
  }

  /** @param {TurnView} turn @param {boolean} last  whether what did not run here is offered as a button @returns {Node[]} */
  #nodes(turn, last) {
    const receipts = this.of(turn);
    const places = runningPlaces(turn);
    const lines = places.filter((at) => receipts[at]).map((at) => this.#line(turn, at, receipts[at]));
    // In another tab it may have run; what changes data is not offered there a second time.
    const mayOffer = (/** @type {number} */ at) => !receipts[at] && (!this.#writes(turn, at) || this.#notRun.has(`${turn.turnId} ${at}`));
    const offered = last ? places.filter(mayOffer) : [];
    const buttons = offered.map((at) => button(turn.suggestedActions[at].label, { onclick: () => this.#run(turn, at) }));
    return buttons.length ? [...lines, el("div", { class: "acts", role: "group", "aria-label": t("Actions") }, ...buttons)] : lines;
  }

  /** @param {TurnView} turn @param {number} at @param {ActionReceipt} receipt */
  #line(turn, at, { phase, text, fault, state, label }) {
    const back = phase === "done" && state !== undefined && button(label ?? t("Take back"), { onclick: () => this.takeBack(turn, at), class: "link" });
    const name = phase === "failed" ? "circle-alert" : phase === "back" ? "undo-2" : "check";
    return el("div", { class: "notice is-plain", dataset: { receipt: turn.suggestedActions[at].action } },
      icon(name, "icon--14"), el("b", {}, drawRevealed(text)), back && el("span", { class: "notice__acts" }, back),
      fault ? el("p", {}, drawRevealed(fault)) : null);
  }
}

/**
 * Runs the action of a button, and says in a note what was done, with the way back.
 * @param {{action: string, data?: any}} entry @param {HTMLButtonElement} face
 * @param {Pick<import("./server_action.js").Around, "onFault">} around
 */
export async function pressed({ action, data }, face, { onFault }) {
  const { takeBack } = clientActionOptions(action);
  const failed = (/** @type {Error} */ error) => onFault(error.message);
  try {
    const { text, state, label } = (await clientAction(action)(data ?? {})) ?? {};
    const run = () => void Promise.resolve(state).then(takeBack).catch(failed);
    if (text) toast(text, takeBack && state !== undefined ? { action: { label: label ?? t("Take back"), run } } : {});
  } catch (error) {
    failed(/** @type {Error} */ (error));
  }
}

/** @param {TurnView} turn @returns {number[]} where among its actions those are that run, as far as this page has them */
function runningPlaces({ suggestedActions }) {
  return suggestedActions.flatMap(({ run, action }, at) => (run === true && clientAction(action) ? [at] : []));
}

/** @param {Pick<Storage, "getItem">} store @returns {Record<string, Record<string, ActionReceipt>>} nothing where what is stored is none of ours */
function read(store) {
  try {
    const known = JSON.parse(store.getItem(KEY) ?? "{}");
    return known && typeof known === "object" && !Array.isArray(known) ? known : {};
  } catch {
    return {};
  }
}
