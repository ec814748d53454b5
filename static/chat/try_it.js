// Try it, in the admin: sends the form as it stands with a message, shows the answer as it streams, then its trace.

import { ApiError, api, newId } from "../api.js";
import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { Answer } from "./answer_view.js";
import { drawTrace } from "./diagnostics.js";
import { cancelTurn, pause } from "./server_api.js";
import { errorLines } from "./turn_view.js";
import { Slot } from "./tray_parts.js";
import { countTags, plainCard, unreadableCard } from "./payload_card.js";
import { newTurn, reduce } from "./state.js";
import { followBegun } from "./stream.js";
import { toolRunning } from "./tool_card.js";

const NOTHING_UNDONE = new Map();
const TRIES = 6; // a stopped turn ends for its reader a moment before its trace is stored
const PAUSE = 500; // milliseconds between two of them

class TryIt {
  /** The turn that runs or has run; each has an object of its own, so that an older one can be told. @type {any} */
  #run = null;

  /** @param {HTMLElement} section */
  constructor(section) {
    document.documentElement.dataset.sprite ??= section.dataset.sprite;
    this.section = section;
    this.form = /** @type {HTMLFormElement} */ (document.getElementById(section.dataset.form));
    const part = (/** @type {string} */ name) => /** @type {any} */ (section.querySelector(`[data-try="${name}"]`));
    [this.runs, this.stops, this.status] = [part("run"), part("stop"), part("status")];
    [this.refused, this.answer, this.trace] = [part("refused"), part("answer"), part("trace")];
    this.message = /** @type {HTMLTextAreaElement} */ (section.querySelector('[name="message"]'));
    this.runs.addEventListener("click", () => this.run());
    this.stops.addEventListener("click", () => this.stop());
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
      this.#refuse({ code: "malformed", message: t("Write a message first.") });
      this.message.focus();
      return;
    }
    const run = { turn: newTurn({ key: newId(), userText: this.message.value }), view: new TurnParts(this.answer), following: true };
    this.#run = run;
    const sent = new FormData(this.form);
    sent.set("client_turn_id", run.turn.key);
    this.#busy(true);
    try {
      await followBegun((signal) => post(this.section.dataset.address, { sent, signal }), {
        pause,
        onEvent: (numbered) => this.#take(run, numbered),
        onConnection: (state) => this.#say(state === "broken" ? t("Connecting again") : run.turn.status),
      }).done;
      await this.#account(run.turn);
    } catch (error) {
      const { code, message } = error instanceof ApiError ? error : { code: "unreachable", message: t("The server cannot be reached.") };
      this.#refuse({ code, message }, error instanceof ApiError ? error.errors : []);
    } finally {
      run.following = false;
      this.#busy(false);
    }
  }

  async stop() {
    const { turnId } = this.#run?.turn ?? {};
    if (!turnId) return;
    this.#say(t("Stopping"));
    // The stream tells how it ended; whoever cannot be reached now is asked again with the next press.
    await cancelTurn(turnId).catch(() => this.#say(t("It could not be stopped. Try again.")));
  }

  /** @param {any} run @param {{seq: number, event: Record<string, any>}} numbered */
  #take(run, numbered) {
    run.turn = reduce(run.turn, numbered);
    this.stops.disabled = run.turn.turnId === "";
    this.#say(run.turn.status);
    run.view.draw(run.turn, () => this.stop());
  }

  /** @param {any} turn  that has ended */
  async #account(turn) {
    this.#say("");
    for (let left = TRIES; left > 0; left -= 1) {
      try {
        this.trace.replaceChildren(drawTrace(await api.get(`/api/chat/turns/${turn.turnId}/trace/`)));
        return;
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
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
    const held = document.activeElement === this.stops;
    this.runs.disabled = busy;
    this.stops.hidden = !busy;
    this.stops.disabled = true;
    if (!busy) this.#say("");
    if (held) this.runs.focus();
  }

  /** @param {string} words */
  #say(words) {
    if (this.status.textContent !== words) this.status.textContent = words;
  }
}

/** The answer in its parts; each is redrawn only when it looks otherwise. */
class TurnParts {
  /** @param {HTMLElement} log */
  constructor(log) {
    this.answer = new Answer({ onTurnBack: () => {} });
    const slot = () => new Slot(el("div", { class: "slot" }));
    [this.tools, this.incoming, this.notices, this.payload, this.offers] = [slot(), slot(), slot(), slot(), slot()];
    const slots = [this.tools, this.incoming, this.notices, this.payload, this.offers];
    log.replaceChildren(this.answer.bubble, ...slots.map(({ node }) => node));
  }

  /** @param {any} turn @param {() => void} onCancel */
  draw(turn, onCancel) {
    this.answer.update(turn, NOTHING_UNDONE);
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

/** What the answer would bring into the page; here it can only be looked at. @param {any} payload */
function proposed(payload) {
  const tags = countTags(payload);
  return plainCard(payload,
    tags.length ? el("span", { class: "tags" }, ...tags.map(({ tone, text }) => el("span", { class: tone ? `tag tag--${tone}` : "tag" }, text))) : null,
    el("p", {}, t("It can be looked at here, not applied.")));
}

/** @param {any} turn @returns {Node[]} the suggestions, as words */
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
