// The menu of this page's conversations: search, open, and deleted conversations.

import { api } from "../api.js";
import { el, icon, press, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { ConversationLine } from "./conversation_line.js";

const TYPING_MS = 200;

export class ConversationMenu {
  #search = "";
  #trashed = false;
  #timer = 0;
  /** Number of the latest read; results of earlier reads are ignored. */
  #readNumber = 0;
  /** Actions on the lines; a read starts after them. @type {Promise<any>} */
  #actions = Promise.resolve();
  /** Number of actions started. */
  #actionCount = 0;
  /** The query of the lines that are shown. */
  #shownQuery = "";

  /**
   * @param {{menu: HTMLElement, list: ConversationList,
   *   onOpen: (id: string, title?: string) => Promise<void>,
   *   current: () => string, setCurrent: (id: string, title: string) => void}} options  current: returns the id of the open conversation
   */
  constructor({ menu, list, onOpen, current, setCurrent }) {
    Object.assign(this, { menu, list, onOpen, current, setCurrent });
    this.field = el("input", {
      type: "search", maxlength: "200", placeholder: t("Search conversations"), "aria-label": t("Search conversations"),
      autocomplete: "off", on: { input: () => this.#typed() },
    });
    this.lines = el("div", { class: "convos__list" });
    this.status = el("p", { class: "sr", role: "status" });
    this.trash = el("button", { type: "button", class: "menu__item", on: { click: () => this.#toggleTrash() } });
    menu.replaceChildren(
      el("div", { class: "menu__search" }, this.field), this.lines, this.status, el("div", { class: "menu__hr" }), this.trash);
    menu.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Call when the menu was opened. */
  async onOpened() {
    Object.assign(this.field, { value: "" });
    this.#search = "";
    this.#trashed = false;
    await this.#read();
    if (!this.menu.contains(document.activeElement)) {
      /** @type {HTMLElement | null} */ (this.menu.querySelector("[aria-current], .convo__open") ?? this.field)?.focus();
    }
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#search = this.field.value.trim();
      this.#read();
    }, TYPING_MS);
  }

  /** Switch between conversations and deleted conversations. */
  async #toggleTrash() {
    this.#trashed = !this.#trashed;
    await this.#read();
  }

  /** @param {string} [next]  URL of the next page, which is appended */
  async #read(next = "") {
    this.#readNumber += 1;
    const number = this.#readNumber;
    const query = { search: this.#search, trashed: this.#trashed };
    const actionCount = this.#actionCount;
    await this.#actions;
    const page = await (next ? api.get(next) : this.list.find(query)).catch(() => null);
    await press.released();
    if (number !== this.#readNumber) return;
    const view = JSON.stringify({ ...query, next });
    // Do not redraw the same list while the user is acting on one of its lines.
    if (view === this.#shownQuery && (actionCount !== this.#actionCount || this.lines.querySelector("form :focus"))) return;
    if (!next) this.#shownQuery = view;
    this.trash.replaceChildren(
      icon(this.#trashed ? "arrow-left" : "trash-2"), this.#trashed ? t("Back to conversations") : t("Deleted conversations"));
    const lines = page?.conversations.map((entry) => this.#line(entry)) ?? [];
    const more = page?.next ? [this.#more(page.next)] : [];
    if (next) {
      this.lines.lastElementChild?.replaceWith(...lines, ...more);
      /** @type {HTMLElement | null} */ (lines[0]?.querySelector("button"))?.focus();
      return;
    }
    const label = page === null ? t("Could not be loaded") : this.#label(lines.length, page.next !== null);
    replaceInside(this.lines, el("p", { class: "menu__label" }, label), ...lines, ...more);
    if (this.#search || this.#trashed) this.status.textContent = label;
  }

  /** @param {number} count @param {boolean} more */
  #label(count, more) {
    const shown = more ? `${count}+` : count;
    if (this.#search) return count ? t("{count} found", { count: shown }) : t("Nothing found");
    if (this.#trashed) return count ? t("Deleted in the last 30 days") : t("Nothing was deleted here in the last 30 days");
    return count ? t("Conversations here") : t("No conversations here yet");
  }

  /** @param {string} next */
  #more(next) {
    return el("button", { type: "button", class: "menu__item", on: { click: () => this.#read(next) } }, icon("chevron-down"), t("Show more"));
  }

  /**
   * @template T
   * @param {(argument: T) => Promise<any>} action @returns {(argument?: T) => Promise<any>} the same; the list is read after it
   */
  #tracked(action) {
    return (argument) => {
      this.#actionCount += 1;
      const done = action(/** @type {T} */ (argument));
      this.#actions = Promise.allSettled([this.#actions, done]);
      return done;
    };
  }

  /** @param {{id: string, title: string, updated_at: string, deleted_at: string | null}} entry */
  #line(entry) {
    const { id } = entry;
    let title = entry.title;
    let wasOpen = false;
    return new ConversationLine(entry, id === this.current(), {
      open: () => {
        this.menu.hidePopover();
        if (id !== this.current()) this.onOpen(id, title);
      },
      rename: this.#tracked(async (/** @type {string} */ wanted) => {
        ({ title } = await this.list.rename(id, wanted));
        if (id === this.current()) this.setCurrent(id, title);
        this.status.textContent = t("Renamed");
        return { title };
      }),
      remove: this.#tracked(async () => {
        wasOpen = id === this.current();
        // Close it before the socket reports the deletion.
        if (wasOpen) await this.onOpen("");
        try {
          await this.list.remove(id);
        } catch (error) {
          if (wasOpen) this.onOpen(id, title);
          throw error;
        }
        this.status.textContent = t("Deleted");
      }),
      restore: this.#tracked(async () => {
        await this.list.restore(id);
        if (wasOpen && this.current() === "") this.onOpen(id, title);
        this.status.textContent = t("Restored");
      }),
    }).node;
  }

  /** ArrowUp and ArrowDown move between conversations. @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || /** @type {HTMLElement} */ (event.target).closest("form")) return;
    const stops = /** @type {HTMLElement[]} */ ([this.field, ...this.menu.querySelectorAll(".convo__open, .convo > .btn")]);
    const line = document.activeElement?.closest(".convo");
    const index = stops.findIndex((stop) => stop === document.activeElement || (line && stop.closest(".convo") === line));
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, index + step))].focus();
  }
}
