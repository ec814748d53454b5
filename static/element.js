// Makes elements from data: text only ever goes in as text, never as markup, and what hides in it is spelled out. Draws a part
// anew without taking the keyboard away from whoever is in it, nor the click from whoever holds a pointer down. Short notes at
// the edge of the page: five seconds, longer under the pointer, errors until closed; among them those about modules that are
// fetched when they are first needed, and did not come.

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

/** @returns {boolean} whether the page is read from right to left: what lies ahead is on the left then */
export function isMirrored() {
  return document.documentElement.dir === "rtl";
}

/** @param {number} rem @returns {number} px: more for whoever has set larger letters */
export function remInPx(rem) {
  return rem * (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
}

/** @param {string} key @returns {string} the key that means the same where one reads from left to right */
export function keyAhead(key) {
  if (!isMirrored()) return key;
  return { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[key] ?? key;
}

/** @param {Element} element @returns {string} what it is known by: its name, or what it says */
function nameOf(element) {
  const marks = ["id", "data-choice", "data-part", "aria-label", "value"].map((name) => element.getAttribute(name) ?? "");
  return [element.tagName, ...marks, element.id || element.getAttribute("aria-label") ? "" : element.textContent].join(" ");
}

/**
 * @param {Element} node @param {...(Node | string)} children  take the place of what is in it; the focus goes to what stands
 *   where it was
 */
export function replaceInside(node, ...children) {
  const held = document.activeElement;
  if (!held || held === node || !node.contains(held)) {
    node.replaceChildren(...children);
    return;
  }
  const alike = () => [...node.querySelectorAll(held.tagName)].filter((one) => nameOf(one) === nameOf(held));
  const place = alike().indexOf(held);
  node.replaceChildren(...children);
  // One that was put back has lost it, too.
  const now = /** @type {HTMLElement | undefined} */ (held.isConnected ? held : alike()[place]);
  if (document.activeElement !== now) now?.focus({ preventScroll: true });
}

// Longer holds select text or drag; a scrollbar may never tell of its end.
const MOST_MS = 1000;

export class Press {
  /** @type {(() => void)[]} */
  #waiting = [];
  #callOff = () => {};
  held = false;

  /**
   * @param {EventTarget} target  hears of every pointer
   * @param {(ms: number, run: () => void) => () => void} later  runs something after a while; how to call that off
   */
  constructor(target, later) {
    this.later = later;
    target.addEventListener("pointerdown", () => this.#hold(), { capture: true });
    // The click comes right after.
    for (const end of ["pointerup", "pointercancel"]) target.addEventListener(end, () => this.#releaseAfter(0), { capture: true });
  }

  /** @param {() => void} run  at once where nothing is held down */
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
    this.#releaseAfter(MOST_MS);
  }

  /** @param {number} ms */
  #releaseAfter(ms) {
    this.#callOff();
    this.#callOff = this.later(ms, () => {
      this.held = false;
      for (const run of this.#waiting.splice(0)) run();
    });
  }
}

export const press = new Press(globalThis.document ?? new EventTarget(), (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
});

// Joiners between letters are left alone where a script or an emoji needs them: they are hidden only beside plain letters.
const HIDDEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|(?<=[\p{ASCII}])[\u200c\u200d]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;

/** @param {string} text @returns {boolean} */
export function hidesSomething(text) {
  // Unlike test(), search() starts at the beginning and leaves no place behind that matchAll() would start from.
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
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), hidden: false });
    pieces.push({ text: codeOf(found[0]), hidden: true });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** @param {string} character */
function codeOf(character) {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text as it is shown where somebody looks a change over: what nobody sees is spelled out. @param {unknown} text @returns {Node} */
export function drawRevealed(text) {
  const whole = String(text ?? "");
  if (!hidesSomething(whole)) return document.createTextNode(whole);
  const pieces = revealed(whole).map((piece) => (piece.hidden ? el("span", { class: "unseen", title: t("A character that cannot be seen"), text: piece.text }) : piece.text));
  return el("span", {}, ...pieces);
}

const SHOWN_MS = 5000;
const MOST_TOASTS = 3;

/**
 * @typedef {{label: string, run: () => void, change?: number}} ToastAction  change: the one that the action undoes
 *
 * @param {string} text
 * @param {{action?: ToastAction, actions?: ToastAction[], kind?: "" | "error", stays?: boolean}} [options]  actions: where there is
 *   more than one; stays: until it is closed
 * @returns {HTMLElement}
 */
export function toast(text, { action, actions = action ? [action] : [], kind = "", stays = kind === "error" } = {}) {
  const note = el("div", { class: kind === "error" ? "toast is-error" : "toast", role: kind === "error" ? "alert" : undefined });
  const close = () => note.remove();
  if (kind === "error") note.append(icon("circle-alert"));
  const buttons = actions.map(({ label, run }) => {
    const once = () => {
      close();
      run();
    };
    return el("button", { type: "button", text: label, on: { click: once } });
  });
  buttons.push(el("button", { type: "button", "aria-label": t("Close"), on: { click: close } }, icon("x", "icon--14")));
  note.append(el("span", { text }), el("div", { class: "toast__acts" }, ...buttons));
  const change = actions.find((one) => one.change)?.change;
  if (change) note.dataset.undoes = String(change);
  if (stays && actions.length) note.dataset.offers = "";
  const place = document.getElementById("toasts");
  const shown = /** @type {HTMLElement[]} */ ([...(place?.children ?? [])]);
  for (const one of toastsToRemove(shown, mustStay)) one.remove();
  place?.append(note);
  if (!stays) closeLater(note, close);
  return note;
}

/** A toast in use, or one that stays for an answer: its actions may hold the only copy of what was typed. @param {HTMLElement} note */
const mustStay = (note) => "offers" in note.dataset || note.matches(":hover, :focus-within");

/**
 * @template T
 * @param {T[]} shown  oldest first @param {(toast: T) => boolean} stays
 * @returns {T[]} those that make room for one more: the oldest, never one that stays
 */
export function toastsToRemove(shown, stays) {
  return shown.filter((one) => !stays(one)).slice(0, Math.max(0, shown.length + 1 - MOST_TOASTS));
}

/** Removes the toasts that offer to undo a change which is undone already. @param {number} change */
export function removeUndoToasts(change) {
  const place = document.getElementById("toasts");
  for (const note of place?.querySelectorAll(`[data-undoes="${change}"]`) ?? []) note.remove();
}

/** Closes a toast some seconds after the pointer and the focus have left it. @param {HTMLElement} note @param {() => void} close */
function closeLater(note, close) {
  let timer = setTimeout(close, SHOWN_MS);
  const inUse = { pointer: false, focus: false };
  /** @param {Partial<typeof inUse>} changed */
  const update = (changed) => {
    Object.assign(inUse, changed);
    clearTimeout(timer);
    if (!inUse.pointer && !inUse.focus) timer = setTimeout(close, SHOWN_MS);
  };
  note.addEventListener("pointerenter", () => update({ pointer: true }));
  note.addEventListener("pointerleave", () => update({ pointer: false }));
  note.addEventListener("focusin", () => update({ focus: true }));
  note.addEventListener("focusout", () => update({ focus: false }));
}

/** Modules that could not be loaded, by URL: how often, and what became of the latest other try. @type {Map<string, {count: number, retry?: Promise<any>}>} */
const failures = new Map();

/**
 * Browsers do not fetch a module again under the URL under which it has failed: another try is made under another fragment.
 * @template T
 * @param {() => Promise<T>} fetch  one `import()`
 * @returns {Promise<T>}
 */
export async function load(fetch) {
  try {
    return await fetch();
  } catch (error) {
    // Both Chromium and Firefox name the module that was asked for.
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

/** @param {HTMLElement} part  a popover @param {HTMLElement} anchor  puts it under the anchor, or above where there is no room */
export function placeBeside(part, anchor) {
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 4 + part.offsetHeight <= innerHeight;
  const start = isMirrored() ? at.right - part.offsetWidth : at.left;
  part.style.left = `${Math.max(8, Math.min(start, innerWidth - part.offsetWidth - 8))}px`;
  part.style.top = below ? `${at.bottom + 4}px` : `${Math.max(8, at.top - 4 - part.offsetHeight)}px`;
}
