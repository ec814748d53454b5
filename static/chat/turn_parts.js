// Parts of a turn: the question, the toolbar below an answer (versions, copy, retry, rating, diagnostics, time), and
// suggestions. Client actions run here, server actions are posted; the assistant is informed about the result.

import { ApiError } from "../api.js";
import { el, icon, lazy, load, replaceInside, toast } from "../element.js";
import { readerLocale, t, timeText } from "../locale.js";
import { clientAction } from "./registry.js";
import { button } from "./tray_parts.js";

const STYLES = { primary: "btn btn--primary btn--sm", warning: "btn btn--warning btn--sm", secondary: "btn btn--sm" };
const SMALL = "btn btn--ghost btn--icon btn--sm";

/** @param {TurnView} turn @param {{last: boolean, running: boolean}} around @param {TurnHandlers} handlers @param {HTMLElement} thumbs */
export function turnMeta(turn, { last, running }, handlers, thumbs) {
  const text = turn.text.replace(/\[\[tool:\d+\]\]/g, "").trim();
  return el("div", { class: "turn__meta" },
    versions(turn.answerVersions, turn.messageId, { running, show: handlers.showVersion }),
    copyButton(text),
    last && turn.userText
      ? button(t("Try again"), { onclick: () => handlers.retry(turn), icon: "rotate-ccw", iconOnly: true, class: SMALL })
      : null,
    thumbs,
    handlers.hasDiagnostics && turn.turnId
      ? button(t("Diagnostics"), { onclick: () => showDiagnostics(turn.turnId), icon: "activity", iconOnly: true, class: SMALL })
      : null,
    clock(turn.at));
}

/** @param {string} text @returns {HTMLButtonElement | null} null if the text is empty or the clipboard is not available */
export function copyButton(text) {
  if (text === "" || navigator.clipboard === undefined) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toast(t("Copied."));
  };
  return button(t("Copy"), { onclick: copy, icon: "copy", iconOnly: true, class: SMALL });
}

/** The module is loaded on demand, since few users need it. @param {string} turnId */
async function showDiagnostics(turnId) {
  const { openDiagnostics } = await lazy(t("The diagnostics could not be loaded."), () => load(() => import("./diagnostics.js")));
  try {
    await openDiagnostics(turnId);
  } catch (error) {
    toast(error instanceof ApiError ? error.message : t("The diagnostics could not be loaded. Try again in a moment."), { kind: "error" });
  }
}

/** @param {TurnView} turn @param {TurnHandlers} handlers @returns {HTMLElement[]} */
export function suggestions(turn, handlers) {
  const chips = turn.suggestedValues.map(({ label, value }) =>
    button(label, { onclick: () => handlers.sendValue(value), class: "chip", title: value }));
  const actions = turn.suggestedActions.filter((entry) => !entry.run && canRun(entry)).map((entry) =>
    button(entry.label, { onclick: (event) => handlers.runAction(entry, event.currentTarget), class: STYLES[entry.style] ?? STYLES.secondary }));
  return [
    ...(chips.length ? [el("div", { class: "chips", role: "group", "aria-label": t("Suggestions") }, ...chips)] : []),
    ...(actions.length ? [el("div", { class: "actions", role: "group", "aria-label": t("Actions") }, ...actions)] : []),
  ];
}

/** @param {string} at  ISO, "" if unknown */
function clock(at) {
  const date = new Date(at);
  if (!at || Number.isNaN(date.getTime())) return null;
  const today = date.toDateString() === new Date().toDateString();
  const time = timeText(date);
  const words = today ? time : `${date.toLocaleDateString(readerLocale, { month: "short", day: "numeric" })}, ${time}`;
  return el("time", { datetime: at, title: date.toLocaleString(readerLocale) }, words);
}

const THUMBS = { up: t("Good answer"), down: t("Bad answer") };

/** @typedef {{rating: "up" | "down", reason: string} | null} Feedback */

export class RatingControl {
  /** @type {TurnView | null} */
  turn = null;
  /** Requests are sent in sequence, so that the last rating is stored. */
  #sending = Promise.resolve();

  /** @param {{onRated: (turn: TurnView, feedback: Feedback) => void}} handlers */
  constructor({ onRated }) {
    this.onRated = onRated;
    this.buttons = Object.keys(THUMBS).map((rating) =>
      el("button", { type: "button", class: SMALL, "aria-label": THUMBS[rating], title: THUMBS[rating], "aria-pressed": "false",
        dataset: { rating }, on: { click: () => this.#press(rating) } }, icon(`thumbs-${rating}`, "icon--14")));
    this.thumbs = el("span", { class: "thumbs", role: "group", "aria-label": t("Rate this answer") }, ...this.buttons);
    this.status = el("span", { class: "sr", role: "status" });
    this.more = el("div", { class: "slot" });
    this.node = el("div", { class: "rating" }, this.more, this.status);
  }

  /** @param {TurnView} turn */
  update(turn) {
    this.turn = turn;
    this.thumbs.hidden = !turn.messageId || turn.phase === "running";
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.rating === turn.feedback?.rating));
    if (!turn.feedback) this.more.replaceChildren();
  }

  /** @param {string} rating */
  async #press(rating) {
    const { rate } = await lazy(t("The form could not be loaded."), () => load(() => import("./rating.js")));
    this.#sending = this.#sending.then(() => rate(this, rating));
  }
}

/**
 * @param {readonly string[]} ids  all versions of a message, oldest first @param {string} shown  the id of the one that is shown
 * @param {{running: boolean, show: (messageId: string, back: boolean) => void}} options
 *   running: a turn runs, so that the version cannot be changed
 * @returns {HTMLElement | null} null if there is only one version
 */
export function versions(ids, shown, { running, show }) {
  const index = ids.indexOf(shown);
  if (index < 0 || ids.length < 2) return null;
  const step = (/** @type {string} */ label, /** @type {string} */ name, /** @type {number} */ to) => {
    const control = button(label, { onclick: () => show(ids[to], to < index), icon: name, iconOnly: true, class: SMALL });
    control.disabled = running || to < 0 || to >= ids.length;
    return control;
  };
  return el("span", { class: "versions", "data-version": shown },
    step(t("Version before"), "chevron-left", index - 1),
    el("span", { "aria-label": t("Version {at} of {count}", { at: index + 1, count: ids.length }), role: "img" }, `${index + 1} / ${ids.length}`),
    step(t("Version after"), "chevron-right", index + 1));
}

/** The question of a turn, which can be copied, or edited and sent again on a new branch. */
export class Question {
  /** @type {TurnView | null} */
  #turn = null;
  #running = false;
  /** @type {HTMLFormElement | null} while it is being edited */
  #form = null;

  /** @param {{edit: (turn: TurnView, text: string) => void, showVersion: (messageId: string, back: boolean) => void}} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.node = el("div", { class: "turn turn--question" });
  }

  /** @param {TurnView} turn @param {boolean} running  whether any turn runs, so that nothing can be sent */
  update(turn, running) {
    const appearance = ({ files, userText, isContinued, questionId, questionVersions }) => JSON.stringify([files, userText, isContinued, questionId, questionVersions]);
    const same = this.#turn !== null && appearance(this.#turn) === appearance(turn) && this.#running === running;
    this.#turn = turn;
    if (same) return;
    this.#running = running;
    this.node.hidden = turn.userText === "";
    if (this.#form) this.#refresh();
    else this.#draw();
  }

  #draw() {
    const { files, userText, isContinued, questionId, questionVersions } = this.#turn;
    if (isContinued) {
      this.node.replaceChildren(nextStepLine(userText));
      return;
    }
    const edit = button(t("Edit and send again"), { onclick: () => this.#startEditing(), icon: "pencil", iconOnly: true, class: SMALL });
    edit.dataset.part = "edit";
    edit.disabled = this.#running;
    replaceInside(this.node,
      el("div", { class: "bubble bubble--user" }, userText),
      files.length ? el("p", { class: "turn__meta turn__files", text: files.map(({ name }) => name).join(", ") }) : "",
      el("div", { class: "turn__meta turn__meta--question" },
        versions(questionVersions, questionId, { running: this.#running, show: this.handlers.showVersion }), copyButton(userText), edit));
  }

  async #startEditing() {
    const { messageForm } = await lazy(t("The command could not be loaded."), () => load(() => import("./message_form.js")));
    // Pressed twice, or another turn has started meanwhile.
    if (this.#form || this.#running) return;
    this.#form = messageForm(this.#turn.userText, { send: (text) => this.#send(text), end: () => this.#endEditing(), running: () => this.#running });
    this.node.replaceChildren(this.#form);
    this.#refresh();
    const field = this.#form.querySelector("textarea");
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  #refresh() {
    this.#form.dispatchEvent(new Event("input"));
  }

  /** @param {string} text */
  #send(text) {
    if (this.#running) return;
    this.#endEditing();
    this.handlers.edit(this.#turn, text);
  }

  /** Show the message again and restore the focus. */
  #endEditing() {
    this.#form = null;
    this.#draw();
    /** @type {HTMLElement | null} */ (this.node.querySelector("[data-part=edit]"))?.focus();
  }
}

/** @param {string} words  a next step of the assistant */
function nextStepLine(words) {
  return el("p", { class: "turn__next" }, icon("arrow-right", "icon--12"), el("span", {}, el("b", {}, t("Then:"), " "), words));
}

/**
 * @typedef {{label: string, action: string, handler: "client" | "server", data?: any, style?: string, run?: boolean}} SuggestedAction
 *
 * @param {SuggestedAction} entry @returns {boolean} whether this page can run it
 */
export function canRun({ handler, action }) {
  return handler === "server" || clientAction(action) !== undefined;
}

/**
 * @param {SuggestedAction} entry @param {HTMLButtonElement} control  disabled during a request
 * @param {import("./server_action.js").ActionContext} context
 */
export async function runAction(entry, control, context) {
  const posted = entry.handler === "server";
  control.disabled = posted;
  const { execute } = await lazy(t("The action could not be started."), () => load(() => (posted ? import("./server_action.js") : import("./action_receipts.js"))));
  await execute(entry, control, context);
}
