// The menu of conversations of this page: the title opens it, a line switches to another.

import { readerLocale } from "../locale.js";
import { el, icon } from "../element.js";

export class ConversationMenu {
  /**
   * @param {{title: HTMLElement, menu: HTMLElement, list: () => Promise<any[]>, onOpen: (id: string) => void}} options
   */
  constructor({ title, menu, list, onOpen }) {
    this.title = title;
    this.menu = menu;
    this.onOpen = onOpen;
    this.current = "";
    menu.addEventListener("toggle", async (event) => {
      const open = /** @type {ToggleEvent} */ (event).newState === "open";
      title.setAttribute("aria-expanded", String(open));
      if (open) this.#fill(await list().catch(() => null));
    });
  }

  /** @param {string} id @param {string} text */
  setCurrent(id, text) {
    this.current = id;
    this.title.querySelector("span").textContent = text || "New conversation";
  }

  /** @param {any[] | null} conversations */
  #fill(conversations) {
    if (conversations === null || conversations.length === 0) {
      const words = conversations ? "No conversations here yet" : "They could not be fetched just now";
      this.menu.replaceChildren(el("p", { class: "menu__label" }, words));
      return;
    }
    this.menu.replaceChildren(
      el("p", { class: "menu__label" }, "Conversations here"),
      ...conversations.map((entry) => this.#line(entry)));
    /** @type {HTMLElement | null} */ (this.menu.querySelector("[aria-current], .convo"))?.focus();
  }

  /** @param {{id: string, title: string, updated_at: string}} entry */
  #line({ id, title, updated_at: at }) {
    const open = () => {
      this.menu.hidePopover();
      if (id !== this.current) this.onOpen(id);
    };
    return el("button", { type: "button", class: "convo", "aria-current": id === this.current ? "true" : null, on: { click: open } },
      icon("message-square-text", "icon--14"), el("b", {}, title || "Untitled"), el("time", { datetime: at }, when(at)));
  }
}

/** @param {string} at  ISO @returns {string} the time today, the weekday this week, the date before */
export function when(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const days = (Date.now() - date.getTime()) / 86_400_000;
  if (date.toDateString() === new Date().toDateString()) {
    return date.toLocaleTimeString(readerLocale, { hour: "2-digit", minute: "2-digit" });
  }
  return days < 6
    ? date.toLocaleDateString(readerLocale, { weekday: "short" })
    : date.toLocaleDateString(readerLocale, { month: "short", day: "numeric" });
}
