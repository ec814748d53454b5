// Parts of the tray: buttons, slots, the greeting, queued messages, banners; and its frame, which is a resizable sidebar or, on
// narrow screens, a sheet over the page.

import { el, icon, isMirrored, logicalKey, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { retryNow } from "./server_api.js";

const SMALL = "btn btn--ghost btn--icon btn--sm";

/**
 * @param {string} label  visible, or the accessible name if there is only an icon
 * @param {{onclick: (event: any) => void, class?: string, icon?: string, iconOnly?: boolean, title?: string}} options
 */
export function button(label, { onclick, class: classes = "btn btn--sm", icon: name = "", iconOnly = false, title = "" }) {
  const glyph = name ? icon(name, iconOnly ? "icon--14" : "icon--12") : null;
  const props = { type: "button", class: classes, on: { click: onclick } };
  if (iconOnly) return el("button", { ...props, "aria-label": label, title: label }, glyph);
  return el("button", { ...props, title: title || null }, glyph, label);
}

/** An element whose content is only rebuilt when its data has changed, so that a redraw never loses a click. */
export class Slot {
  #key = "";

  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
  }

  /**
   * @template T
   * @param {T} shown  plain data; "" and [] are empty
   * @param {(shown: T) => Node[]} build
   */
  fill(shown, build) {
    const empty = shown === "" || (Array.isArray(shown) && shown.length === 0);
    const key = empty ? "" : JSON.stringify(shown);
    if (key === this.#key) return;
    this.#key = key;
    replaceInside(this.node, ...(empty ? [] : build(shown)));
  }
}

/**
 * @param {{starters: string[]}} offer
 * @param {{hello?: string, helloText?: string}} words
 * @param {(text: string) => void} send
 */
export function greeting({ starters }, { hello: title = "", helloText = "" }, send) {
  const prompts = starters.map((text) =>
    el("button", { type: "button", on: { click: () => send(text) } }, icon(text.trim().endsWith("?") ? "search" : "list-plus"), text));
  return el("div", { class: "greeting" },
    el("h2", {}, title), el("p", {}, helloText),
    prompts.length ? el("div", { class: "prompts" }, ...prompts) : null);
}

/** @param {() => void} onclick @returns {HTMLElement} shown above the messages */
export function earlierButton(onclick) {
  return el("div", { class: "tray__earlier" }, button(t("Earlier messages"), { onclick, class: "chip" }));
}

/**
 * @param {string[]} texts
 * @param {{onEdit: (at: number) => void, onWithdraw: (at: number) => void, onSend: (() => void) | null}} handlers
 */
export function waitingLines(texts, { onEdit, onWithdraw, onSend }) {
  return texts.map((text, at) =>
    el("div", { class: "waiting" },
      el("span", { class: "waiting__text", title: text }, el("b", {}, t("Waiting:"), " "), text),
      onSend && at === 0 ? button(t("Send now"), { onclick: onSend, class: "link" }) : null,
      button(t("Edit"), { onclick: () => onEdit(at), icon: "pencil", iconOnly: true, class: SMALL }),
      button(t("Withdraw"), { onclick: () => onWithdraw(at), icon: "x", iconOnly: true, class: SMALL })));
}

/** Banners: signed out, an error, a broken connection, a notice about the model. */
export class TrayBanners {
  #signedOut = false;
  /** Whether a message was not sent, because the browser is offline. */
  #notSent = false;
  #fault = "";
  /** @type {{label: string, run: () => void} | undefined} */
  #retry;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    for (const event of ["online", "offline"]) addEventListener(event, onChange);
  }

  /** @param {string} sentence @param {(() => void)} [retry] @param {string} [label]  of the button */
  show(sentence, retry = undefined, label = t("Try again")) {
    this.#fault = sentence;
    this.#retry = retry && { label, run: retry };
    this.onChange();
  }

  signOut() {
    this.#signedOut = true;
    this.onChange();
  }

  notSent() {
    this.#notSent = true;
    this.onChange();
  }

  /** Remove the error; takes effect with the next draw. */
  clearError() {
    this.#fault = "";
  }

  /** The user continues: if they are still signed out, the server will respond so. */
  resetErrors() {
    this.clearError();
    this.#signedOut = this.#notSent = false;
  }

  /**
   * @param {{fill: (shown: any, build: () => Node[]) => void}} slot
   * @param {{signIn: string, broken: {seconds: number, reason: string} | null, notice: string}} around  signIn: URL of the sign-in page
   */
  draw(slot, { signIn, broken, notice }) {
    const offline = !navigator.onLine;
    const now = { signIn: this.#signedOut ? signIn : "", broken, offline, notSent: this.#notSent, notice, fault: this.#fault, again: this.#retry?.label };
    slot.fill(now, () => banners({ ...now, onNow: retryNow, retry: this.#retry }));
  }
}

/**
 * @param {{signIn: string, broken: {seconds: number, reason: string} | null, offline: boolean, notSent: boolean, notice: string, fault: string,
 *   onNow: () => void, retry?: {label: string, run: () => void}}} now
 * @returns {HTMLElement[]} at most one problem, and the notice about the model
 */
function banners({ signIn, broken, offline, notSent, notice, fault, onNow, retry }) {
  const lines = [];
  if (signIn) {
    const link = el("a", { class: "link", href: signIn }, t("Sign in"));
    lines.push(banner("user", t("You are signed out. Your text is saved."), { warn: true, end: link }));
  } else if (fault) {
    lines.push(banner("circle-alert", fault, { warn: true, end: retry && button(retry.label, { onclick: retry.run, class: "link" }) }));
  } else if (broken && (offline || broken.seconds >= 2)) {
    const seconds = Math.ceil(broken.seconds);
    const reason = offline ? "" : broken.reason;
    const words = offline
      ? t("You are offline. Trying again in {seconds} s", { seconds })
      : reason || t("Connection lost. Trying again in {seconds} s", { seconds });
    const end = button(reason ? t("Try again") : t("Now"), { onclick: onNow, class: "link" });
    lines.push(banner(reason ? "circle-alert" : "wifi-off", words, { warn: true, end }));
  } else if (offline) {
    lines.push(banner("wifi-off", notSent ? t("You are offline. The message was not sent.") : t("You are offline. Your text is saved."), { warn: true }));
  }
  if (notice) lines.push(banner("flask-conical", notice, {}));
  return lines;
}

/** @param {string} name @param {string} words @param {{warn?: boolean, end?: HTMLElement}} options */
function banner(name, words, { warn = false, end }) {
  return el("div", { class: warn ? "banner is-warn" : "banner", role: warn ? "alert" : "status" },
    icon(name, "icon--14"), el("span", {}, words), end ?? null);
}

const WIDTH_KEY = "chat-tray-width";
const MIN_WIDTH = 304;
const MAX_WIDTH = 560;
const YEAR = 365 * 24 * 3600;

export class TrayFrame {
  #narrow = window.matchMedia("(max-width: 47.5rem)");

  /** @param {{app: HTMLElement, tray: HTMLElement, grip: HTMLElement | null, toggle: HTMLElement | null}} parts */
  constructor({ app, tray, grip, toggle }) {
    this.app = app;
    this.tray = tray;
    this.grip = grip;
    this.toggle = toggle;
    toggle?.addEventListener("click", () => (this.isOpen() ? this.close() : this.open()));
    this.#updateToggle();
    if (grip) this.#resizable(grip);
    // On wide screens the tray is no popover: remove it from the top layer.
    this.#narrow.addEventListener("change", () => {
      if (!this.#narrow.matches && tray.matches(":popover-open")) tray.hidePopover();
    });
  }

  isOpen() {
    return this.#narrow.matches ? this.tray.matches(":popover-open") : this.app.dataset.tray !== "closed";
  }

  isOverPage() {
    return this.#narrow.matches && this.isOpen();
  }

  open() {
    if (this.#narrow.matches) {
      if (!this.isOpen()) this.tray.showPopover();
      return;
    }
    delete this.app.dataset.tray;
    this.markRead();
    this.#remember("open");
  }

  close() {
    if (this.#narrow.matches) {
      if (this.isOpen()) this.tray.hidePopover();
      return;
    }
    const inside = this.tray.contains(document.activeElement);
    this.app.dataset.tray = "closed";
    this.#remember("closed");
    if (inside) this.toggle?.focus();
  }

  /** A message arrived while the chat was closed: mark the buttons that open it. */
  markUnread() {
    if (this.isOpen()) return;
    for (const opener of this.#toggles()) {
      opener.dataset.news = "";
      opener.setAttribute("aria-description", t("New answer"));
    }
  }

  markRead() {
    for (const opener of this.#toggles()) {
      delete opener.dataset.news;
      opener.removeAttribute("aria-description");
    }
  }

  /** @returns {HTMLElement[]} */
  #toggles() {
    return [...document.querySelectorAll(`#tray-toggle, [popovertarget="${this.tray.id}"]`)];
  }

  /** Stored in a cookie, so that the server renders the right state. @param {string} state */
  #remember(state) {
    document.cookie = `tray=${state};path=/;max-age=${YEAR};samesite=lax`;
    this.#updateToggle();
  }

  #updateToggle() {
    this.toggle?.setAttribute("aria-expanded", String(this.app.dataset.tray !== "closed"));
  }

  /** @param {HTMLElement} grip */
  #resizable(grip) {
    const stored = Number.parseInt(localStorage.getItem(WIDTH_KEY) ?? "", 10);
    if (Number.isFinite(stored)) this.#setWidth(stored);
    else grip.setAttribute("aria-valuenow", String(Math.round(this.tray.getBoundingClientRect().width)));
    grip.addEventListener("pointerdown", (down) => {
      const { left, right } = this.tray.getBoundingClientRect();
      const widthTo = (/** @type {PointerEvent} */ at) => (isMirrored() ? right - at.clientX : at.clientX - left);
      const shift = widthTo(down) - (right - left);
      const controller = new AbortController();
      grip.setPointerCapture(down.pointerId);
      grip.classList.add("is-dragging");
      grip.addEventListener("pointermove", (move) => this.#setWidth(widthTo(move) - shift), { signal: controller.signal });
      const end = () => {
        controller.abort();
        grip.classList.remove("is-dragging");
        this.#storeWidth();
      };
      grip.addEventListener("pointerup", end, { signal: controller.signal });
      grip.addEventListener("pointercancel", end, { signal: controller.signal });
    });
    grip.addEventListener("keydown", (event) => {
      const now = Number(grip.getAttribute("aria-valuenow"));
      const width = { ArrowLeft: now - 16, ArrowRight: now + 16, Home: MIN_WIDTH, End: MAX_WIDTH }[logicalKey(event.key)];
      if (width === undefined) return;
      event.preventDefault();
      this.#setWidth(width);
      this.#storeWidth();
    });
  }

  /** @param {number} px */
  #setWidth(px) {
    const width = Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, Math.round(px / 4) * 4));
    this.app.style.setProperty("--tray-w", `${width}px`);
    this.grip?.setAttribute("aria-valuenow", String(width));
  }

  #storeWidth() {
    localStorage.setItem(WIDTH_KEY, this.grip?.getAttribute("aria-valuenow") ?? "");
  }
}
