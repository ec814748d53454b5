// The tray's smaller parts: the greeting of an empty conversation, banners, messages that wait.

import { el, icon } from "../element.js";
import { button } from "./parts.js";

const PROMPT_ICONS = ["list-plus", "search", "info"];
const SMALL = "btn btn--ghost btn--icon btn--sm";

/**
 * @param {{starters: string[]}} offer
 * @param {{hello?: string, helloText?: string}} words
 * @param {(text: string) => void} send
 */
export function hello({ starters }, { hello: title = "", helloText = "" }, send) {
  const prompts = starters.map((text, at) =>
    el("button", { type: "button", on: { click: () => send(text) } }, icon(PROMPT_ICONS[at % PROMPT_ICONS.length]), text));
  return el("div", { class: "hello" },
    el("h2", {}, title), el("p", {}, helloText),
    prompts.length ? el("div", { class: "prompts" }, ...prompts) : null);
}

/** @param {() => void} onclick @returns {HTMLElement} stands above the messages that are there */
export function earlierButton(onclick) {
  return el("div", { class: "tray__earlier" }, button("Earlier messages", { onclick, class: "chip" }));
}

/**
 * @param {{signIn: string, broken: {seconds: number} | null, demo: boolean, fault: string, onNow: () => void, onRetry?: () => void}} now
 * @returns {HTMLElement[]} at most one trouble, and the note about the demo
 */
export function banners({ signIn, broken, demo, fault, onNow, onRetry }) {
  const lines = [];
  if (signIn) {
    const link = el("a", { class: "link", href: signIn }, "Sign in");
    lines.push(strip("user", "You are signed out. Your text is kept.", { warn: true, end: link }));
  } else if (fault) {
    lines.push(strip("circle-alert", fault, { warn: true, end: onRetry && button("Try again", { onclick: onRetry, class: "link" }) }));
  } else if (broken && (!navigator.onLine || broken.seconds >= 2)) {
    const wait = `Trying again in ${Math.ceil(broken.seconds)} s`;
    const words = navigator.onLine ? `The connection is broken. ${wait}` : `You are offline. ${wait}`;
    lines.push(strip("wifi-off", words, { warn: true, end: button("Now", { onclick: onNow, class: "link" }) }));
  }
  if (demo) {
    lines.push(strip("flask-conical", "Demo model: a small one that is built in. It knows about ten kinds of request.", {}));
  }
  return lines;
}

/** @param {string} name @param {string} words @param {{warn?: boolean, end?: HTMLElement}} options */
function strip(name, words, { warn = false, end }) {
  return el("div", { class: warn ? "banner is-warn" : "banner", role: warn ? "alert" : "status" },
    icon(name, "icon--14"), el("span", {}, words), end ?? null);
}

/**
 * @param {string[]} texts
 * @param {{onEdit: (at: number) => void, onWithdraw: (at: number) => void, onSend: (() => void) | null}} acts
 */
export function waitingLines(texts, { onEdit, onWithdraw, onSend }) {
  return texts.map((text, at) =>
    el("div", { class: "waiting" },
      el("span", { class: "waiting__text", title: text }, el("b", {}, "Waiting: "), text),
      onSend && at === 0 ? button("Send now", { onclick: onSend, class: "link" }) : null,
      button("Edit", { onclick: () => onEdit(at), icon: "pencil", iconOnly: true, class: SMALL }),
      button("Withdraw", { onclick: () => onWithdraw(at), icon: "x", iconOnly: true, class: SMALL })));
}
