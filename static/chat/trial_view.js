// The view of one message of a trial: the answers of both configurations side by side, their tokens and traces, and what differs.

import { ApiError, api } from "../api.js";
import { el, icon } from "../element.js";
import { t, tn } from "../locale.js";
import { Answer } from "./answer_view.js";
import { drawTrace } from "./diagnostics.js";
import { tagNode } from "./registry.js";
import { countTags, plainCard, unreadableCard } from "./proposal_card.js";
import { toolRunning } from "./tool_card.js";
import { Slot } from "./tray_parts.js";
import { answerText } from "./trial_side.js";
import { errorLines } from "./turn_view.js";
import { wordDifference } from "./word_difference.js";

const NO_FAILURES = new Map();
const MAX_TRIES = 6; // a stopped turn ends shortly before its trace is stored
const PAUSE_MS = 500; // milliseconds between two attempts
const TITLES = { saved: t("Saved"), draft: t("Draft") };

/** @typedef {import("./trial_side.js").TrialTurn} TrialTurn */

export class ExchangeView {
  /** @type {Map<string, AnswerPane>} */
  #panes = new Map();

  /** @param {string} message @param {{sides: ("saved" | "draft")[], onCancel: () => void}} options */
  constructor(message, { sides, onCancel }) {
    for (const side of sides) this.#panes.set(side, new AnswerPane({ title: sides.length > 1 ? TITLES[side] : t("Answer"), onCancel }));
    this.button = el("button", { type: "button", class: "button", "aria-pressed": "false", hidden: true, on: { click: () => this.toggleDifference() } }, t("Mark differences"));
    this.verdict = el("b", {});
    this.node = el("div", { class: "exchange" },
      el("p", { class: "exchange__message", dir: "auto" }, message),
      el("div", { class: "exchange__sides" }, ...[...this.#panes.values()].map(({ node }) => node)),
      el("div", { class: "exchange__foot" }, this.verdict, this.button));
  }

  /** @param {string} side @param {TrialTurn} turn */
  draw(side, turn) {
    this.#panes.get(side).draw(turn);
  }

  /** @param {string} side @param {string} words */
  say(side, words) {
    this.#panes.get(side).say(words);
  }

  /** @param {string} side @param {{code: string, message: string}} error  the message was refused, or the server is gone */
  fail(side, error) {
    this.#panes.get(side).fail(error);
  }

  /** All answers have ended. @returns {boolean | null} whether they are equal; null without two complete ones */
  finish() {
    const [saved, draft] = this.#texts();
    if (saved === undefined || draft === undefined) return null;
    const isEqual = saved === draft;
    this.verdict.textContent = isEqual ? t("Equal") : t("Different");
    this.verdict.className = isEqual ? "verdict" : "verdict is-different";
    this.button.hidden = isEqual;
    return isEqual;
  }

  toggleDifference() {
    const isMarked = this.button.getAttribute("aria-pressed") !== "true";
    this.button.setAttribute("aria-pressed", String(isMarked));
    const [saved, draft] = [...this.#panes.values()];
    const { before, after } = wordDifference(saved.text, draft.text);
    saved.mark(isMarked ? before : null, "del");
    draft.mark(isMarked ? after : null, "ins");
  }

  #texts() {
    const panes = [...this.#panes.values()];
    return panes.every(({ turn }) => turn?.phase === "complete") ? panes.map(({ text }) => text) : [];
  }
}

/**
 * Send a message to both configurations; the last side first, since an invalid draft is refused before the saved configuration
 * answers.
 * @param {Record<string, string>} fields  see `TrialSide.send`
 * @param {{sides: import("./trial_side.js").TrialSide[], view: ExchangeView, onStatus?: (words: string) => void}} options
 *   onStatus: the reason of a wait, or "" at its end
 * @returns {Promise<(TrialTurn | null)[]>} the turns by side, null without an answer; rejects when the first request is refused
 */
export async function runExchange(fields, { sides, view, onStatus = () => {} }) {
  const order = [...sides].reverse();
  const answers = new Map();
  for (const side of order) {
    if (side !== order[0] && order[0].isStopping) {
      view.say(side.name, t("Stopped"));
      answers.set(side, null);
      continue;
    }
    const { begun, done } = side.send(fields, {
      onTurn: (turn) => view.draw(side.name, turn),
      onStatus: (words) => {
        view.say(side.name, words);
        onStatus(words);
      },
    });
    answers.set(side, done.catch((error) => {
      view.fail(side.name, error);
      return null;
    }));
    await begun.catch((error) => {
      if (side === order[0]) throw error;
    });
  }
  return Promise.all(sides.map((side) => answers.get(side)));
}

/** The answer of one configuration; each part is only redrawn when it changes. */
class AnswerPane {
  /** @type {TrialTurn | null} */
  turn = null;

  /** @param {{title: string, onCancel: () => void}} options */
  constructor({ title, onCancel }) {
    this.onCancel = onCancel;
    this.answer = new Answer({ onUndo: () => {} });
    const slot = () => new Slot(el("div", { class: "slot" }));
    const slots = ([this.tools, this.incoming, this.notices, this.payload, this.offers] = [slot(), slot(), slot(), slot(), slot()]);
    this.status = el("p", { class: "quiet", text: t("Waiting") });
    this.shown = el("div", { class: "try__answer" }, this.answer.bubble, ...slots.map(({ node }) => node), this.status);
    this.marked = el("pre", { class: "marked", dir: "auto", hidden: true });
    this.foot = el("div", { class: "exchange__cost" });
    this.node = el("section", { class: "exchange__side", "aria-label": title }, el("h4", {}, title), this.shown, this.marked, this.foot);
  }

  get text() {
    return this.turn ? answerText(this.turn) : "";
  }

  /** @param {TrialTurn} turn */
  draw(turn) {
    const hasEnded = this.turn?.phase !== turn.phase && turn.phase !== "running";
    this.turn = turn;
    this.answer.update(turn, NO_FAILURES);
    this.tools.fill(turn.tools.filter((tool) => tool.state === "running"), (tools) => tools.map((tool) => toolRunning(tool, { onCancel: this.onCancel })));
    this.incoming.fill(turn.incoming ?? "", ({ count }) => [notice("", "loader-circle", t("Preparing the proposal: {count} so far", { count }))]);
    this.notices.fill([turn.phase, turn.error, turn.warning, turn.unreadable], () => notices(turn));
    this.payload.fill(turn.payload ?? "", (payload) => [proposed(payload)]);
    this.offers.fill([turn.suggestedValues, turn.suggestedActions], () => offers(turn));
    this.say(turn.status);
    if (hasEnded) this.foot.replaceChildren(...footOf(turn));
  }

  /** @param {string} words */
  say(words) {
    if (this.status.textContent !== words) this.status.textContent = words;
    this.status.hidden = words === "";
  }

  /** @param {{code: string, message: string}} error */
  fail(error) {
    this.say("");
    const { title, detail } = errorLines(error);
    this.notices.fill([error.code, error.message], () => [notice("is-bad", "circle-alert", title, detail)]);
  }

  /** @param {import("./word_difference.js").Piece[] | null} pieces  null: show the answer again @param {"ins" | "del"} tag */
  mark(pieces, tag) {
    this.shown.hidden = pieces !== null;
    this.marked.hidden = pieces === null;
    this.marked.replaceChildren(...(pieces ?? []).map(({ text, marked }) => (marked ? el(tag, {}, text) : text)));
  }
}

/** @param {TrialTurn} turn  that has ended @returns {Node[]} its tokens and its trace, which is loaded when it is opened */
function footOf({ usage, turnId }) {
  const cost = el("p", { class: "quiet" }, usage ? tokensText(usage) : "");
  if (!turnId) return [];
  // The event of a stopped or failed answer has no tokens.
  if (!usage) traceOf(turnId).then((trace) => (cost.textContent = tokensText(trace.usage)), () => {});
  const body = el("div", {}, el("p", { class: "quiet" }, t("Loading")));
  const details = el("details", {}, el("summary", {}, t("Trace")), body);
  const fill = () => traceOf(turnId).then(drawTrace, (error) => el("p", {}, error.message)).then((node) => body.replaceChildren(node));
  details.addEventListener("toggle", fill, { once: true });
  return [cost, details];
}

/** @param {{input_tokens: number, output_tokens: number, cache_read_tokens: number}} usage */
function tokensText({ input_tokens: before, output_tokens: out, cache_read_tokens: cached }) {
  return [
    tn("{count} token in", "{count} tokens in", before),
    ...(cached ? [t("{count} of them from the cache", { count: cached })] : []),
    tn("{count} token out", "{count} tokens out", out),
  ].join(", ");
}

/** @param {string} turnId @returns {Promise<any>} its trace; rejects with ApiError if there is none */
async function traceOf(turnId) {
  for (let tries = MAX_TRIES; ; tries -= 1) {
    try {
      return await api.get(`/api/chat/turns/${turnId}/trace/`);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404 && tries > 1)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** @param {TrialTurn} turn @returns {Node[]} */
function notices(turn) {
  const found = turn.warning ? [notice("is-warn", "triangle-alert", turn.warning)] : [];
  if (turn.phase === "cancelled") found.push(notice("is-plain", "circle-stop", t("Stopped")));
  if (turn.error) {
    const { title, detail } = errorLines(turn.error);
    found.push(notice("is-bad", "circle-alert", title, detail));
  }
  return turn.unreadable ? [...found, unreadableCard(turn.unreadable)] : found;
}

/** @param {string} tone @param {string} name @param {string} title @param {string} [detail] */
function notice(tone, name, title, detail = "") {
  return el("div", { class: `notice ${tone}`.trim() }, icon(name), el("b", {}, title), detail ? el("p", {}, detail) : null);
}

/** The proposal, which can only be viewed here. @param {any} payload */
function proposed(payload) {
  const tags = countTags(payload);
  return plainCard(payload,
    tags.length ? el("span", { class: "tags" }, ...tags.map(tagNode)) : null,
    el("p", {}, t("Preview only: it cannot be applied here.")));
}

/** @param {TrialTurn} turn @returns {Node[]} the suggestions as text */
function offers({ suggestedValues, suggestedActions }) {
  const list = (/** @type {string} */ title, /** @type {any[]} */ entries) =>
    el("div", {}, el("p", {}, title), el("ul", { class: "offered" }, ...entries));
  const values = suggestedValues.map(({ label, value }) => el("li", { title: value }, label));
  const actions = suggestedActions.map(({ label, action, handler }) => el("li", { title: handler === "server" ? t("On the server") : t("In the browser") }, `${label} (${action})`));
  return [...(values.length ? [list(t("Suggested answers"), values)] : []), ...(actions.length ? [list(t("Suggested actions"), actions)] : [])];
}
