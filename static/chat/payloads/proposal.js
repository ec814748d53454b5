// A proposal as it is looked over: what applying it comes to, and the talk with the server about it.

import { ApiError, api } from "../../api.js";
import { late, load } from "../../element.js";
import { t } from "../../locale.js";
import { announceNext } from "../message_queue.js";
import { CheckedOperations } from "./checked_operations.js";

/** @param {string} name @param {any} detail */
function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

export class Proposal {
  /** @param {Payload} payload @param {() => void} [changed]  called whenever something is to be drawn */
  constructor(payload, changed = () => {}) {
    this.payload = payload;
    this.changed = changed;
    this.address = `/api/chat/payloads/${payload.id}`;
    this.operations = new CheckedOperations([]);
    this.preview = /** @type {any} */ (null);
    this.edits = /** @type {Record<string, Record<string, any>>} */ ({});
    /** @type {Record<string, any>} what else goes along with an apply: name, samples, what to do with values */
    this.wishes = {};
    /** Those of them that are stored with the review. @type {Record<string, any>} */
    this.said = {};
    this.busy = /** @type {"" | "reading" | "applying" | "dismissing" | "leaving"} */ ("");
    this.fault = payload.last_error ?? "";
    this.over = false;
    /** What its own apply has done, of what is looked over here: by the index of the operation. @type {Map<number, any>} */
    this.done = new Map();
    /** What the assistant means to do next, "" for nothing; `goesOn` is the person's word on it. */
    this.next = String(payload.data?.next ?? "").trim();
    this.goesOn = this.next !== "";
    /** How often a preview was asked for: what an earlier one was answered is old. */
    this.asked = 0;
    this.revision = 0;
    this.looking = false;
    /** Whether the stored review has to be read; `storing` loads what reads and saves it. */
    this.unread = true;
    this.storing = /** @type {Promise<import("./stored_review.js").StoredReview> | null} */ (null);
    this.listening = new AbortController();
    const { signal } = this.listening;
    // It may be settled from the chat, too.
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => detail?.id === this.id && this.settledElsewhere(detail), { signal });
    document.addEventListener("table-changed", () => this.lookAgain(), { signal });
    document.addEventListener("review-changed", (/** @type {any} */ { detail }) => this.reviewChanged(detail), { signal });
    document.addEventListener("proposal-discard", (/** @type {any} */ { detail }) => detail?.payload_id === this.id && this.dismiss(), { signal });
  }

  get id() {
    return this.payload.id;
  }

  /** Whether the person has given an answer that is on its way, or none can be given any more. */
  get answering() {
    return this.busy !== "" && this.busy !== "reading";
  }

  /** Another one takes its place in a moment. */
  rest() {
    if (!this.answering) this.busy = "leaving";
    this.changed();
  }

  /** Another has taken its place before it was answered, or it was: nothing that is told concerns it any more. */
  leave() {
    this.over = true;
    this.listening.abort();
    tell("proposal-review", { payload_id: this.id, over: true });
  }

  /** @param {any} answer  given elsewhere; the person's own tells for itself once it is here */
  settledElsewhere(answer) {
    if (this.over || this.answering) return;
    this.finish(answer);
    this.changed();
  }

  /** Others have changed the table: what is in conflict with that says so. One look at a time, and one more for what came since. */
  async lookAgain() {
    if (!this.preview || this.answering) return;
    this.outdated = true;
    if (this.looking) return;
    this.looking = true;
    while (this.outdated && !this.over) {
      this.outdated = false;
      await this.refresh({ quietly: true });
    }
    this.looking = false;
  }

  /** @param {{payload_id?: string, revision?: string}} detail  changed in another tab; empty where that may have been missed */
  reviewChanged({ payload_id: id = this.id, revision = Infinity }) {
    if (id !== this.id || Number(revision) <= this.revision) return;
    this.unread = true;
    this.lookAgain();
  }

  stored() {
    return (this.storing ??= late(t("Your review could not be loaded."), () => load(() => import("./stored_review.js"))).then(({ StoredReview }) => new StoredReview(this)));
  }

  /** Saves what the person has changed. */
  async touch() {
    (await this.stored()).note();
  }

  /** Asks what applying would do to the table as it is now. @param {{quietly?: boolean}} [how]  it can be answered meanwhile */
  async refresh({ quietly = false } = {}) {
    const mine = ++this.asked;
    const counts = () => mine === this.asked && !this.over;
    let { unread } = this;
    this.unread = false;
    if (!this.busy && !quietly) this.busy = "reading";
    if (!quietly) this.changed();
    try {
      if (unread && this.storing) await (await this.storing).save();
      const wanted = unread ? { review: true } : { edits: this.edits };
      const preview = await api.post(`${this.address}/preview/`, { operations: "all", ...wanted, ...this.decisions() });
      const stored = preview.review?.revision ? await this.stored() : null;
      if (!counts()) return;
      this.preview = preview;
      this.operations.take(preview.operations);
      stored?.adopt(preview.review);
      unread = false;
    } catch (error) {
      if (counts() && (!quietly || error instanceof ApiError)) this.failed(error);
    } finally {
      if (unread) {
        this.unread = true;
        this.outdated ||= !counts();
      }
      if (mine === this.asked && this.busy === "reading") this.busy = "";
      if (counts()) this.changed();
    }
  }

  /** @returns {Record<string, any>} the wishes a preview depends on */
  decisions() {
    const { on_unconvertible, on_removed_option } = this.wishes;
    return JSON.parse(JSON.stringify({ on_unconvertible, on_removed_option }));
  }

  /** @param {number} index @param {Record<string, any>} cells  the person's own values in place of the proposed ones */
  async edit(index, cells) {
    this.edits[index] = { ...this.edits[index], ...cells };
    this.touch();
    await this.refresh();
  }

  async apply() {
    if (this.busy || this.over || (this.operations.total && !this.operations.selected)) return;
    this.busy = "applying";
    this.fault = "";
    this.changed();
    const body = { operations: this.operations.choice, edits: this.chosenEdits(), content_hash: this.payload.content_hash, ...this.wishes, table_name: this.said.table_name };
    if (this.operations.overwrites.length) body.on_conflict = Object.fromEntries(this.operations.overwrites.map((index) => [index, "overwrite"]));
    try {
      const answer = await api.post(`${this.address}/apply/`, body);
      this.done = new Map((answer.outcome?.applied ?? []).map((/** @type {any} */ entry) => [entry.index, entry]));
      this.settle(answer);
    } catch (error) {
      this.failed(error);
      this.busy = "";
      if (!this.over) await this.refresh();
    }
  }

  /** @returns {Record<string, any>} */
  chosenEdits() {
    return Object.fromEntries(Object.entries(this.edits).filter(([index]) => this.operations.checked.has(Number(index))));
  }

  async dismiss() {
    if (this.answering || this.over) return;
    this.busy = "dismissing";
    this.changed();
    try {
      this.settle(await api.post(`${this.address}/dismiss/`, {}));
    } catch (error) {
      this.failed(error);
    } finally {
      this.busy = "";
      if (!this.over) this.changed();
    }
  }

  /** @param {any} error  nothing was changed; the proposal is still there, unless it was settled elsewhere */
  failed(error) {
    if (error instanceof ApiError && error.code.startsWith("already_")) {
      this.settle({ id: this.id, status: error.body.status ?? error.code.slice("already_".length), outcome: error.body.outcome });
      return;
    }
    const reasons = (error.errors ?? []).slice(0, 3).map((one) => one.detail);
    if (error instanceof ApiError) this.fault = [error.message, ...reasons].join(" ");
    else if (this.busy === "applying") this.fault = t("The server could not be reached, so the changes may be applied or not. Try again: nothing is applied twice.");
    else this.fault = t("The server could not be reached. Nothing was changed.");
  }

  /** @param {any} answer  nothing can be said about it any more */
  finish(answer) {
    this.busy = "";
    this.answer = answer;
    this.leave();
  }

  /** @param {any} answer */
  settle(answer) {
    this.finish(answer);
    tell("payload-settled", answer);
    const table = answer.outcome?.table?.id;
    if (table && !answer.moved_to) {
      tell("table-changed", { table_id: table, change_id: answer.outcome.change, version: answer.outcome.version });
    }
    if (answer.next && this.goesOn) announceNext(answer, sessionStorage);
    this.changed();
  }

  /** @param {string} summary  what the composer says is under review */
  announce(summary) {
    if (this.over) return;
    tell("proposal-review", { payload_id: this.id, selected: this.operations.selected, total: this.operations.total, summary });
  }
}
