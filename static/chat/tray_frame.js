// The frame around the chat: open or closed, how wide, a sheet over the page where the screen is narrow; its log stays at the
// end.

import { isMirrored, keyAhead } from "../element.js";
import { t } from "../locale.js";

const NARROW = window.matchMedia("(max-width: 47.5rem)");
const WIDTH_KEY = "chat-tray-width";
const LEAST = 304;
const MOST = 560;
const YEAR = 365 * 24 * 3600;
const NEAR = 48; // px from the end of the log that still count as the end

export class TrayFrame {
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
    NARROW.addEventListener("change", () => {
      if (!NARROW.matches && tray.matches(":popover-open")) tray.hidePopover();
    });
  }

  isOpen() {
    return NARROW.matches ? this.tray.matches(":popover-open") : this.app.dataset.tray !== "closed";
  }

  isOverPage() {
    return NARROW.matches && this.isOpen();
  }

  open() {
    if (NARROW.matches) {
      if (!this.isOpen()) this.tray.showPopover();
      return;
    }
    delete this.app.dataset.tray;
    this.seen();
    this.#remember("open");
  }

  close() {
    if (NARROW.matches) {
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

/** Keeps the log at its end while the person is there, and says that there is news while they read further up. */
export class StickyLog {
  #atEnd = true;
  #height = 0;

  /** @param {HTMLElement} log @param {HTMLElement} news  the "New messages" button */
  constructor(log, news) {
    this.log = log;
    this.news = news;
    log.addEventListener("scroll", () => this.#look(), { passive: true });
    news.addEventListener("click", () => this.toEnd());
    new ResizeObserver(() => this.#atEnd && this.#jump()).observe(log);
  }

  /** Call after something may have been added. */
  added() {
    const grown = this.log.scrollHeight > this.#height;
    this.#height = this.log.scrollHeight;
    if (this.#atEnd) this.#jump();
    else if (grown) this.news.hidden = false;
  }

  toEnd() {
    this.#atEnd = true;
    this.news.hidden = true;
    this.#jump();
  }

  #jump() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  #look() {
    this.#atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR;
    if (this.#atEnd) this.news.hidden = true;
  }
}
