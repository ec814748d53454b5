// A proposal under review: its preview, the requests to the server, and its operations with their checkboxes.

import { ApiError, api } from "../../api.js";
import { lazy, load } from "../../element.js";
import { t } from "../../locale.js";
import { dispatchNextStep } from "../message_queue.js";
import { dispatch } from "../registry.js";

export class Proposal {
  /** @param {Payload} payload @param {() => void} [changed]  called when it must be redrawn */
  constructor(payload, changed = () => {}) {
    this.payload = payload;
    this.changed = changed;
    this.address = `/api/chat/payloads/${payload.id}`;
    this.operations = new CheckedOperations([]);
    this.preview = /** @type {any} */ (null);
    this.edits = /** @type {Record<string, Record<string, any>>} */ ({});
    /** @type {Record<string, any>} further fields of the apply request: samples, handling of values */
    this.applyOptions = {};
    /** Options that are stored with the review. @type {Record<string, any>} */
    this.storedOptions = {};
    this.busy = /** @type {"" | "reading" | "applying" | "dismissing" | "leaving"} */ ("");
    this.fault = payload.last_error ?? "";
    this.over = false;
    /** Applied operations of this tab's own apply, by index. @type {Map<number, any>} */
    this.done = new Map();
    /** The next step announced by the assistant, "" for none; `runsNext`: whether the user wants it. */
    this.next = String(payload.data?.next ?? "").trim();
    this.runsNext = this.next !== "";
    /** Number of preview requests; responses of earlier ones are ignored. */
    this.previewCount = 0;
    this.revision = 0;
    this.isRefreshing = false;
    /** Whether the stored review must be read; `storedReview` is the module that reads and saves it. */
    this.unread = true;
    this.storedReview = /** @type {Promise<import("./stored_review.js").StoredReview> | null} */ (null);
    this.listening = new AbortController();
    const { signal } = this.listening;
    // It can also be answered in the chat.
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => detail?.id === this.id && this.onSettled(detail), { signal });
    document.addEventListener("table-changed", () => this.refreshQuietly(), { signal });
    document.addEventListener("review-changed", (/** @type {any} */ { detail }) => this.reviewChanged(detail), { signal });
    document.addEventListener("proposal-discard", (/** @type {any} */ { detail }) => detail?.payload_id === this.id && this.dismiss(), { signal });
  }

  get id() {
    return this.payload.id;
  }

  /** Whether an answer is being sent, or none is possible any more. */
  get answering() {
    return this.busy !== "" && this.busy !== "reading";
  }

  /** Disable it until another proposal replaces it. */
  disable() {
    if (!this.answering) this.busy = "leaving";
    this.changed();
  }

  /** It was answered or replaced: stop listening. */
  close() {
    this.over = true;
    this.listening.abort();
    dispatch("proposal-review", { payload_id: this.id, over: true });
  }

  /** @param {any} answer  given in the chat or another tab; ignored while this tab sends its own */
  onSettled(answer) {
    if (this.over || this.answering) return;
    this.finish(answer);
    this.changed();
  }

  /** The table has changed: check for conflicts again. One refresh at a time, and another one for later changes. */
  async refreshQuietly() {
    if (!this.preview || this.answering) return;
    this.outdated = true;
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    while (this.outdated && !this.over) {
      this.outdated = false;
      await this.refresh({ quietly: true });
    }
    this.isRefreshing = false;
  }

  /** @param {{payload_id?: string, revision?: string}} detail  of a change in another tab; empty if it may have been missed */
  reviewChanged({ payload_id: id = this.id, revision = Infinity }) {
    if (id !== this.id || Number(revision) <= this.revision) return;
    this.unread = true;
    this.refreshQuietly();
  }

  loadStoredReview() {
    return (this.storedReview ??= lazy(t("Your review could not be loaded."), () => load(() => import("./stored_review.js"))).then(({ StoredReview }) => new StoredReview(this)));
  }

  /** Save the user's decisions. */
  async saveDecisions() {
    (await this.loadStoredReview()).scheduleSave();
  }

  /** Request a preview against the current table. @param {{quietly?: boolean}} [how]  quietly: without blocking the buttons */
  async refresh({ quietly = false } = {}) {
    const number = ++this.previewCount;
    const isCurrent = () => number === this.previewCount && !this.over;
    let { unread } = this;
    this.unread = false;
    if (!this.busy && !quietly) this.busy = "reading";
    if (!quietly) this.changed();
    try {
      if (unread && this.storedReview) await (await this.storedReview).save();
      const wanted = unread ? { review: true } : { edits: this.edits };
      const preview = await api.post(`${this.address}/preview/?keys=id`, { operations: "all", ...wanted, ...this.decisions() });
      const storedReview = preview.review?.revision ? await this.loadStoredReview() : null;
      if (!isCurrent()) return;
      this.preview = preview;
      this.operations.update(preview.operations);
      storedReview?.adopt(preview.review);
      unread = false;
    } catch (error) {
      // The response to a decision that is being sent is more complete.
      if (isCurrent() && !this.answering && (!quietly || error instanceof ApiError)) this.showError(error);
    } finally {
      if (unread) {
        this.unread = true;
        this.outdated ||= !isCurrent();
      }
      if (number === this.previewCount && this.busy === "reading") this.busy = "";
      if (isCurrent()) this.changed();
    }
  }

  /** @returns {Record<string, any>} the options that a preview depends on */
  decisions() {
    const { on_unconvertible, on_removed_option, on_empty_cells } = this.applyOptions;
    return JSON.parse(JSON.stringify({ on_unconvertible, on_removed_option, on_empty_cells }));
  }

  /** @param {number} index @param {Record<string, any>} cells  the user's values, which replace proposed ones */
  async edit(index, cells) {
    this.edits[index] = { ...this.edits[index], ...cells };
    this.saveDecisions();
    await this.refresh();
  }

  async apply() {
    if (this.busy || this.over || (this.operations.total && !this.operations.selected)) return;
    this.busy = "applying";
    this.fault = "";
    this.changed();
    const body = { operations: this.operations.chosen, edits: this.chosenEdits(), content_hash: this.payload.content_hash, ...this.applyOptions, table_name: this.storedOptions.table_name };
    if (this.operations.overwrites.length) body.on_conflict = Object.fromEntries(this.operations.overwrites.map((index) => [index, "overwrite"]));
    try {
      const answer = await api.post(`${this.address}/apply/`, body);
      this.done = new Map((answer.outcome?.applied ?? []).map((/** @type {any} */ entry) => [entry.index, entry]));
      this.settle(answer);
    } catch (error) {
      this.showError(error);
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
      this.showError(error);
    } finally {
      this.busy = "";
      if (!this.over) this.changed();
    }
  }

  /** @param {any} error  nothing was changed; the proposal stays, unless it was settled elsewhere */
  showError(error) {
    if (error instanceof ApiError && error.code.startsWith("already_")) {
      this.settle({ id: this.id, status: error.body.status ?? error.code.slice("already_".length), outcome: error.body.outcome });
      return;
    }
    const reasons = (error.errors ?? []).slice(0, 3).map((one) => one.detail);
    if (error instanceof ApiError) this.fault = [error.message, ...reasons].join(" ");
    else if (this.busy === "applying") this.fault = t("The connection was lost while applying. Try again: nothing is applied twice.");
    else this.fault = t("The server could not be reached. Nothing was changed.");
  }

  /** @param {any} answer  the proposal is over */
  finish(answer) {
    this.busy = "";
    this.answer = answer;
    this.close();
  }

  /** @param {any} answer */
  settle(answer) {
    this.finish(answer);
    dispatch("payload-settled", answer);
    const table = answer.outcome?.table?.id;
    if (table && !answer.moved_to) {
      dispatch("table-changed", { table_id: table, change_id: answer.outcome.change, version: answer.outcome.version });
    }
    if (answer.next && this.runsNext) dispatchNextStep(answer, sessionStorage);
    this.changed();
  }

  /** @param {string} summary  shown in the composer */
  announceReview(summary) {
    if (this.over) return;
    dispatch("proposal-review", { payload_id: this.id, selected: this.operations.selected, total: this.operations.total, summary });
  }
}

/**
 * @typedef {object} Operation  one operation of a preview
 * @property {number} index @property {string} action @property {"ok" | "warning" | "conflict" | "error"} state
 * @property {number} [row_id] @property {string} [column_id] @property {any} [column]
 * @property {Record<string, any>} old @property {Record<string, any>} new
 * @property {{code: string, detail: string, column?: string, value?: any}[]} notes
 * @property {string} [reason] @property {any} [losses] @property {{value: any}[]} [examples]  of values, if their format changes
 */

// Nothing can be overwritten if the row or column does not exist any more.
const MISSING_CODES = new Set(["row_missing", "column_removed"]);

/** The operations of a proposal with their checkboxes: defaults, what can be checked, dependencies. */
export class CheckedOperations {
  /** @param {Operation[]} operations */
  constructor(operations) {
    /** @type {Set<number>} */
    this.checked = new Set();
    /** @type {Map<number, Operation>} */
    this.byIndex = new Map();
    this.operations = [];
    this.update(operations);
  }

  /**
   * Take over a new preview. Decisions of the user stay, except for operations whose state has changed, and conflicts about
   * another value, which the user has not agreed to overwrite.
   * @param {Operation[]} operations
   */
  update(operations) {
    const before = this.byIndex;
    this.operations = operations;
    this.byIndex = new Map(operations.map((operation) => [operation.index, operation]));
    for (const operation of operations) {
      const known = before.get(operation.index);
      const same = known && startsChecked(known) === startsChecked(operation) && !isAnotherConflict(known, operation);
      if (!same) this.set(operation.index, startsChecked(operation));
      else if (!canCheck(operation)) this.checked.delete(operation.index);
    }
  }

  /** @param {number} index @param {boolean} on  unchecking an added column also unchecks operations on it */
  set(index, on) {
    const operation = this.byIndex.get(index);
    if (!operation || (on && !canCheck(operation))) return;
    if (on) this.checked.add(index);
    else this.checked.delete(index);
    if (operation.action !== "add" || !operation.column_id) {
      const added = operation.column_id && this.addedBy(operation.column_id);
      if (on && added) this.checked.add(added.index);
    } else if (!on) {
      for (const other of this.operations) if (other.column_id === operation.column_id) this.checked.delete(other.index);
    }
  }

  /** @param {string} columnId @returns {Operation | undefined} the operation that adds this column */
  addedBy(columnId) {
    return this.operations.find((operation) => operation.action === "add" && operation.column_id === columnId);
  }

  /** @param {boolean} on  conflicts are only checked one by one */
  setAll(on) {
    for (const { index, state } of this.operations) if (!on || state !== "conflict") this.set(index, on);
  }

  /** @param {string} action @returns {boolean} whether operations of this kind are checked now */
  toggleKind(action) {
    const ofKind = this.operations.filter((operation) => operation.action === action && startsChecked(operation));
    const on = !ofKind.every((operation) => this.checked.has(operation.index));
    for (const { index } of ofKind) this.set(index, on);
    return on;
  }

  /** @param {string} action @returns {boolean} */
  isKindChecked(action) {
    const ofKind = this.operations.filter((operation) => operation.action === action && startsChecked(operation));
    return ofKind.length > 0 && ofKind.every((operation) => this.checked.has(operation.index));
  }

  /** @param {Operation} operation @returns {boolean} whether it is checked until the user decides */
  startsChecked(operation) {
    return startsChecked(operation);
  }

  /** @returns {Record<string, number>} number of operations by action, and by state */
  get counts() {
    const counts = { ok: 0, warning: 0, conflict: 0, error: 0 };
    for (const { action, state } of this.operations) {
      counts[action] = (counts[action] ?? 0) + 1;
      counts[state] += 1;
    }
    return counts;
  }

  get total() {
    return this.operations.length;
  }

  get selected() {
    return this.checked.size;
  }

  /** @returns {number[]} the checked conflicts, in which the proposed value overwrites the current one */
  get overwrites() {
    return this.operations.filter(({ state, index }) => state === "conflict" && this.checked.has(index)).map(({ index }) => index);
  }

  /** @returns {"all" | number[]} */
  get chosen() {
    if (this.checked.size === this.operations.length) return "all";
    return [...this.checked].sort((a, b) => a - b);
  }
}

/** @param {Operation} operation */
function startsChecked(operation) {
  return operation.state === "ok" || operation.state === "warning";
}

/** @param {Operation} known @param {Operation} operation  of a later preview */
function isAnotherConflict(known, operation) {
  return operation.state === "conflict" && JSON.stringify(known.old) !== JSON.stringify(operation.old);
}

/** @param {Operation} operation */
export function canCheck(operation) {
  return operation.state !== "error" && !operation.notes.some((note) => MISSING_CODES.has(note.code));
}
