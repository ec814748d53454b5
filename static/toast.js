// Short notes at the edge of the page: five seconds, longer under the pointer, errors until closed. Among them those about
// modules that are fetched when they are first needed, and did not come.

import { el, icon } from "./element.js";
import { t } from "./locale.js";

const SHOWN_MS = 5000;

/**
 * @typedef {{label: string, run: () => void}} ToastAction
 *
 * @param {string} text
 * @param {{action?: ToastAction, actions?: ToastAction[], kind?: "" | "error"}} [options]  actions: where there is more than one
 * @returns {HTMLElement}
 */
export function toast(text, { action, actions = action ? [action] : [], kind = "" } = {}) {
  const note = el("div", { class: kind === "error" ? "toast is-error" : "toast", role: kind === "error" ? "alert" : undefined });
  const close = () => note.remove();
  if (kind === "error") note.append(icon("circle-alert"));
  note.append(el("span", { text }));
  for (const { label, run } of actions) {
    const once = () => {
      close();
      run();
    };
    note.append(el("button", { type: "button", text: label, on: { click: once } }));
  }
  note.append(el("button", { type: "button", "aria-label": t("Close"), on: { click: close } }, icon("x", "icon--14")));
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

/** What could not be fetched, with the note that says so. @type {Map<string, HTMLElement>} */
const failed = new Map();

/**
 * @template T
 * @param {string} lost  what to say where it cannot be had: "The members could not be loaded."
 * @param {() => Promise<T>} fetch  an `import()`
 * @returns {Promise<T>} stays open while it cannot be had; whoever asks again takes the place of whoever asked before
 */
export async function late(lost, fetch) {
  for (let again = false; ; again = true) {
    try {
      const found = await fetch();
      failed.get(lost)?.remove();
      failed.delete(lost);
      return found;
    } catch {
      await new Promise((resolve) => {
        failed.get(lost)?.remove();
        failed.set(lost, toast(lost, { kind: "error", action: anotherTry(again, () => resolve(undefined)) }));
      });
    }
  }
}

/**
 * @param {boolean} again  whether that was tried before: then the page may be older than the server, which has other files now
 * @param {() => void} run @returns {{label: string, run: () => void}}
 */
export function anotherTry(again, run) {
  return again ? { label: t("Reload"), run: () => location.reload() } : { label: t("Try again"), run };
}

/** Tells the browser of everything that comes with a module, so that it does not find it piece by piece.
 * @param {string} name  of a template that the page holds */
export function announce(name) {
  const template = /** @type {HTMLTemplateElement | null} */ (document.querySelector(`template[data-modules="${name}"]`));
  if (!template) return;
  document.head.append(template.content);
  template.remove();
}
