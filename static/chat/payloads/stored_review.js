// The review of a proposal on the server: saved after each decision, read after a reload and after changes in another tab.

import { ApiError, api, csrfToken } from "../../api.js";
import { drawRevealed, el, icon } from "../../element.js";
import { t, tn } from "../../locale.js";
import { displayText, quoted } from "../../tables/values.js";

const WAIT_MS = 300;
const RETRY_MS = 5000;
// Errors that a retry cannot resolve.
const isFinal = (/** @type {any} */ error) => error instanceof ApiError && error.status < 500 && error.status !== 429;

/**
 * @typedef {object} Decisions
 * @property {Record<string, true>} unchecked @property {Record<string, any>} overwrites @property {Record<string, any>} edits
 * @property {string | null} table_name @property {boolean | null} include_sample_rows @property {boolean | null} skip_next
 */

const BY_OPERATION = /** @type {const} */ (["unchecked", "overwrites", "edits"]);
const SETTINGS = /** @type {const} */ (["table_name", "include_sample_rows", "skip_next"]);

/** @param {any} review @returns {Decisions} */
function decisionsOf(review) {
  const parts = Object.fromEntries(BY_OPERATION.map((name) => [name, review[name] ?? {}]));
  return /** @type {any} */ ({ ...parts, ...Object.fromEntries(SETTINGS.map((name) => [name, review[name] ?? null])) });
}

const equal = (/** @type {any} */ one, /** @type {any} */ other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * @param {any} before @param {any} after  of type Decisions
 * @returns {Record<string, any> | null} the change as a merge patch; null for none
 */
export function difference(before, after) {
  /** @type {Record<string, any>} */
  const changes = {};
  for (const name of BY_OPERATION) {
    const [was, is] = [before[name], after[name]];
    const added = Object.entries(is).filter(([index, value]) => !equal(was[index], value));
    const removed = Object.keys(was).filter((index) => !(index in is)).map((index) => [index, null]);
    if (added.length || removed.length) changes[name] = Object.fromEntries([...added, ...removed]);
  }
  for (const name of SETTINGS) if (before[name] !== after[name]) changes[name] = after[name];
  return Object.keys(changes).length ? changes : null;
}

/** @param {any} decisions @param {Record<string, any> | null} changes @returns {Decisions} */
export function merged(decisions, changes) {
  const result = { ...decisions, ...changes };
  for (const name of BY_OPERATION) {
    const entries = Object.entries({ ...decisions[name], ...changes?.[name] });
    result[name] = Object.fromEntries(entries.filter(([, value]) => value !== null));
  }
  return result;
}

export class StoredReview {
  /** @param {Proposal} proposal */
  constructor(proposal) {
    this.proposal = proposal;
    this.address = `${proposal.address}/review/`;
    /** The last known state on the server. */
    this.base = decisionsOf({});
    this.timer = 0;
    /** @type {Promise<void> | null} */
    this.saving = null;
    this.lost = /** @type {any} */ (null);
    this.fault = "";
    this.notice = el("div", { class: "notice is-warn notice--strip review__note", role: "status", hidden: true });
    const { signal } = proposal.listening;
    addEventListener("pagehide", () => this.sendKeepalive(), { signal });
    addEventListener("online", () => this.save(), { signal });
    addEventListener("pageshow", ({ persisted }) => persisted && this.save(), { signal });
    document.addEventListener("visibilitychange", () => document.hidden && this.save(), { signal });
    document.addEventListener("proposal-review", () => this.showNotice(), { signal });
    // Another proposal replaces it: save, since decisions are carried over.
    signal.addEventListener("abort", () => this.stop());
  }

  /** @returns {Decisions} of this page */
  get current() {
    const { operations, edits, storedOptions, next, runsNext } = this.proposal;
    const unchecked = operations.operations.filter((one) =>
      operations.startsChecked(one) ? !operations.checked.has(one.index) : one.index in this.base.unchecked);
    const overwritten = operations.operations.filter((one) => operations.overwrites.includes(one.index));
    return {
      unchecked: Object.fromEntries(unchecked.map(({ index }) => [index, /** @type {const} */ (true)])),
      overwrites: Object.fromEntries(overwritten.map(({ index, old }) => [index, old])),
      edits: { ...edits },
      table_name: storedOptions.table_name ?? null,
      include_sample_rows: storedOptions.include_sample_rows ?? null,
      skip_next: next && !runsNext ? true : null,
    };
  }

  /** Save after a short delay, together with following decisions. */
  scheduleSave() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), WAIT_MS);
  }

  /** @returns {Promise<void>} resolves when all decisions were sent */
  async save() {
    clearTimeout(this.timer);
    while (this.saving) await this.saving;
    const changes = this.changes;
    if (!changes) return;
    this.saving = this.send(changes).finally(() => (this.saving = null));
    await this.saving;
  }

  get changes() {
    const { preview, answer } = this.proposal;
    return preview && !answer ? difference(this.base, this.current) : null;
  }

  /** @param {Record<string, any>} changes */
  async send(changes) {
    try {
      const review = await api.patch(this.address, changes);
      const missed = review.revision > this.proposal.revision + 1;
      this.base = merged(this.base, changes);
      this.proposal.revision = review.revision;
      this.setFault("");
      if (missed) this.proposal.reviewChanged({});
    } catch (error) {
      // It was answered in another tab; this page is notified separately.
      if (error instanceof ApiError && (error.status === 404 || error.code.startsWith("already_"))) return;
      this.setFault(isFinal(error) ? /** @type {Error} */ (error).message : t("Your review is not saved yet."));
      if (!isFinal(error) && !this.proposal.over) this.timer = setTimeout(() => this.save(), RETRY_MS);
    }
  }

  /** Send with keepalive, which works while the page is closed if the body is short. */
  sendKeepalive() {
    const { changes } = this;
    if (!changes) return;
    const headers = { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), "X-From-Page": "yes" };
    fetch(this.address, { method: "PATCH", headers, body: JSON.stringify(changes), keepalive: true, credentials: "same-origin" }).catch(() => {});
  }

  stop() {
    clearTimeout(this.timer);
    this.notice.remove();
    this.save();
  }

  /** @param {any} review  from the server; unsaved decisions are preserved */
  adopt(review) {
    const { proposal } = this;
    const changes = difference(this.base, this.current);
    this.base = decisionsOf(review);
    const now = merged(this.base, changes);
    const { operations } = proposal;
    proposal.revision = review.revision;
    proposal.edits = now.edits;
    proposal.runsNext = proposal.next !== "" && !now.skip_next;
    proposal.storedOptions = Object.fromEntries(Object.entries(now).filter(([name, value]) => SETTINGS.includes(/** @type {any} */ (name)) && value !== null));
    for (const operation of operations.operations) {
      const { index, state, old } = operation;
      // A conflict stays checked while it overwrites the values that the user has seen.
      const on = state === "conflict" ? equal(now.overwrites[index], old) : operations.startsChecked(operation) && !now.unchecked[index];
      if (on) operations.checked.add(index);
      else operations.checked.delete(index);
    }
    this.lost = review.not_carried_over;
    this.drawNotice();
    if (changes?.edits) proposal.refresh({ quietly: true });
    if (changes) this.scheduleSave();
  }

  /** @param {string} fault  error message of the last save, "" for none */
  setFault(fault) {
    if (fault === this.fault) return;
    this.fault = fault;
    this.drawNotice();
  }

  drawNotice() {
    const sentences = [this.fault, ...lostText(this.lost, this.proposal.preview?.columns ?? [])].filter(Boolean);
    const label = t("Close");
    const close = this.lost && el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": label, title: label, on: { click: () => this.close() } }, icon("x"));
    this.notice.replaceChildren(icon("triangle-alert"), el("span", {}, drawRevealed(sentences.join(" "))), ...(close ? [close] : []));
    this.notice.hidden = !sentences.length;
    this.showNotice();
  }

  /** Insert the notice below the header of the review, once that exists. */
  showNotice() {
    const head = document.querySelector(".review__top, .newtable__head");
    if (this.notice.hidden || this.proposal.over) this.notice.remove();
    else if (head && head.nextElementSibling !== this.notice) head.after(this.notice);
    const next = /** @type {HTMLInputElement | null} */ (document.querySelector(".next-switch input"));
    if (next) next.checked = this.proposal.runsNext;
  }

  async close() {
    this.lost = null;
    const buttons = [...(this.notice.parentElement?.querySelectorAll("button") ?? [])];
    this.drawNotice();
    // Move the focus to the next button of the review.
    buttons.find((one) => one.isConnected && !one.disabled && one.offsetParent)?.focus();
    const review = await api.patch(this.address, { not_carried_over: null }).catch(() => null); // shown again by the next page
    if (review) this.proposal.revision = Math.max(this.proposal.revision, review.revision);
  }
}

/**
 * @param {{edits: number, unchecked: number, examples: {cells: Record<string, any>}[]} | null} lost
 * @param {Column[]} columns  of the table
 * @returns {string[]} messages about decisions that could not be carried over
 */
function lostText(lost, columns) {
  if (!lost) return [];
  const cells = lost.examples.flatMap((example) => Object.entries(example.cells));
  const edits = cells.map(([key, value]) => {
    const column = columns.find(({ id, name }) => id === key || name === key);
    const text = quoted(column ? displayText(column, value) : String(value ?? "")) || t("empty");
    return column ? t("{column}: {value}", { column: column.name, value: text }) : `“${text}”`;
  });
  const more = lost.edits > edits.length ? ["…"] : [];
  const sentences = [];
  if (lost.edits) {
    const all = [...edits, ...more].join(", ");
    sentences.push(tn("{count} of your edits could not be carried over to the new proposal: {edits}.", "{count} of your edits could not be carried over to the new proposal: {edits}.", lost.edits, { edits: all }));
  }
  if (lost.unchecked) {
    sentences.push(tn("{count} change that you unchecked is different in the new proposal, and checked again.", "{count} changes that you unchecked are different in the new proposal, and checked again.", lost.unchecked));
  }
  return sentences;
}
