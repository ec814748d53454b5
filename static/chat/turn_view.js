// The turns in the log: what was asked, and the answer in whatever state it is, also where it did not work. Renders views,
// holds none of its own but which lids are open.

import { t, tn } from "../locale.js";
import { el, icon } from "../element.js";
import { Answer } from "./answer_view.js";
import { payloadCard, unreadableCard } from "./payload_card.js";
import { Asked, Opinion, suggestions, turnMeta } from "./turn_parts.js";
import { Slot } from "./tray_parts.js";
import { toolRunning } from "./tool_card.js";

/**
 * @typedef {object} TurnActs  what the person can do in a turn
 * @property {() => void} cancel
 * @property {(turn: TurnView) => void} again
 * @property {(turn: TurnView, text: string) => void} edit  the person says it in other words
 * @property {(messageId: string, back: boolean) => void} showVersion  looks at the branch of another; back: an older one
 * @property {(turn: TurnView, feedback: any) => void} rated  the person said what they think of the answer
 * @property {boolean} diagnoses  whether this person may see how an answer came about
 * @property {(text: string) => void} sendValue
 * @property {(action: any, face: HTMLButtonElement) => void} runAction
 * @property {(payload: any) => void} showPayload  the person wants to see it again
 * @property {TurnBackTool} turnBackTool
 * @property {(payload: any, way: "apply"|"dismiss") => void} answer
 * @property {(payload: any, way: "undo"|"redo", onConflict?: "keep"|"overwrite") => void} turnBack
 *
 * @typedef {object} Around  what a turn's look depends on beside the turn
 * @property {boolean} last  only there is "Try again"
 * @property {boolean} running  whether any turn runs
 * @property {string} connection  "" or what to say while it is broken
 * @property {Map<number, TakenBack>} taken  changes of tools that could not be turned back, by their ids
 * @property {Map<string, Settling>} settling  by payload id
 * @property {number} looks  of payloads: another number, and they may look otherwise
 * @property {((turn: TurnView, last: boolean) => [any, (() => Node[])?]) | undefined} receipts  of actions that ran: what a turn
 *   shows of them, and what builds it; another function when they have changed, none until they are needed
 */

const SETTLED = { busy: "", fault: "", blocked: "" };

class TurnElement {
  /** @type {Map<string, Slot>} */
  #slots = new Map();
  /** What was drawn last: views are never changed in place, so the same object looks the same. @type {any[]} */
  #seen = [];

  /** @param {TurnActs} acts */
  constructor(acts) {
    this.acts = acts;
    this.asked = new Asked(acts);
    this.answered = el("div", { class: "turn" });
    this.answer = new Answer({ onTurnBack: acts.turnBackTool });
    this.opinion = new Opinion(acts);
    const slot = (/** @type {string} */ name) => {
      const made = new Slot(el("div", { class: "slot" }));
      this.#slots.set(name, made);
      return made.node;
    };
    this.answered.append(
      this.answer.bubble, slot("running"), slot("thinking"), slot("incoming"), slot("notice"), slot("unreadable"), slot("payload"),
      slot("receipts"), slot("meta"), this.opinion.node, slot("suggestions"));
    this.nodes = [this.asked.node, this.answered];
  }

  /** @param {TurnView} turn @param {Around} around */
  update(turn, around) {
    const seen = [turn, around.last, around.running, around.connection, around.taken, around.settling, around.looks, around.receipts];
    if (seen.every((value, at) => value === this.#seen[at])) return;
    this.#seen = seen;
    const running = turn.phase === "running";
    this.asked.update(turn, around.running);
    this.answer.update(turn, around.taken);
    const tools = turn.tools.filter((tool) => tool.state === "running");
    this.#fill("thinking", thinkingWords(turn, around, tools.length > 0), (words) => [thinking(words)]);
    this.#fill("running", running ? tools : [], () => tools.map((tool) => toolRunning(tool, { onCancel: this.acts.cancel })));
    this.#fill("incoming", turn.incoming ?? "", (incoming) => [arriving(incoming)]);
    this.#fill("notice", [turn.phase, turn.error, turn.warning, around.last], () => this.#notices(turn, around.last));
    const settling = around.settling.get(turn.payload?.id) ?? SETTLED;
    this.#fill("payload", turn.payload ? [turn.payload, settling, around.looks] : "", () => [
      payloadCard(turn.payload, {
        ...settling, show: this.acts.showPayload, answer: (way) => this.acts.answer(turn.payload, way),
        turnBack: (way, onConflict) => this.acts.turnBack(turn.payload, way, onConflict),
      }),
    ]);
    this.#fill("unreadable", turn.unreadable, () => [unreadableCard(turn.unreadable)]);
    this.#fill("receipts", ...(around.receipts?.(turn, around.last) ?? [""]));
    const said = !running && (turn.text !== "" || turn.tools.length > 0 || turn.answerBeside.length > 1 || this.acts.diagnoses);
    const meta = [turn.text, turn.at, turn.messageId, turn.answerBeside, around.last, around.running];
    this.#fill("meta", said ? meta : "", () => [turnMeta(turn, around, this.acts, this.opinion.thumbs)]);
    this.opinion.update(turn);
    const offer = turn.phase === "complete" ? [turn.suggestedValues, turn.suggestedActions] : "";
    this.#fill("suggestions", offer, () => suggestions(turn, this.acts));
  }

  /** @template T @param {string} name @param {T} shown @param {(shown: T) => Node[]} [build]  where something is shown */
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
      const again = last && turn.error.retryable ? () => this.acts.again(turn) : null;
      nodes.push(notice({ tone: "bad", name: "circle-alert", title, detail, again, alert: true }));
    }
    return nodes;
  }
}

/** One element a turn, kept while the turn is there, in order. */
export class TurnList {
  /** @type {Map<string, TurnElement>} */
  #elements = new Map();

  /** @param {HTMLElement} log @param {TurnActs} acts */
  constructor(log, acts) {
    this.log = log;
    this.acts = acts;
  }

  /**
   * @param {TurnView[]} turns
   * @param {Omit<Around, "last">} around
   * @param {{greeting: HTMLElement, earlier: HTMLElement | null}} beside  shown while there is no turn; above the turns
   */
  draw(turns, around, { greeting, earlier }) {
    const keys = new Set(turns.map((turn) => turn.key));
    for (const key of [...this.#elements.keys()]) {
      if (!keys.has(key)) this.#elements.delete(key);
    }
    const nodes = turns.flatMap((turn, at) => {
      const element = this.#elements.get(turn.key) ?? new TurnElement(this.acts);
      this.#elements.set(turn.key, element);
      const last = at === turns.length - 1;
      element.update(turn, { ...around, last, connection: last ? around.connection : "" });
      return element.nodes;
    });
    this.#place(nodes.length ? [...(earlier ? [earlier] : []), ...nodes] : [greeting]);
  }

  /** Moves only what is not in its place, so that focus and open lids stay. @param {HTMLElement[]} nodes */
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

/** @param {TurnView} turn @param {Around} around @param {boolean} working @returns {string} "" when something else shows that it works */
function thinkingWords(turn, around, working) {
  if (turn.phase !== "running") return "";
  if (around.connection) return around.connection;
  if (working || turn.incoming) return "";
  return turn.status.replace(/…$/, "") || (turn.text.endsWith("]]") || turn.text === "" ? t("Thinking") : "");
}

/** @param {string} words  dots follow */
function thinking(words) {
  return el("div", { class: "bubble bubble--think" }, words, el("span", { class: "dots" }, el("i"), el("i"), el("i")));
}

/** @param {{payloadType: string, count: number}} incoming */
function arriving({ count }) {
  const words = tn("{count} change so far", "{count} changes so far", count);
  return el("div", { class: "notice" },
    icon("loader-circle", "spin"), el("b", {}, t("Preparing the proposal")), count > 0 ? el("span", { class: "prop" }, words) : null);
}

/** @param {{tone: string, name: string, title: string, detail?: string, again?: (() => void) | null, alert?: boolean}} options */
function notice({ tone, name, title, detail = "", again = null, alert = false }) {
  return el("div", { class: `notice is-${tone}`, role: alert ? "alert" : null },
    icon(name), el("b", {}, title),
    detail ? el("p", {}, detail) : null,
    again
      ? el("div", { class: "acts" },
          el("button", { type: "button", class: "btn btn--sm", on: { click: again } }, icon("rotate-ccw", "icon--12"), t("Try again")))
      : null);
}

const LINES = {
  provider_overloaded: [t("The model is busy"), t("It usually clears within a minute.")],
  rate_limited: [t("The model's limit is reached"), t("It should clear in about a minute.")],
  provider_auth: [t("The model refused the key"), t("Whoever runs this server can check the API key.")],
  provider_unreachable: [t("The model did not answer"), t("Check that the server can reach it, then try again.")],
  context_too_long: [t("This conversation has become too long"), t("Start a new conversation; the table stays as it is.")],
  budget_exhausted: [t("Today's limit is used up"), t("It starts anew tomorrow.")],
  timeout: [t("That took too long"), t("Try again, or ask for less at once.")],
  internal: [t("Something went wrong"), t("Nothing was changed by this. Try again.")],
  unanswered: [t("There is no answer to this"), t("It was lost before it was finished. Try again.")],
  throttled: [t("That was a lot of messages"), t("Wait a moment, then try again.")],
  too_many_requests: [t("That was a lot of messages"), t("Wait a moment, then try again.")],
  too_long: [t("The message is too long"), t("Shorten it and send it again.")],
  unreachable: [t("The server cannot be reached"), t("Your message is kept. It is sent again when the connection is back.")],
};

/**
 * @param {{code: string, message: string, retryAfter?: number|null}} error
 * @returns {{title: string, detail: string}} the server's own sentences, where it has said any
 */
export function errorLines(error) {
  const [ownTitle, hint] = Object.hasOwn(LINES, error.code) ? LINES[error.code] : [t("That did not work"), ""];
  const said = error.message.trim();
  const cut = said.search(/(?<=[.!?])\s/);
  const title = said ? (cut < 0 ? said : said.slice(0, cut)).replace(/\.$/, "") : ownTitle;
  const rest = cut < 0 ? "" : said.slice(cut).trim();
  const wait = error.retryAfter && !/\d+ \p{L}/u.test(said) ? waitWords(error.retryAfter) : "";
  return { title, detail: [rest || (said ? "" : hint), wait].filter(Boolean).join(" ") };
}

/** @param {number} seconds */
function waitWords(seconds) {
  if (seconds < 90) return t("You can try again in {seconds} s.", { seconds: Math.max(1, Math.ceil(seconds)) });
  return tn("You can try again in {count} minute.", "You can try again in {count} minutes.", Math.ceil(seconds / 60));
}
