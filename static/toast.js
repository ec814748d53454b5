// Short notes at the edge of the page: five seconds, longer under the pointer, errors until closed.

import { el, icon } from "./element.js";

const SHOWN_MS = 5000;

/**
 * @param {string} text
 * @param {{action?: {label: string, run: () => void}, kind?: "" | "error"}} [options]
 * @returns {HTMLElement}
 */
export function toast(text, { action, kind = "" } = {}) {
  const note = el("div", { class: kind === "error" ? "toast is-error" : "toast", role: kind === "error" ? "alert" : undefined });
  const close = () => note.remove();
  if (kind === "error") note.append(icon("circle-alert"));
  note.append(el("span", { text }));
  if (action) {
    const run = () => {
      close();
      action.run();
    };
    note.append(el("button", { type: "button", text: action.label, on: { click: run } }));
  }
  note.append(el("button", { type: "button", "aria-label": "Close", on: { click: close } }, icon("x", "icon--14")));
  document.getElementById("toasts")?.append(note);
  if (kind !== "error") leaveLater(note, close);
  return note;
}

/** @param {HTMLElement} note @param {() => void} close */
function leaveLater(note, close) {
  let timer = setTimeout(close, SHOWN_MS);
  const stay = () => clearTimeout(timer);
  const go = () => {
    clearTimeout(timer);
    timer = setTimeout(close, SHOWN_MS);
  };
  note.addEventListener("pointerenter", stay);
  note.addEventListener("pointerleave", go);
  note.addEventListener("focusin", stay);
  note.addEventListener("focusout", go);
}
