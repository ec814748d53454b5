// Client actions that run without a click: each runs once, in the tab that requested it, and leaves a receipt below the answer
// with an undo button. Receipts are stored in this tab, so that a reload shows them again and runs nothing.

import { drawRevealed, el, icon, toast } from "../element.js";
import { t } from "../locale.js";
import { button } from "./tray_parts.js";
import { clientAction, clientActionOptions } from "./registry.js";

const KEY = "action-receipts";
const MAX_TURNS = 30;

/**
 * @typedef {{phase: "done" | "back" | "failed", text: string, fault?: string, state?: any, label?: string}} ActionReceipt
 *   label: of the undo button
 */

export class ActionReceipts {
  /** By turn id and index of the action. @type {Record<string, Record<string, ActionReceipt>>} */
  #turns;
  /** Actions in progress. @type {Set<string>} */
  #busy = new Set();
  /** Actions that change data and did not run, since the turn was not started by a typed message. @type {Set<string>} */
  #notRun = new Set();

  /**
   * @param {{onChange: () => void, say: (words: string) => void, news?: () => void, sheet?: HTMLElement}} tray
   * @param {Pick<Storage, "getItem" | "setItem">} [store]  of this tab
   */
  constructor({ onChange, say, news, sheet }, store = sessionStorage) {
    Object.assign(this, { store, onChange, say, news, sheet });
    this.#turns = read(store);
    this.#changed();
  }

  /** Replace `draw`: the turn elements compare it to find out whether they must be redrawn. */
  #changed() {
    /** @type {(turn: TurnView, last: boolean) => [any, (() => Node[])?]} what a turn shows, "" for nothing, and its build function */
    this.draw = (turn, last) => {
      const indexes = turn.phase === "complete" ? runningIndexes(turn) : [];
      return indexes.length ? [[turn.suggestedActions, this.receiptsOf(turn), last], () => this.#nodes(turn, last)] : [""];
    };
    this.onChange();
  }

  /** @param {TurnView} turn @returns {Record<string, ActionReceipt>} */
  receiptsOf({ turnId }) {
    return this.#turns[turnId] ?? {};
  }

  /**
   * Run the turn's actions in order, each at most once.
   * @param {TurnView} turn @param {{writes: boolean}} may  writes: also run actions that change data; otherwise they are offered as buttons
   */
  async run(turn, { writes }) {
    const covers = this.#coversPage;
    for (const index of runningIndexes(turn)) {
      if (writes || !this.#writes(turn, index)) await this.#run(turn, index, covers);
      else this.#notRun.add(`${turn.turnId} ${index}`);
    }
    if (this.#notRun.size) this.#changed();
  }

  /** @param {TurnView} turn @param {number} index @returns {boolean} */
  #writes({ suggestedActions }, index) {
    return clientActionOptions(suggestedActions[index].action).writes === true;
  }

  /** Whether the chat covers the page, as on a phone. */
  get #coversPage() {
    return this.sheet?.matches(":popover-open") === true;
  }

  /**
   * @param {TurnView} turn @param {number} index
   * @param {boolean} [covered]  whether the chat covered the page before this action, or before earlier ones of the turn
   * @returns {Promise<void>}
   */
  #run(turn, index, covered = this.#coversPage) {
    if (this.receiptsOf(turn)[index]) return Promise.resolve();
    const { action, data } = turn.suggestedActions[index];
    return this.#once(turn, index, async () => {
      try {
        const done = await clientAction(action)(data ?? {});
        this.#put(turn, index, { phase: "done", text: done?.text ?? turn.suggestedActions[index].label, state: done?.state, label: done?.label });
        uncoverPage(this.sheet, action);
        // The receipt cannot be seen, also if the action itself or an earlier one has closed the chat.
        if (covered && !this.#coversPage) this.#showToast(turn, index, done);
      } catch (error) {
        const fault = /** @type {Error} */ (error).message;
        this.#put(turn, index, { phase: "failed", text: t("Not done"), fault });
        if (covered && !this.#coversPage) toast(fault, { kind: "error" });
      }
    });
  }

  /** Offer undo while the chat with the receipt is closed. @param {TurnView} turn @param {number} index @param {{opens?: boolean}} [done] */
  #showToast(turn, index, { opens } = {}) {
    this.news?.();
    if (opens) return;
    const { text, state, label } = this.receiptsOf(turn)[index];
    const run = async () => {
      await this.undo(turn, index);
      const { phase, fault } = this.receiptsOf(turn)[index];
      if (phase === "done" && fault) toast(fault, { kind: "error" });
    };
    const { undo } = clientActionOptions(turn.suggestedActions[index].action);
    toast(text, undo && state !== undefined ? { action: { label: label ?? t("Undo"), run } } : {});
  }

  /** @param {TurnView} turn @param {number} index @returns {Promise<void>} */
  undo(turn, index) {
    const receipt = this.receiptsOf(turn)[index];
    const { undo } = clientActionOptions(turn.suggestedActions[index].action);
    if (receipt?.phase !== "done" || receipt.state === undefined || !undo) return Promise.resolve();
    return this.#once(turn, index, async () => {
      try {
        const fault = await undo(receipt.state);
        this.#put(turn, index, { phase: "back", text: receipt.text, fault: fault ?? t("Undone") });
      } catch (error) {
        this.#put(turn, index, { ...receipt, fault: /** @type {Error} */ (error).message });
      }
    });
  }

  /**
   * Run work unless it is in progress, since a button may be pressed twice before it is redrawn.
   * @param {TurnView} turn @param {number} index @param {() => Promise<void>} work
   */
  async #once({ turnId }, index, work) {
    const key = `${turnId} ${index}`;
    if (this.#busy.has(key)) return;
    this.#busy.add(key);
    await work();
    this.#busy.delete(key);
  }

  /** @param {TurnView} turn @param {number} index @param {ActionReceipt} receipt */
  #put(turn, index, receipt) {
    const { [turn.turnId]: known = {}, ...others } = this.#turns;
    const latest = Object.entries(others).slice(1 - MAX_TURNS);
    this.#turns = { ...Object.fromEntries(latest), [turn.turnId]: { ...known, [index]: receipt } };
    try {
      this.store.setItem(KEY, JSON.stringify(this.#turns));
    } catch {
      // The storage is full: receipts last until the page is closed.
    }
    this.say([receipt.text, receipt.fault].filter(Boolean).join(": "));
    this.#changed();
  }

  /** @param {TurnView} turn @param {boolean} last  whether actions that did not run are offered as buttons @returns {Node[]} */
  #nodes(turn, last) {
    const receipts = this.receiptsOf(turn);
    const indexes = runningIndexes(turn);
    const lines = indexes.filter((index) => receipts[index]).map((index) => this.#line(turn, index, receipts[index]));
    // Another tab may have run it: actions that change data are not offered a second time.
    const mayOffer = (/** @type {number} */ index) => !receipts[index] && (!this.#writes(turn, index) || this.#notRun.has(`${turn.turnId} ${index}`));
    const offered = last ? indexes.filter(mayOffer) : [];
    const buttons = offered.map((index) => button(turn.suggestedActions[index].label, { onclick: () => this.#run(turn, index) }));
    return buttons.length ? [...lines, el("div", { class: "actions", role: "group", "aria-label": t("Actions") }, ...buttons)] : lines;
  }

  /** @param {TurnView} turn @param {number} index @param {ActionReceipt} receipt */
  #line(turn, index, { phase, text, fault, state, label }) {
    const back = phase === "done" && state !== undefined && button(label ?? t("Undo"), { onclick: () => this.undo(turn, index), class: "link" });
    const name = phase === "failed" ? "circle-alert" : phase === "back" ? "undo-2" : "check";
    return el("div", { class: "notice is-plain", dataset: { receipt: turn.suggestedActions[index].action } },
      icon(name, "icon--14"), el("b", {}, drawRevealed(text)), back && el("span", { class: "notice__actions" }, back),
      fault ? el("p", {}, drawRevealed(fault)) : null);
  }
}

/**
 * Close the chat where it covers the page, which shows the effect of the action.
 * @param {HTMLElement | null | undefined} sheet @param {string} action
 */
function uncoverPage(sheet, action) {
  if (!sheet?.matches(":popover-open") || clientActionOptions(action).reveals === false) return;
  sheet.hidePopover();
}

/**
 * Run the action of a button and show a toast with an undo button.
 * @param {{action: string, data?: any}} entry @param {HTMLButtonElement} control
 * @param {Pick<import("./server_action.js").ActionContext, "onFault">} context
 */
export async function execute({ action, data }, control, { onFault }) {
  const { undo } = clientActionOptions(action);
  const failed = (/** @type {Error} */ error) => onFault(error.message);
  try {
    const { text, state, label, opens } = (await clientAction(action)(data ?? {})) ?? {};
    uncoverPage(control.closest(".tray"), action);
    const run = () => void Promise.resolve(state).then(undo).catch(failed);
    if (text && !opens) toast(text, undo && state !== undefined ? { action: { label: label ?? t("Undo"), run } } : {});
  } catch (error) {
    failed(/** @type {Error} */ (error));
  }
}

/** @param {TurnView} turn @returns {number[]} indexes of the actions that run without a click and exist on this page */
function runningIndexes({ suggestedActions }) {
  return suggestedActions.flatMap(({ run, action }, at) => (run === true && clientAction(action) ? [at] : []));
}

/** @param {Pick<Storage, "getItem">} store @returns {Record<string, Record<string, ActionReceipt>>} empty if the stored value is invalid */
function read(store) {
  try {
    const known = JSON.parse(store.getItem(KEY) ?? "{}");
    return known && typeof known === "object" && !Array.isArray(known) ? known : {};
  } catch {
    return {};
  }
}
