// What stands below an answer: copy and again with the time, and the suggestions as chips and buttons.

import { ApiError } from "../api.js";
import { el } from "../element.js";
import { readerLocale, t } from "../locale.js";
import { late, toast } from "../toast.js";
import { canRun } from "./actions.js";
import { button } from "./parts.js";
import { versions } from "./versions.js";

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
  const { openDiagnostics } = await late(t("The diagnostics could not be loaded."), () => import("./diagnostics.js"));
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
  const acted = turn.suggestedActions.filter(canRun).map((entry) =>
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
  const time = date.toLocaleTimeString(readerLocale, { hour: "2-digit", minute: "2-digit" });
  const words = today ? time : `${date.toLocaleDateString(readerLocale, { month: "short", day: "numeric" })}, ${time}`;
  return el("time", { datetime: at, title: date.toLocaleString(readerLocale) }, words);
}
