// What the tray is made with: a button, a place that is redrawn only when it must be, the greeting, messages that wait, what
// stands between the person and the assistant; and the frame around it: open or closed, how wide, a sheet over the page where
// the screen is narrow.

import { el, icon, isMirrored, keyAhead, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { retryNow } from "./server_api.js";

const SMALL = "btn btn--ghost btn--icon btn--sm";

/**
 * @param {string} label  shown, or only spoken when the button has an icon alone
 * @param {{onclick: (event: any) => void, class?: string, icon?: string, iconOnly?: boolean, title?: string}} options
 */
export function button(label, { onclick, class: classes = "btn btn--sm", icon: name = "", iconOnly = false, title = "" }) {
  const face = name ? icon(name, iconOnly ? "icon--14" : "icon--12") : null;
  const props = { type: "button", class: classes, on: { click: onclick } };
  if (iconOnly) return el("button", { ...props, "aria-label": label, title: label }, face);
  return el("button", { ...props, title: title || null }, face, label);
}

/** A place rebuilt only when what it shows has changed: a click is never lost to a redraw. */
export class Slot {
  #key = "";

  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
  }

  /**
   * @template T
   * @param {T} shown  plain data; "" and [] show nothing
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
export function hello({ starters }, { hello: title = "", helloText = "" }, send) {
  const prompts = starters.map((text) =>
    el("button", { type: "button", on: { click: () => send(text) } }, icon(text.trim().endsWith("?") ? "search" : "list-plus"), text));
  return el("div", { class: "hello" },
    el("h2", {}, title), el("p", {}, helloText),
    prompts.length ? el("div", { class: "prompts" }, ...prompts) : null);
}

/** @param {() => void} onclick @returns {HTMLElement} stands above the messages that are there */
export function earlierButton(onclick) {
  return el("div", { class: "tray__earlier" }, button(t("Earlier messages"), { onclick, class: "chip" }));
}

/**
 * @param {string[]} texts
 * @param {{onEdit: (at: number) => void, onWithdraw: (at: number) => void, onSend: (() => void) | null}} acts
 */
export function waitingLines(texts, { onEdit, onWithdraw, onSend }) {
  return texts.map((text, at) =>
    el("div", { class: "waiting" },
      el("span", { class: "waiting__text", title: text }, el("b", {}, t("Waiting:"), " "), text),
      onSend && at === 0 ? button(t("Send now"), { onclick: onSend, class: "link" }) : null,
      button(t("Edit"), { onclick: () => onEdit(at), icon: "pencil", iconOnly: true, class: SMALL }),
      button(t("Withdraw"), { onclick: () => onWithdraw(at), icon: "x", iconOnly: true, class: SMALL })));
}

/** Signed out, something that failed, a broken connection. */
export class Troubles {
  #signedOut = false;
  #fault = "";
  /** @type {{label: string, run: () => void} | undefined} */
  #retry;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    for (const told of ["online", "offline"]) addEventListener(told, onChange);
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

  /** What failed is over; drawn with what comes instead. */
  settle() {
    this.#fault = "";
  }

  /** The person goes on: if they are still signed out, the server says it again. */
  goOn() {
    this.settle();
    this.#signedOut = false;
  }

  /**
   * @param {{fill: (shown: any, build: () => Node[]) => void}} slot
   * @param {{signIn: string, broken: {seconds: number, reason: string} | null, demo: boolean}} around  signIn: where to
   */
  draw(slot, { signIn, broken, demo }) {
    const away = !navigator.onLine;
    const now = { signIn: this.#signedOut ? signIn : "", broken, away, demo, fault: this.#fault, again: this.#retry?.label };
    slot.fill(now, () => banners({ ...now, onNow: retryNow, retry: this.#retry }));
  }
}

/**
 * @param {{signIn: string, broken: {seconds: number, reason: string} | null, away: boolean, demo: boolean, fault: string, onNow: () => void, retry?: {label: string, run: () => void}}} now
 * @returns {HTMLElement[]} at most one trouble, and the note about the demo
 */
function banners({ signIn, broken, away, demo, fault, onNow, retry }) {
  const lines = [];
  if (signIn) {
    const link = el("a", { class: "link", href: signIn }, t("Sign in"));
    lines.push(strip("user", t("You are signed out. Your text is kept."), { warn: true, end: link }));
  } else if (fault) {
    lines.push(strip("circle-alert", fault, { warn: true, end: retry && button(retry.label, { onclick: retry.run, class: "link" }) }));
  } else if (broken && (away || broken.seconds >= 2)) {
    const seconds = Math.ceil(broken.seconds);
    const reason = away ? "" : broken.reason;
    const words = away
      ? t("You are offline. Trying again in {seconds} s", { seconds })
      : reason || t("The connection is broken. Trying again in {seconds} s", { seconds });
    const end = button(reason ? t("Try again") : t("Now"), { onclick: onNow, class: "link" });
    lines.push(strip(reason ? "circle-alert" : "wifi-off", words, { warn: true, end }));
  } else if (away) {
    lines.push(strip("wifi-off", t("You are offline. What you write is kept."), { warn: true }));
  }
  if (demo) {
    lines.push(strip("flask-conical", t("Demo model: a small one that is built in. It knows about ten kinds of request."), {}));
  }
  return lines;
}

/** @param {string} name @param {string} words @param {{warn?: boolean, end?: HTMLElement}} options */
function strip(name, words, { warn = false, end }) {
  return el("div", { class: warn ? "banner is-warn" : "banner", role: warn ? "alert" : "status" },
    icon(name, "icon--14"), el("span", {}, words), end ?? null);
}

const WIDTH_KEY = "chat-tray-width";
const LEAST = 304;
const MOST = 560;
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
    this.#tellToggle();
    if (grip) this.#resizable(grip);
    // Past the narrow limit the sheet is no popover: leave its top layer, or it would hide behind nothing.
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
    this.seen();
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

  /** Something came in while nobody could see it: the buttons that open the chat say so. */
  news() {
    if (this.isOpen()) return;
    for (const opener of this.#openers()) {
      opener.dataset.news = "";
      opener.setAttribute("aria-description", t("New answer"));
    }
  }

  seen() {
    for (const opener of this.#openers()) {
      delete opener.dataset.news;
      opener.removeAttribute("aria-description");
    }
  }

  /** @returns {HTMLElement[]} */
  #openers() {
    return [...document.querySelectorAll(`#tray-toggle, [popovertarget="${this.tray.id}"]`)];
  }

  /** A cookie, so that the server can paint it right the first time. @param {string} state */
  #remember(state) {
    document.cookie = `tray=${state};path=/;max-age=${YEAR};samesite=lax`;
    this.#tellToggle();
  }

  #tellToggle() {
    this.toggle?.setAttribute("aria-expanded", String(this.app.dataset.tray !== "closed"));
  }

  /** @param {HTMLElement} grip */
  #resizable(grip) {
    const kept = Number.parseInt(localStorage.getItem(WIDTH_KEY) ?? "", 10);
    if (Number.isFinite(kept)) this.#setWidth(kept);
    else grip.setAttribute("aria-valuenow", String(Math.round(this.tray.getBoundingClientRect().width)));
    grip.addEventListener("pointerdown", (down) => {
      const { left, right } = this.tray.getBoundingClientRect();
      const widthTo = (/** @type {PointerEvent} */ at) => (isMirrored() ? right - at.clientX : at.clientX - left);
      const shift = widthTo(down) - (right - left);
      const ends = new AbortController();
      grip.setPointerCapture(down.pointerId);
      grip.classList.add("is-dragging");
      grip.addEventListener("pointermove", (move) => this.#setWidth(widthTo(move) - shift), { signal: ends.signal });
      const end = () => {
        ends.abort();
        grip.classList.remove("is-dragging");
        this.#keepWidth();
      };
      grip.addEventListener("pointerup", end, { signal: ends.signal });
      grip.addEventListener("pointercancel", end, { signal: ends.signal });
    });
    grip.addEventListener("keydown", (event) => {
      const now = Number(grip.getAttribute("aria-valuenow"));
      const wanted = { ArrowLeft: now - 16, ArrowRight: now + 16, Home: LEAST, End: MOST }[keyAhead(event.key)];
      if (wanted === undefined) return;
      event.preventDefault();
      this.#setWidth(wanted);
      this.#keepWidth();
    });
  }

  /** @param {number} px */
  #setWidth(px) {
    const width = Math.max(LEAST, Math.min(MOST, Math.round(px / 4) * 4));
    this.app.style.setProperty("--tray-w", `${width}px`);
    this.grip?.setAttribute("aria-valuenow", String(width));
  }

  #keepWidth() {
    localStorage.setItem(WIDTH_KEY, this.grip?.getAttribute("aria-valuenow") ?? "");
  }
}
