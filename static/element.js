// DOM helpers: elements from data, always as text and with hidden characters spelled out; replacing children without losing the
// focus or a click; toasts; and loading modules on demand, with a retry.

import { t } from "./locale.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, any>} [props]  `class`, `text`, `dataset`, `on` (event → listener), `aria-…` and other attributes;
 *   true writes an empty attribute, false, null and undefined write none
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any} the element
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key === "dataset") Object.assign(node.dataset, value);
    else if (key === "on") for (const [type, listener] of Object.entries(value)) node.addEventListener(type, listener);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "indeterminate") node[key] = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * @param {string} name  a symbol of the sprite without its `i-`
 * @param {string} [extra]  more class names
 * @returns {SVGElement} decoration only: hidden from screen readers
 */
export function icon(name, extra = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon ${extra}`.trim());
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${document.documentElement.dataset.sprite}#i-${name}`);
  svg.append(use);
  return svg;
}

/** @param {DataTransfer | null} data  of a drag or a paste @returns {boolean} whether it has files */
export const hasFiles = (data) => [...(data?.items ?? [])].some(({ kind }) => kind === "file");

/** @returns {boolean} whether the page is read from right to left */
export function isMirrored() {
  return document.documentElement.dir === "rtl";
}

/** @param {number} rem @returns {number} px, by the font size that the user has set */
export function remInPx(rem) {
  return rem * (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
}

/** @param {string} key @returns {string} the key with the same meaning in a left-to-right page */
export function logicalKey(key) {
  if (!isMirrored()) return key;
  return { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[key] ?? key;
}

/** @param {Element} element @returns {string} a key that identifies it among its siblings after a redraw: attributes or text */
function identityOf(element) {
  const attributes = ["id", "data-choice", "data-part", "aria-label", "value"].map((name) => element.getAttribute(name) ?? "");
  return [element.tagName, ...attributes, element.id || element.getAttribute("aria-label") ? "" : element.textContent].join(" ");
}

/** @param {Element} node @param {...(Node | string)} children  replace its content; the focus moves to the matching element */
export function replaceInside(node, ...children) {
  const focused = document.activeElement;
  if (!focused || focused === node || !node.contains(focused)) return node.replaceChildren(...children);
  const candidates = () => [...node.querySelectorAll(focused.tagName)].filter((one) => identityOf(one) === identityOf(focused));
  const index = candidates().indexOf(focused);
  node.replaceChildren(...children);
  // Moving the focused element in the DOM removes its focus.
  const now = /** @type {HTMLElement | undefined} */ (focused.isConnected ? focused : candidates()[index]);
  if (document.activeElement !== now) now?.focus({ preventScroll: true });
}

// Longer presses select text or drag; the end of a drag on a scrollbar may never be reported.
const MAX_PRESS_MS = 1000;

export class Press {
  /** @type {(() => void)[]} */
  #waiting = [];
  #cancel = () => {};
  held = false;

  /**
   * @param {EventTarget} target  receives all pointer events
   * @param {(ms: number, run: () => void) => () => void} later  setTimeout that returns a cancel function
   */
  constructor(target, later) {
    this.later = later;
    target.addEventListener("pointerdown", () => this.#hold(), { capture: true });
    // The click event follows pointerup.
    for (const end of ["pointerup", "pointercancel"]) target.addEventListener(end, () => this.#releaseAfter(0), { capture: true });
  }

  /** @param {() => void} run  runs now, or when the pointer is released */
  whenReleased(run) {
    if (this.held) this.#waiting.push(run);
    else run();
  }

  /** @returns {Promise<void>} */
  released() {
    return new Promise((resolve) => this.whenReleased(resolve));
  }

  #hold() {
    this.held = true;
    this.#releaseAfter(MAX_PRESS_MS);
  }

  /** @param {number} ms */
  #releaseAfter(ms) {
    this.#cancel();
    this.#cancel = this.later(ms, () => {
      this.held = false;
      for (const run of this.#waiting.splice(0)) run();
    });
  }
}

export const press = new Press(globalThis.document ?? new EventTarget(), (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
});

// Zero-width joiners are needed in some scripts and emoji: only those next to ASCII characters count as hidden.
const HIDDEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|(?<=[\p{ASCII}])[\u200c\u200d]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;

/** @param {string} text @returns {boolean} */
export function hasHiddenCharacters(text) {
  // Unlike test(), search() always starts at index 0 and does not change lastIndex, which matchAll() reads.
  return text.search(HIDDEN) >= 0;
}

/** @param {string} text @returns {string} the same as plain text: "pay[U+200B]pal" */
export function revealedText(text) {
  return revealed(text).map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text)).join("");
}

/**
 * @param {string} text
 * @returns {{text: string, hidden: boolean}[]} the text in pieces; a hidden one reads "U+200B"
 */
export function revealed(text) {
  const pieces = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), hidden: false });
    pieces.push({ text: codePointName(match[0]), hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** @param {string} character */
function codePointName(character) {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Create a node in which hidden characters are spelled out, for text under review. @param {unknown} text @returns {Node} */
export function drawRevealed(text) {
  const whole = String(text ?? "");
  if (!hasHiddenCharacters(whole)) return document.createTextNode(whole);
  const pieces = revealed(whole).map((piece) => (piece.hidden ? el("span", { class: "hidden-char", title: t("Invisible character"), text: piece.text }) : piece.text));
  return el("span", {}, ...pieces);
}

const SHOWN_MS = 5000;
const MAX_TOASTS = 3;

/**
 * @typedef {{label: string, run: () => void, change?: number}} ToastAction  change: the one that the action undoes
 *
 * @param {string} text
 * @param {{action?: ToastAction, actions?: ToastAction[], kind?: "" | "error", stays?: boolean}} [options]  actions: where there is
 *   more than one; stays: until it is closed
 * @returns {HTMLElement}
 */
export function toast(text, { action, actions = action ? [action] : [], kind = "", stays = kind === "error" } = {}) {
  const isError = kind === "error";
  const note = el("div", { class: isError ? "toast is-error" : "toast", role: isError && "alert" }, isError && icon("circle-alert"));
  let before = /** @type {any} */ (null);
  note.addEventListener("focusin", ({ relatedTarget }) => note.contains(relatedTarget) || (before = relatedTarget));
  const close = () => {
    const hadFocus = note.contains(document.activeElement);
    note.remove();
    // It may be hidden or deleted by now.
    if (hadFocus) (before?.checkVisibility() ? before : document.querySelector("[role=grid]"))?.focus({ preventScroll: true });
  };
  const buttons = actions.map(({ label, run }) => el("button", { type: "button", text: label, on: { click: () => {
    close();
    run();
  } } }));
  note.append(el("span", { text }), el("div", { class: "toast__actions" }, ...buttons, el("button", { type: "button", "aria-label": t("Close"), on: { click: close } }, icon("x", "icon--14"))));
  const change = actions.find((one) => one.change)?.change;
  if (change) note.dataset.undoes = String(change);
  if (stays && actions.length) note.dataset.offers = "";
  const list = document.getElementById("toasts");
  const shown = /** @type {HTMLElement[]} */ ([...list?.children ?? []]);
  // A repeated message replaces the earlier one.
  if (!actions.length) note.dataset.message = `${kind} ${text}`;
  const same = shown.filter((one) => one.dataset.message && one.dataset.message === note.dataset.message);
  for (const one of [...same, ...toastsToRemove(shown.filter((one) => !same.includes(one)), mustStay)]) one.remove();
  list?.append(note);
  if (!stays) closeLater(note, close);
  return note;
}

/** Whether a toast is in use or waits for a choice: its actions may hold the only copy of typed text. @param {HTMLElement} note */
const mustStay = (note) => "offers" in note.dataset || note.matches(":hover, :focus-within");

/**
 * @template T
 * @param {T[]} shown  oldest first @param {(toast: T) => boolean} stays
 * @returns {T[]} the oldest toasts to remove before adding one, without those that stay
 */
export function toastsToRemove(shown, stays) {
  return shown.filter((one) => !stays(one)).slice(0, Math.max(0, shown.length + 1 - MAX_TOASTS));
}

/** Remove the toasts that offer to undo a change which is already undone. @param {number} change */
export function removeUndoToasts(change) {
  for (const note of document.querySelectorAll(`#toasts [data-undoes="${change}"]`)) note.remove();
}

/** Close a toast some time after pointer and focus have left it. @param {HTMLElement} note @param {() => void} close */
function closeLater(note, close) {
  let timer = setTimeout(close, SHOWN_MS);
  const uses = new Set();
  for (const [start, end] of [["pointerenter", "pointerleave"], ["focusin", "focusout"]]) {
    note.addEventListener(start, () => uses.add(start) && clearTimeout(timer));
    note.addEventListener(end, () => {
      uses.delete(start);
      clearTimeout(timer);
      if (!uses.size) timer = setTimeout(close, SHOWN_MS);
    });
  }
}

/** Modules that failed to load, by URL. @type {Map<string, {count: number, retry?: Promise<any>}>} */
const failures = new Map();

/**
 * Import a module. Browsers cache a failed import by URL, so that a retry uses another fragment.
 * @template T
 * @param {() => Promise<T>} fetch  one `import()`
 * @returns {Promise<T>}
 */
export async function load(fetch) {
  try {
    return await fetch();
  } catch (error) {
    // Both Chromium and Firefox include the URL of the module in the message.
    const url = /https?:\S+/.exec(error.message)?.[0] ?? "";
    const failure = failures.get(url) ?? { count: 0 };
    failures.set(url, failure);
    failure.count += 1;
    if (!url.startsWith(location.origin) || failure.count === 1) throw error;
    failure.retry ??= import(`${url}#${failure.count}`).catch((again) => {
      failure.retry = undefined;
      throw again;
    });
    return failure.retry;
  }
}

/** The error toasts of modules that failed to load, by message. @type {Map<string, HTMLElement>} */
const errorToasts = new Map();

/**
 * @template T
 * @param {string} message  the message of the error toast: "The members could not be loaded."
 * @param {() => Promise<T>} fetch  an `import()`
 * @returns {Promise<T>} pending until the module is loaded; a later call with the same message replaces the toast of an earlier one
 */
export async function lazy(message, fetch) {
  for (let again = false; ; again = true) {
    try {
      const module = await fetch();
      errorToasts.get(message)?.remove();
      errorToasts.delete(message);
      return module;
    } catch {
      await new Promise((resolve) => {
        errorToasts.get(message)?.remove();
        errorToasts.set(message, toast(message, { kind: "error", action: retryAction(again, () => resolve(undefined)) }));
      });
    }
  }
}

/**
 * @param {boolean} again  whether a retry failed already: the page may be older than the files on the server, so offer a reload
 * @param {() => void} run @returns {{label: string, run: () => void}}
 */
export function retryAction(again, run) {
  return again ? { label: t("Reload"), run: () => location.reload() } : { label: t("Try again"), run };
}

/** Preload all imports of a module at once.
 * @param {string} name  of the page's template with the links */
export function preloadModules(name) {
  const template = /** @type {HTMLTemplateElement | null} */ (document.querySelector(`template[data-modules="${name}"]`));
  if (!template) return;
  document.head.append(template.content);
  template.remove();
}

// Modules that are not needed for the first paint are loaded at one of these events.
const FIRST_INPUTS = ["pointermove", "pointerdown", "keydown"];

/**
 * Run a function at the first pointer move, press or key; if it fails, again at the next press or key.
 * @param {() => any} run  may return a promise @param {string[]} [events]
 */
export function onFirstInput(run, events = FIRST_INPUTS) {
  const controller = new AbortController();
  const once = async () => {
    controller.abort();
    try {
      await run();
    } catch {
      onFirstInput(run, FIRST_INPUTS.slice(1));
    }
  };
  for (const type of events) document.addEventListener(type, once, { passive: true, signal: controller.signal });
}

const LINKS = new Set(["http:", "https:", "mailto:"]);

/** @param {string} url @returns {URL | null} null for everything but a complete http, https or mailto address */
export function safeUrl(url) {
  try {
    const parsed = new URL(url);
    return LINKS.has(parsed.protocol) ? parsed : null;
  } catch {
    return null;
  }
}
