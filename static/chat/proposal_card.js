// The cards of payloads that their handler does not draw: for a proposal the items to choose from, the answer and the receipt; a
// button that opens the panel; data or raw text. Loaded with the first of them.

import { api } from "../api.js";
import { drawRevealed, el, icon } from "../element.js";
import { readerLocale, t, tn } from "../locale.js";
import { applyRequest, chosenIndexes, itemList, usable } from "./proposal_items.js";
import { declaredVerbs, isProposal, KINDS, payloadHandler, renderOptions, tagNode } from "./registry.js";
import { undoControls } from "./tool_card.js";
import { Slot, button } from "./tray_parts.js";

/**
 * @typedef {object} CardCallbacks
 * @property {(payload: Proposal, way: "apply"|"dismiss"|"undo", body?: any) => void} answer
 * @property {(payload: Proposal) => void} show  opens it in the panel
 * @property {(words: string) => void} say  announces to screen readers
 */

export class PayloadCards {
  /** By payload id. @type {Map<string, ProposalCard>} */
  #cards = new Map();

  /** @param {CardCallbacks} callbacks */
  constructor(callbacks) {
    this.callbacks = callbacks;
  }

  /** @param {Proposal} payload @param {AnswerState} state @returns {HTMLElement} the same one for each call with this payload */
  draw(payload, state) {
    const card = this.#cards.get(payload.id) ?? new ProposalCard(this.callbacks);
    this.#cards.set(payload.id, card);
    card.update(payload, state);
    return card.node;
  }

  /** @param {string} text  of a proposal that could not be parsed */
  unreadable(text) {
    return unreadableCard(text);
  }
}

class ProposalCard {
  node = el("div", { class: "slot" });
  #outer = new Slot(this.node);
  #head = new Slot(el("div", { class: "slot" }));
  #body = new Slot(el("div", { class: "slot" }));
  #fault = new Slot(el("div", { class: "slot" }));
  /** @type {Proposal} */
  payload;
  /** @type {AnswerState} */
  state;
  /** The items in the last preview, null before it. @type {ProposalItem[] | null} */
  #items = null;
  /** Indexes that the user has unchecked. @type {Set<number>} */
  #unchecked = new Set();
  /** @type {Record<string, any>} */
  #edits = {};
  /** The text of the button that applies all, "" for the usual one. */
  #applyText = "";
  /** The error of the last preview. */
  #problem = "";
  /** Number of preview requests; answers of earlier ones are ignored. */
  #requests = 0;

  /** @param {CardCallbacks} callbacks */
  constructor({ answer, show, say }) {
    Object.assign(this, { show, say });
    this.dismissButton = button(t("Dismiss"), { onclick: () => this.#isBusy || answer(this.payload, "dismiss") });
    this.applyButton = button(t("Apply"), { onclick: () => this.#canApply && answer(this.payload, "apply", this.#request), class: "btn btn--primary btn--sm" });
    this.undo = (/** @type {string} */ onConflict) => this.#isBusy || answer(this.payload, "undo", onConflict ? { on_conflict: onConflict } : {});
    this.section = el("section", { class: "pcard pcard--items" },
      this.#head.node, this.#body.node, this.#fault.node, el("div", { class: "actions" }, this.dismissButton, this.applyButton));
  }

  get #isBusy() {
    return this.state.busy !== "";
  }

  get #chosen() {
    return chosenIndexes(this.#items ?? [], this.#unchecked);
  }

  get #request() {
    return applyRequest(this.#items ?? [], this.#chosen, { contentHash: this.payload.content_hash, edits: this.#edits });
  }

  get #canApply() {
    return !this.#isBusy && this.#items !== null && (this.#items.length === 0 || this.#chosen.length > 0);
  }

  /** @returns {HTMLElement | null} */
  get #receipt() {
    return this.node.querySelector("[data-payload]");
  }

  /** @param {Proposal} payload @param {AnswerState} state */
  update(payload, state) {
    const [before, earlier] = [this.payload, this.state];
    const hadFocus = this.node.contains(document.activeElement);
    Object.assign(this, { payload, state });
    const shown = [payload, state, renderOptions(payload.type), declaredVerbs(payload.type)];
    const opens = Boolean(payloadHandler(payload.type)?.render);
    if (isProposal(payload) && payload.status !== "pending") this.#outer.fill(shown, () => [receiptCard(payload, state, this.undo)]);
    else if (opens) this.#outer.fill(["opens", ...shown], () => [openCard(payload, this.show)]);
    else if (!isProposal(payload)) this.#outer.fill(shown, () => [plainCard(payload)]);
    else {
      this.#outer.fill("items", () => [this.section]);
      // After a failed apply, the states of the items may have changed.
      if (this.#requests === 0 || (state.fault && state.fault !== earlier?.fault)) this.#read();
      this.#draw();
    }
    if (before && before.status !== payload.status) this.say(receipt(payload).title);
    if (hadFocus && !this.node.contains(document.activeElement)) (this.#receipt ?? this.node.querySelector("button"))?.focus();
  }

  #draw() {
    const { payload, state } = this;
    const { headerTitle, headerIcon } = renderOptions(payload.type);
    const tags = countTags(payload, this.#items);
    this.section.setAttribute("aria-label", headerTitle);
    this.#head.fill([headerTitle, headerIcon, payload.summary, tags], () => cardHead(payload, tags));
    this.#body.fill(this.#items ? [this.#items, declaredVerbs(payload.type), Boolean(payloadHandler(payload.type)?.renderItems)] : [this.#problem], () => this.#bodyNodes());
    this.#body.node.inert = this.#isBusy;
    const last = payload.last_error && !this.#isBusy ? t("The last attempt failed: {reason}", { reason: payload.last_error }) : "";
    // An edit may be invalid.
    const fault = state.fault || (this.#items ? this.#problem : "");
    this.#fault.fill(fault || last, (sentence) => [el("p", { class: "is-fault", role: fault ? "alert" : null }, drawRevealed(sentence))]);
    const [done, total] = [this.#chosen.length, this.#items?.length ?? 0];
    const all = this.#applyText || (total > 1 ? t("Apply all {count}", { count: total }) : t("Apply"));
    this.applyButton.replaceChildren(...(this.#isBusy ? [icon("loader-circle", "icon--12 spin"), state.busy] : [done > 0 && done < total ? t("Apply {done} of {total}", { done, total }) : all]));
    this.applyButton.setAttribute("aria-disabled", String(!this.#canApply));
    this.dismissButton.setAttribute("aria-disabled", String(this.#isBusy));
  }

  /** @returns {Node[]} */
  #bodyNodes() {
    const items = this.#items;
    if (this.#problem && items === null) {
      return [el("p", { class: "is-fault", role: "alert" }, this.#problem), el("div", { class: "actions" }, button(t("Try again"), { onclick: () => this.#readAgain() }))];
    }
    if (items === null) return [el("p", { class: "pitems__wait" }, t("Loading…"))];
    const draw = payloadHandler(this.payload.type)?.renderItems ?? itemList;
    if (items.length === 0 && draw === itemList) return [];
    const kinds = new Map([...new Set(items.map(({ action }) => action))].map((verb) => [verb, countTexts(this.payload.type, { [verb]: items.filter(({ action }) => action === verb).length }, "pending")[0]]));
    return [draw({
      payload: this.payload, items, chosen: this.#chosen, kinds,
      choose: (indexes) => {
        this.#unchecked = new Set(items.map(({ index }) => index).filter((index) => !indexes.includes(index)));
        this.#draw();
      },
      edit: (index, edit) => {
        this.#edits[index] = edit;
        this.#read();
      },
      nameApply: (text) => {
        this.#applyText = text;
        this.#draw();
      },
    })];
  }

  #readAgain() {
    this.#read();
    this.#draw();
    this.applyButton.focus();
  }

  /** Request the items with their current states. */
  async #read() {
    const number = ++this.#requests;
    this.#problem = "";
    try {
      const body = { operations: "all", ...(Object.keys(this.#edits).length ? { edits: this.#edits } : {}) };
      const { operations } = await api.post(`/api/chat/payloads/${this.payload.id}/preview/?keys=id`, body);
      if (number !== this.#requests) return;
      this.#items = Array.isArray(operations) ? operations : [];
    } catch (error) {
      if (number !== this.#requests) return;
      this.#problem = error.message;
    }
    this.#draw();
    this.node.dispatchEvent(new Event("card-grown", { bubbles: true }));
  }
}

/** @param {Proposal} payload @param {Tag[]} tags @returns {Node[]} */
function cardHead({ type, summary }, tags) {
  const { headerTitle, headerIcon } = renderOptions(type);
  return [
    el("span", { class: "pcard__head" }, /^[a-z]/.test(headerIcon) ? icon(headerIcon) : headerIcon, headerTitle),
    summary ? el("span", { class: "pcard__text" }, drawRevealed(summary)) : null,
    tags.length ? el("span", { class: "tags" }, ...tags.map(tagNode)) : null,
  ].filter((node) => node !== null);
}

/** A payload that its handler shows in the panel or the page. @param {Proposal} payload @param {(payload: Proposal) => void} show */
function openCard(payload, show) {
  const { focus } = payloadHandler(payload.type) ?? {};
  return el("button", { type: "button", class: "pcard", on: { click: () => (focus ? focus(payload) : show(payload)) }, title: t("Show it") },
    ...cardHead(payload, countTags(payload)),
    payload.last_error ? el("span", { class: "pcard__text" }, t("The last attempt failed: {reason}", { reason: payload.last_error })) : null);
}

/** @param {Proposal} payload  settled @param {AnswerState} state @param {(onConflict?: "skip"|"overwrite") => void} undo */
function receiptCard(payload, { busy, fault, blocked }, undo) {
  const { tone, glyph, title, detail, failed, canUndo, link } = receipt(payload);
  const actions = [
    link ? el("a", { class: "link", href: link.href }, drawRevealed(link.label)) : null,
    canUndo ? button(busy || t("Undo"), { onclick: () => undo(), class: "link" }) : null,
  ].filter((node) => node !== null);
  return el("div", { class: `notice is-${tone}`, "data-payload": payload.id, tabindex: "-1" },
    icon(busy ? "loader-circle" : glyph, busy ? "spin" : ""), el("b", {}, drawRevealed(title)),
    actions.length ? el("span", { class: "notice__actions" }, ...actions) : null,
    detail ? el("p", {}, drawRevealed(detail)) : null,
    failed.length ? el("ul", {}, ...failed.map((line) => el("li", {}, drawRevealed(line)))) : null,
    ...(canUndo ? undoControls({ fault, blocked }, (_, onConflict) => undo(onConflict)) : []));
}

/** The fallback for any payload: its summary, and its data as text in details. @param {Proposal} payload @param {(Node | null)[]} below */
export function plainCard(payload, ...below) {
  return el("section", { class: "pcard pcard--plain", "aria-label": renderOptions(payload.type).headerTitle },
    ...cardHead(payload, []),
    el("details", {},
      el("summary", {}, t("Show the data")),
      el("pre", { tabindex: "0" }, JSON.stringify(payload.data ?? null, null, 2).slice(0, 100_000))),
    ...below);
}

/** @param {string} text @returns {HTMLElement} */
export function unreadableCard(text) {
  return el("section", { class: "pcard pcard--plain", "aria-label": t("Proposal not shown") },
    el("span", { class: "pcard__head" }, icon("triangle-alert"), t("Proposal not shown")),
    el("details", {},
      el("summary", {}, t("Show what the assistant wrote")),
      el("pre", { tabindex: "0" }, text)));
}

/** @typedef {{tone: string, text: string}} Tag */

const TONES = { add: "add", change: "chg", delete: "del" };
/** Counts by state, which some types have beside those by verb. */
const STATE_COUNTS = ["ok", "warning", "conflict", "error", "faulty"];

/**
 * @param {string} type @param {Record<string, number>} counts  by verb @param {"pending"|"applied"} way
 * @returns {Tag[]} in the words of the type, else the usual ones: "2 to send"; those of unknown verbs as "{count} items"
 */
export function countTexts(type, counts, way) {
  // The server has translated them.
  const declared = Object.entries(declaredVerbs(type)).map(([verb, words]) =>
    ({ verb, tone: TONES[words.tone] ?? "", words: (/** @type {number} */ count) => words[way].replaceAll("{count}", count.toLocaleString(readerLocale)) }));
  const usual = KINDS.map(([verb, tone, pending, applied]) => ({ verb, tone, words: way === "pending" ? pending : applied }));
  const known = [...declared, ...usual.filter(({ verb }) => !declared.some((own) => own.verb === verb))];
  const tags = known.filter(({ verb }) => counts[verb] > 0).map(({ verb, tone, words }) => ({ tone, text: words(counts[verb]) }));
  const others = Object.keys(counts).filter((verb) => !STATE_COUNTS.includes(verb) && !known.some((one) => one.verb === verb));
  const rest = others.reduce((sum, verb) => sum + counts[verb], 0);
  return rest > 0 ? [...tags, { tone: "", text: tn("{count} item", "{count} items", rest) }] : tags;
}

/** @param {Proposal} payload @param {ProposalItem[] | null} [items]  of the preview @returns {Tag[]} "2 to send", "1 to check" */
export function countTags({ type, counts }, items = null) {
  const numbers = counts ?? {};
  const problems = items ? items.filter((item) => !usable(item)).length : (numbers.conflict ?? 0) + (numbers.error ?? 0) + (numbers.faulty ?? 0);
  const tags = countTexts(type, numbers, "pending");
  return problems > 0 ? [...tags, { tone: "", text: t("{count} to check", { count: problems }) }] : tags;
}

/**
 * @param {Proposal} payload  settled
 * @returns {{tone: "ok"|"warn"|"plain", glyph: string, title: string, detail: string, failed: string[], canUndo: boolean,
 *   link: {label: string, href: string} | null}}
 */
export function receipt({ type, status, summary, outcome }) {
  const plain = (/** @type {string} */ glyph, /** @type {string} */ title) =>
    ({ tone: /** @type {"plain"} */ ("plain"), glyph, title, detail: summary, failed: [], canUndo: false, link: null });
  if (status === "dismissed") return plain("x", t("Dismissed"));
  if (status === "superseded") return plain("diff", t("Replaced by a newer proposal"));
  if (status === "undone") return { ...plain("undo-2", t("Undone")), detail: "" };
  const { message = "", applied = [], skipped = [], can_undo: canUndo = false, link = null } = outcome ?? {};
  const failed = skipped.filter(({ reason }) => reason === "failed").map(({ label, message: reason }) => [label, reason].filter(Boolean).join(": "));
  const counts = {};
  for (const { action = "" } of applied) counts[action] = (counts[action] ?? 0) + 1;
  const [done, total] = [applied.length, applied.length + skipped.length];
  const part = done < total ? t("Applied {done} of {total}", { done, total }) : "";
  const details = countTexts(type, counts, "applied").map(({ text }) => text);
  return {
    tone: failed.length ? "warn" : "ok",
    glyph: failed.length ? "triangle-alert" : "circle-check",
    title: message || part || t("Applied"),
    detail: [message && part, ...details].filter(Boolean).join(", "),
    failed,
    canUndo,
    link,
  };
}
