// Renders turns in the log: question, answer in any state, errors. Its only state is which details are open.

import { t, tn } from "../locale.js";
import { el, icon } from "../element.js";
import { Answer } from "./answer_view.js";
import { hasOwnCard, payloadHandler, toolName } from "./registry.js";
import { Question, RatingControl, suggestions, turnMeta } from "./turn_parts.js";
import { Slot } from "./tray_parts.js";
import { toolRunning } from "./tool_card.js";

/**
 * @typedef {object} TurnHandlers  callbacks of a turn
 * @property {() => void} cancel
 * @property {(turn: TurnView) => void} retry
 * @property {(turn: TurnView, text: string) => void} edit  replaces the question
 * @property {(messageId: string, back: boolean) => void} showVersion  shows the branch of another version; back: an older one
 * @property {(turn: TurnView, feedback: any) => void} onRated  the answer was rated
 * @property {boolean} hasDiagnostics  whether this user may see diagnostics
 * @property {(text: string) => void} sendValue
 * @property {(action: any, control: HTMLButtonElement) => void} runAction
 * @property {(payload: any) => void} showPayload  opened by the user
 * @property {UndoTool} undoOrRedoTool
 * @property {(payload: any, way: "apply"|"dismiss"|"undo", body?: any) => void} answer
 * @property {(payload: any, way: "undo"|"redo", onConflict?: "skip"|"overwrite") => void} undoOrRedo
 *
 * @typedef {object} TurnContext  what a turn's appearance depends on beside the turn
 * @property {boolean} last  whether it is the last turn, which has "Try again"
 * @property {boolean} running  whether any turn runs
 * @property {string} connection  text while the connection is broken, else ""
 * @property {Map<string, UndoFailure>} undoFailures  failed undo and redo requests, by the key of the change
 * @property {Map<string, AnswerState>} answerStates  by payload id
 * @property {number} registryVersion  changes when payloads may look different
 * @property {PayloadCards | undefined} cards  of payloads that their handler does not draw; undefined until needed
 * @property {((turn: TurnView, last: boolean) => [any, (() => Node[])?]) | undefined} receipts  of actions: what a turn shows,
 *   and its build function; a new function after a change, undefined until needed
 */

const IDLE_STATE = { busy: "", fault: "", blocked: "" };

class TurnElement {
  /** @type {Map<string, Slot>} */
  #slots = new Map();
  /** The values of the last draw, compared by identity, since they are immutable. @type {any[]} */
  #drawn = [];

  /** @param {TurnHandlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.question = new Question(handlers);
    this.answerNode = el("div", { class: "turn" });
    this.answer = new Answer({ onUndo: handlers.undoOrRedoTool });
    this.ratingControl = new RatingControl(handlers);
    const slot = (/** @type {string} */ name) => {
      const newSlot = new Slot(el("div", { class: "slot" }));
      this.#slots.set(name, newSlot);
      return newSlot.node;
    };
    this.answerNode.append(
      this.answer.bubble, slot("running"), slot("thinking"), slot("incoming"), slot("notice"), slot("unreadable"), slot("payload"),
      slot("receipts"), slot("meta"), this.ratingControl.node, slot("suggestions"));
    this.nodes = [this.question.node, this.answerNode];
  }

  /** @param {TurnView} turn @param {TurnContext} context */
  update(turn, context) {
    const drawn = [turn, context.last, context.running, context.connection, context.undoFailures, context.answerStates, context.registryVersion, context.cards, context.receipts];
    if (drawn.every((value, at) => value === this.#drawn[at])) return;
    this.#drawn = drawn;
    const running = turn.phase === "running";
    this.question.update(turn, context.running);
    this.answer.update(turn, context.undoFailures);
    const tools = turn.tools.filter((tool) => tool.state === "running");
    this.#fill("thinking", thinkingWords(turn, context, tools.length > 0), (words) => [thinking(words)]);
    this.#fill("running", running ? tools.map((tool) => [tool, toolName(tool.name)]) : [], () => tools.map((tool) => toolRunning(tool, { onCancel: this.handlers.cancel })));
    this.#fill("incoming", turn.incoming ?? "", (incoming) => [incomingNotice(incoming)]);
    this.#fill("notice", [turn.phase, turn.error, turn.warning, context.last], () => this.#notices(turn, context.last));
    this.#drawPayload(turn.payload, context);
    this.#fill("unreadable", context.cards ? turn.unreadable : "", () => [context.cards.unreadable(turn.unreadable)]);
    this.#fill("receipts", ...(context.receipts?.(turn, context.last) ?? [""]));
    const hasMeta = !running && (turn.text !== "" || turn.tools.length > 0 || turn.answerVersions.length > 1 || this.handlers.hasDiagnostics);
    const meta = [turn.text, turn.at, turn.messageId, turn.answerVersions, context.last, context.running];
    this.#fill("meta", hasMeta ? meta : "", () => [turnMeta(turn, context, this.handlers, this.ratingControl.thumbs)]);
    this.ratingControl.update(turn);
    const offer = turn.phase === "complete" ? [turn.suggestedValues, turn.suggestedActions] : "";
    this.#fill("suggestions", offer, () => suggestions(turn, this.handlers));
  }

  /** @param {any} payload @param {TurnContext} context */
  #drawPayload(payload, { answerStates, registryVersion, cards }) {
    const state = answerStates.get(payload?.id) ?? IDLE_STATE;
    if (payload && !hasOwnCard(payload)) {
      // It redraws itself.
      const node = cards?.draw(payload, state);
      this.#fill("payload", node ? payload.id : "", () => [node]);
      return;
    }
    this.#fill("payload", payload ? [payload, state, registryVersion] : "", () => [
      payloadHandler(payload.type).card(payload, {
        ...state, show: this.handlers.showPayload,
        undoOrRedo: (way, onConflict) => this.handlers.undoOrRedo(payload, way, onConflict),
      }),
    ]);
  }

  /** @template T @param {string} name @param {T} shown @param {(shown: T) => Node[]} [build]  if something is shown */
  #fill(name, shown, build) {
    this.#slots.get(name).fill(shown, build);
  }

  /** @param {TurnView} turn @param {boolean} last */
  #notices(turn, last) {
    const nodes = [];
    if (turn.warning) nodes.push(notice({ tone: "warn", name: "triangle-alert", title: turn.warning }));
    if (turn.phase === "cancelled") nodes.push(notice({ tone: "plain", name: "circle-stop", title: t("Stopped") }));
    if (turn.phase === "error" && turn.error) {
      const { title, detail } = errorLines(turn.error);
      const retry = last && turn.error.retryable ? () => this.handlers.retry(turn) : null;
      nodes.push(notice({ tone: "bad", name: "circle-alert", title, detail, retry, alert: true }));
    }
    return nodes;
  }
}

/** One element per turn, in order, reused while the turn exists. */
export class TurnListView {
  /** @type {Map<string, TurnElement>} */
  #elements = new Map();

  /** @param {HTMLElement} log @param {TurnHandlers} handlers */
  constructor(log, handlers) {
    this.log = log;
    this.handlers = handlers;
  }

  /**
   * @param {TurnView[]} turns
   * @param {Omit<TurnContext, "last">} context
   * @param {{greeting: HTMLElement, earlier: HTMLElement | null}} beside  greeting: shown while there are no turns; earlier: above the turns
   */
  draw(turns, context, { greeting, earlier }) {
    const keys = new Set(turns.map((turn) => turn.key));
    for (const key of [...this.#elements.keys()]) {
      if (!keys.has(key)) this.#elements.delete(key);
    }
    const nodes = turns.flatMap((turn, at) => {
      const element = this.#elements.get(turn.key) ?? new TurnElement(this.handlers);
      this.#elements.set(turn.key, element);
      const last = at === turns.length - 1;
      element.update(turn, { ...context, last, connection: last ? context.connection : "" });
      return element.nodes;
    });
    this.#place(nodes.length ? [...(earlier ? [earlier] : []), ...nodes] : [greeting]);
  }

  /** Only move nodes that are in the wrong position, so that focus and open details are preserved. @param {HTMLElement[]} nodes */
  #place(nodes) {
    const wanted = new Set(nodes);
    for (const child of [...this.log.children]) {
      if (!wanted.has(/** @type {HTMLElement} */ (child))) child.remove();
    }
    nodes.forEach((node, at) => {
      if (this.log.children[at] !== node) this.log.insertBefore(node, this.log.children[at] ?? null);
    });
  }
}

/** @param {TurnView} turn @param {TurnContext} context @param {boolean} hasRunningTools @returns {string} "" if something else shows the progress */
function thinkingWords(turn, context, hasRunningTools) {
  if (turn.phase !== "running") return "";
  if (context.connection) return context.connection;
  if (hasRunningTools || turn.incoming) return "";
  return turn.status.replace(/…$/, "") || (turn.text.endsWith("]]") || turn.text === "" ? t("Thinking") : "");
}

/** @param {string} words  followed by dots */
function thinking(words) {
  return el("div", { class: "bubble bubble--think" }, words, el("span", { class: "dots" }, el("i"), el("i"), el("i")));
}

/** @param {{payloadType: string, count: number}} incoming */
function incomingNotice({ count }) {
  return el("div", { class: "notice" },
    icon("loader-circle", "spin"), el("b", {}, t("Preparing the proposal")), count > 0 ? el("span", { class: "prop" }, t("{count} so far", { count })) : null);
}

/** @param {{tone: string, name: string, title: string, detail?: string, retry?: (() => void) | null, alert?: boolean}} options */
function notice({ tone, name, title, detail = "", retry = null, alert = false }) {
  return el("div", { class: `notice is-${tone}`, role: alert ? "alert" : null },
    icon(name), el("b", {}, title),
    detail ? el("p", {}, detail) : null,
    retry
      ? el("div", { class: "actions" },
          el("button", { type: "button", class: "btn btn--sm", on: { click: retry } }, icon("rotate-ccw", "icon--12"), t("Try again")))
      : null);
}

const ERROR_TEXTS = {
  provider_overloaded: [t("The model is busy"), t("Try again in about a minute.")],
  rate_limited: [t("The model's limit is reached"), t("Try again in about a minute.")],
  provider_auth: [t("The model rejected the API key"), t("Ask your administrator to check the API key.")],
  provider_unreachable: [t("The model did not answer"), t("Check that the server can reach it, then try again.")],
  context_too_long: [t("This conversation is too long"), t("Start a new conversation.")],
  budget_exhausted: [t("Daily limit reached"), t("It resets tomorrow.")],
  timeout: [t("That took too long"), t("Try again, or ask for less at once.")],
  internal: [t("Something went wrong"), t("Nothing was changed. Try again.")],
  unanswered: [t("No answer"), t("The answer was lost. Try again.")],
  throttled: [t("Too many messages"), t("Wait a moment, then try again.")],
  too_many_requests: [t("Too many messages"), t("Wait a moment, then try again.")],
  too_long: [t("The message is too long"), t("Shorten it and send it again.")],
  unreachable: [t("The server cannot be reached"), t("Your message is saved. It will be sent when the connection is back.")],
};

/**
 * @param {{code: string, message: string, retryAfter?: number|null}} error
 * @returns {{title: string, detail: string}} from the server's message, if there is one
 */
export function errorLines(error) {
  const [ownTitle, hint] = Object.hasOwn(ERROR_TEXTS, error.code) ? ERROR_TEXTS[error.code] : [t("That did not work"), ""];
  const text = error.message.trim();
  const cut = text.search(/(?<=[.!?])\s/);
  const title = text ? (cut < 0 ? text : text.slice(0, cut)).replace(/\.$/, "") : ownTitle;
  const rest = cut < 0 ? "" : text.slice(cut).trim();
  const wait = error.retryAfter && !/\d+ \p{L}/u.test(text) ? waitWords(error.retryAfter) : "";
  return { title, detail: [rest || (text ? "" : hint), wait].filter(Boolean).join(" ") };
}

/** @param {number} seconds */
function waitWords(seconds) {
  if (seconds < 90) return t("You can try again in {seconds} s.", { seconds: Math.max(1, Math.ceil(seconds)) });
  return tn("You can try again in {count} minute.", "You can try again in {count} minutes.", Math.ceil(seconds / 60));
}
