// What stands below an answer: its versions, copy, again, thumbs with a reason and the time; and the suggestions.

import { ApiError } from "../api.js";
import { el, icon, late, load, replaceInside, toast } from "../element.js";
import { readerLocale, t, timeText } from "../locale.js";
import { canRun } from "./actions.js";
import { button } from "./tray_parts.js";

const STYLES = { primary: "btn btn--primary btn--sm", warning: "btn btn--warning btn--sm", secondary: "btn btn--sm" };
const SMALL = "btn btn--ghost btn--icon btn--sm";

/** @param {TurnView} turn @param {{last: boolean, running: boolean}} around @param {TurnActs} acts @param {HTMLElement} thumbs */
export function turnMeta(turn, { last, running }, acts, thumbs) {
  const text = turn.text.replace(/\[\[tool:\d+\]\]/g, "").trim();
  return el("div", { class: "turn__meta" },
    versions(turn.answerBeside, turn.messageId, { running, show: acts.showVersion }),
    copyButton(text),
    last && turn.userText
      ? button(t("Try again"), { onclick: () => acts.again(turn), icon: "rotate-ccw", iconOnly: true, class: SMALL })
      : null,
    thumbs,
    acts.diagnoses && turn.turnId
      ? button(t("Diagnostics"), { onclick: () => diagnose(turn.turnId), icon: "activity", iconOnly: true, class: SMALL })
      : null,
    clock(turn.at));
}

/** @param {string} text @returns {HTMLButtonElement | null} null where there is nothing to copy, or nowhere to put it */
export function copyButton(text) {
  if (text === "" || navigator.clipboard === undefined) return null;
  const copy = async (/** @type {any} */ event) => {
    const face = event.currentTarget;
    await navigator.clipboard.writeText(text);
    face.title = t("Copied");
    face.setAttribute("aria-label", t("Copied"));
  };
  return button(t("Copy"), { onclick: copy, icon: "copy", iconOnly: true, class: SMALL });
}

/** The module is fetched by those few who ask for it. @param {string} turnId */
async function diagnose(turnId) {
  const { openDiagnostics } = await late(t("The diagnostics could not be loaded."), () => load(() => import("./diagnostics.js")));
  try {
    await openDiagnostics(turnId);
  } catch (error) {
    toast(error instanceof ApiError ? error.message : t("The diagnostics could not be read. Try again in a moment."), { kind: "error" });
  }
}

/** @param {TurnView} turn @param {TurnActs} acts @returns {HTMLElement[]} */
export function suggestions(turn, acts) {
  const chips = turn.suggestedValues.map(({ label, value }) =>
    button(label, { onclick: () => acts.sendValue(value), class: "chip", title: value }));
  const acted = turn.suggestedActions.filter((entry) => !entry.run && canRun(entry)).map((entry) =>
    button(entry.label, { onclick: (event) => acts.runAction(entry, event.currentTarget), class: STYLES[entry.style] ?? STYLES.secondary }));
  return [
    ...(chips.length ? [el("div", { class: "chips", role: "group", "aria-label": t("Suggestions") }, ...chips)] : []),
    ...(acted.length ? [el("div", { class: "acts", role: "group", "aria-label": t("Actions") }, ...acted)] : []),
  ];
}

/** @param {string} at  ISO, "" for unknown */
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

export class Opinion {
  /** @type {TurnView | null} */
  turn = null;
  /** One after the other, so that the last word is what stays. */
  #sending = Promise.resolve();

  /** @param {{rated: (turn: TurnView, feedback: Feedback) => void}} acts */
  constructor({ rated }) {
    this.rated = rated;
    this.faces = Object.keys(THUMBS).map((rating) =>
      el("button", { type: "button", class: SMALL, "aria-label": THUMBS[rating], title: THUMBS[rating], "aria-pressed": "false",
        dataset: { rating }, on: { click: () => this.#press(rating) } }, icon(`thumbs-${rating}`, "icon--14")));
    this.thumbs = el("span", { class: "thumbs", role: "group", "aria-label": t("Rate this answer") }, ...this.faces);
    this.said = el("span", { class: "sr", role: "status" });
    this.more = el("div", { class: "slot" });
    this.node = el("div", { class: "opinion" }, this.more, this.said);
  }

  /** @param {TurnView} turn */
  update(turn) {
    this.turn = turn;
    this.thumbs.hidden = !turn.messageId || turn.phase === "running";
    for (const face of this.faces) face.setAttribute("aria-pressed", String(face.dataset.rating === turn.feedback?.rating));
    if (!turn.feedback) this.more.replaceChildren();
  }

  /** @param {string} rating */
  async #press(rating) {
    const { rate } = await late(t("The form could not be loaded."), () => load(() => import("./rating.js")));
    this.#sending = this.#sending.then(() => rate(this, rating));
  }
}

/**
 * @param {readonly string[]} ids  all messages of one place, oldest first @param {string} shown  the one of them that is shown
 * @param {{running: boolean, show: (messageId: string, back: boolean) => void}} options
 *   running: while a turn runs, that one is looked at
 * @returns {HTMLElement | null} null where there is nothing beside it
 */
export function versions(ids, shown, { running, show }) {
  const at = ids.indexOf(shown);
  if (at < 0 || ids.length < 2) return null;
  const step = (/** @type {string} */ label, /** @type {string} */ name, /** @type {number} */ to) => {
    const made = button(label, { onclick: () => show(ids[to], to < at), icon: name, iconOnly: true, class: SMALL });
    made.disabled = running || to < 0 || to >= ids.length;
    return made;
  };
  return el("span", { class: "versions", "data-version": shown },
    step(t("Version before"), "chevron-left", at - 1),
    el("span", { "aria-label": t("Version {at} of {count}", { at: at + 1, count: ids.length }), role: "img" }, `${at + 1} / ${ids.length}`),
    step(t("Version after"), "chevron-right", at + 1));
}

/** The question of a turn: it can be copied, or edited and sent again as another branch. */
export class Asked {
  /** @type {TurnView | null} */
  #turn = null;
  #running = false;
  /** @type {HTMLFormElement | null} while it is being edited */
  #form = null;

  /** @param {{edit: (turn: TurnView, text: string) => void, showVersion: (messageId: string, back: boolean) => void}} acts */
  constructor(acts) {
    this.acts = acts;
    this.node = el("div", { class: "turn turn--asked" });
  }

  /** @param {TurnView} turn @param {boolean} running  whether any turn runs: then nothing can be sent in another's place */
  update(turn, running) {
    const look = ({ userText, goesOn, askedId, askedBeside }) => JSON.stringify([userText, goesOn, askedId, askedBeside]);
    const same = this.#turn !== null && look(this.#turn) === look(turn) && this.#running === running;
    this.#turn = turn;
    if (same) return;
    this.#running = running;
    this.node.hidden = turn.userText === "";
    if (this.#form) this.#refresh();
    else this.#draw();
  }

  #draw() {
    const { userText, goesOn, askedId, askedBeside } = this.#turn;
    if (goesOn) {
      this.node.replaceChildren(goingOn(userText));
      return;
    }
    const edit = button(t("Edit and send again"), { onclick: () => this.#begin(), icon: "pencil", iconOnly: true, class: SMALL });
    edit.dataset.part = "edit";
    edit.disabled = this.#running;
    replaceInside(this.node,
      el("div", { class: "bubble bubble--user" }, userText),
      el("div", { class: "turn__meta turn__meta--asked" },
        versions(askedBeside, askedId, { running: this.#running, show: this.acts.showVersion }), copyButton(userText), edit));
  }

  async #begin() {
    const { messageForm } = await late(t("The command could not be loaded."), () => load(() => import("./message_form.js")));
    // Pressed twice, or while another turn has begun.
    if (this.#form || this.#running) return;
    this.#form = messageForm(this.#turn.userText, { send: (text) => this.#send(text), end: () => this.#end(), running: () => this.#running });
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
    this.#end();
    this.acts.edit(this.#turn, text);
  }

  /** The bubble is back, and the focus where it was. */
  #end() {
    this.#form = null;
    this.#draw();
    /** @type {HTMLElement | null} */ (this.node.querySelector("[data-part=edit]"))?.focus();
  }
}

/** @param {string} words  announced by the assistant, not typed by the user */
function goingOn(words) {
  return el("p", { class: "turn__next" }, icon("arrow-right", "icon--12"), el("span", {}, el("b", {}, t("Then:"), " "), words));
}
