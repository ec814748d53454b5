// The "Try it" section of the admin: sends the unsaved form with a message, shows the streamed answer, then its trace.

import { ApiError, api, newId } from "../api.js";
import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { Answer } from "./answer_view.js";
import { drawTrace } from "./diagnostics.js";
import { cancelTurn, pause } from "./server_api.js";
import { errorLines } from "./turn_view.js";
import { Slot } from "./tray_parts.js";
import { tagNode } from "./payload_card.js";
import { declareTools } from "./registry.js";
import { countTags, plainCard, unreadableCard } from "./proposal_card.js";
import { newTurn, reduce } from "./state.js";
import { followStarted } from "./stream.js";
import { toolRunning } from "./tool_card.js";

const NO_FAILURES = new Map();
const MAX_TRIES = 6; // a stopped turn ends shortly before its trace is stored
const PAUSE_MS = 500; // milliseconds between two attempts

class TryIt {
  /** The current or last turn; a new object for each, so that callbacks can be attributed. @type {any} */
  #run = null;
  #hasLabels = false;

  /** @param {HTMLElement} section */
  constructor(section) {
    document.documentElement.dataset.sprite ??= section.dataset.sprite;
    this.section = section;
    this.form = /** @type {HTMLFormElement} */ (document.getElementById(section.dataset.form));
    const part = (/** @type {string} */ name) => /** @type {any} */ (section.querySelector(`[data-try="${name}"]`));
    [this.runButton, this.stopButton, this.status] = [part("run"), part("stop"), part("status")];
    [this.refused, this.answer, this.trace] = [part("refused"), part("answer"), part("trace")];
    this.message = /** @type {HTMLTextAreaElement} */ (section.querySelector('[name="message"]'));
    this.runButton.addEventListener("click", () => this.run());
    this.stopButton.addEventListener("click", () => this.stop());
    this.message.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      this.run();
    });
    section.hidden = false;
  }

  async run() {
    if (this.#run?.following) return;
    this.#clear();
    if (this.message.value.trim() === "") {
      this.#refuse({ code: "malformed", message: t("Enter a message first.") });
      this.message.focus();
      return;
    }
    const run = { turn: newTurn({ key: newId(), userText: this.message.value }), view: new TurnParts(this.answer), following: true };
    this.#run = run;
    const sent = new FormData(this.form);
    sent.set("client_turn_id", run.turn.key);
    this.#busy(true);
    await this.#readLabels(String(sent.get("where")));
    try {
      await followStarted((signal) => post(this.section.dataset.address, { sent, signal }), {
        pause,
        onEvent: (numbered) => this.#onEvent(run, numbered),
        onConnection: (state) => this.#say(state === "broken" ? t("Reconnecting") : run.turn.status),
      }).done;
      await this.#showTrace(run.turn);
    } catch (error) {
      const { code, message } = error instanceof ApiError ? error : { code: "unreachable", message: t("The server cannot be reached.") };
      this.#refuse({ code, message }, error instanceof ApiError ? error.errors : []);
    } finally {
      run.following = false;
      this.#busy(false);
    }
  }

  /** Read the labels of the tools, once; without them, the tools have their names. @param {string} place  "page/tab/subtab" */
  async #readLabels(place) {
    if (this.#hasLabels) return;
    const offer = await api.get(`/api/chat/pages/${encodeURIComponent(place.split("/", 1)[0])}/`).catch(() => null);
    if (offer) declareTools(offer.all_tools);
    this.#hasLabels = offer !== null;
  }

  async stop() {
    const { turnId } = this.#run?.turn ?? {};
    if (!turnId) return;
    this.#say(t("Stopping"));
    // The stream reports the end; after a failed request the user can press again.
    await cancelTurn(turnId).catch(() => this.#say(t("It could not be stopped. Try again.")));
  }

  /** @param {any} run @param {{seq: number, event: Record<string, any>}} numbered */
  #onEvent(run, numbered) {
    run.turn = reduce(run.turn, numbered);
    this.stopButton.disabled = run.turn.turnId === "";
    this.#say(run.turn.status);
    run.view.draw(run.turn, () => this.stop());
  }

  /** @param {any} turn  that has ended */
  async #showTrace(turn) {
    this.#say("");
    for (let tries = MAX_TRIES; tries > 0; tries -= 1) {
      try {
        this.trace.replaceChildren(drawTrace(await api.get(`/api/chat/turns/${turn.turnId}/trace/`)));
        return;
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** @param {{code: string, message: string}} error @param {{path?: string, detail: string}[]} [faults] */
  #refuse(error, faults = []) {
    const { title, detail } = errorLines(error);
    const more = faults.map((fault) => fault.detail).filter((words) => !error.message.includes(words));
    this.refused.replaceChildren(
      el("div", { class: "errornote", role: "alert" }, el("p", {}, [title, detail].filter(Boolean).join(". ")),
        more.length ? el("ul", {}, ...more.map((words) => el("li", {}, words))) : null));
  }

  #clear() {
    for (const node of [this.refused, this.answer, this.trace]) node.replaceChildren();
  }

  /** @param {boolean} busy */
  #busy(busy) {
    const hadFocus = document.activeElement === this.stopButton;
    this.runButton.disabled = busy;
    this.stopButton.hidden = !busy;
    this.stopButton.disabled = true;
    if (!busy) this.#say("");
    if (hadFocus) this.runButton.focus();
  }

  /** @param {string} words */
  #say(words) {
    if (this.status.textContent !== words) this.status.textContent = words;
  }
}

/** The parts of the answer; each is only redrawn when it changes. */
class TurnParts {
  /** @param {HTMLElement} log */
  constructor(log) {
    this.answer = new Answer({ onUndo: () => {} });
    const slot = () => new Slot(el("div", { class: "slot" }));
    [this.tools, this.incoming, this.notices, this.payload, this.offers] = [slot(), slot(), slot(), slot(), slot()];
    const slots = [this.tools, this.incoming, this.notices, this.payload, this.offers];
    log.replaceChildren(this.answer.bubble, ...slots.map(({ node }) => node));
  }

  /** @param {any} turn @param {() => void} onCancel */
  draw(turn, onCancel) {
    this.answer.update(turn, NO_FAILURES);
    this.tools.fill(turn.tools.filter((tool) => tool.state === "running"), (tools) => tools.map((tool) => toolRunning(tool, { onCancel })));
    this.incoming.fill(turn.incoming ?? "", ({ count }) => [notice("", "loader-circle", t("Preparing the proposal: {count} so far", { count }))]);
    this.notices.fill([turn.phase, turn.error, turn.warning, turn.unreadable], () => notices(turn));
    this.payload.fill(turn.payload ?? "", (payload) => [proposed(payload)]);
    this.offers.fill([turn.suggestedValues, turn.suggestedActions], () => offers(turn));
  }
}

/** @param {any} turn @returns {Node[]} */
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

/** @param {any} turn @returns {Node[]} the suggestions as text */
function offers({ suggestedValues, suggestedActions }) {
  const list = (/** @type {string} */ title, /** @type {any[]} */ entries) =>
    el("div", {}, el("p", {}, title), el("ul", { class: "offered" }, ...entries));
  const values = suggestedValues.map(({ label, value }) => el("li", { title: value }, label));
  const actions = suggestedActions.map(({ label, action, handler }) => el("li", { title: handler === "server" ? t("On the server") : t("In the browser") }, `${label} (${action})`));
  return [...(values.length ? [list(t("Suggested answers"), values)] : []), ...(actions.length ? [list(t("Suggested actions"), actions)] : [])];
}

/** @param {string} address @param {{sent: FormData, signal: AbortSignal}} options */
function post(address, { sent, signal }) {
  return fetch(address, { method: "POST", headers: { Accept: "text/event-stream" }, body: sent, credentials: "same-origin", signal });
}

const section = /** @type {HTMLElement | null} */ (document.getElementById("try-it"));
if (section) new TryIt(section);
