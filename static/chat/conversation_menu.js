// The menu of conversations of this page: the title opens it, words find some of them, a line switches to another.

import { el, icon, press, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { ConversationLine } from "./conversation_line.js";

const TYPING_MS = 200;

export class ConversationMenu {
  #search = "";
  #trashed = false;
  #timer = 0;
  /** Which reading is the last: an earlier one that comes later is let go. */
  #reading = 0;
  /** What was asked for on the lines: what is read after it has it. @type {Promise<any>} */
  #acting = Promise.resolve();
  /** How often something was. */
  #acts = 0;
  /** What the lines that are shown were asked for with. */
  #shown = "";

  /**
   * @param {{menu: HTMLElement, list: ConversationList,
   *   onOpen: (id: string, title?: string) => Promise<void>,
   *   current: () => string, setCurrent: (id: string, title: string) => void}} options  current: the id of what is open
   */
  constructor({ menu, list, onOpen, current, setCurrent }) {
    Object.assign(this, { menu, list, onOpen, current, setCurrent });
    this.field = el("input", {
      type: "search", maxlength: "200", placeholder: t("Search conversations"), "aria-label": t("Search conversations"),
      autocomplete: "off", on: { input: () => this.#typed() },
    });
    this.lines = el("div", { class: "convos__list" });
    this.said = el("p", { class: "sr", role: "status" });
    this.trash = el("button", { type: "button", class: "menu__item", on: { click: () => this.#turn() } });
    menu.replaceChildren(
      el("div", { class: "menu__search" }, this.field), this.lines, this.said, el("div", { class: "menu__hr" }), this.trash);
    menu.addEventListener("keydown", (event) => this.#key(event));
  }

  /** It was opened. */
  async begin() {
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

  /** From the conversations to those that were deleted, and back. */
  async #turn() {
    this.#trashed = !this.#trashed;
    await this.#read();
  }

  /** @param {number} [offset]  of the page that goes below those there are */
  async #read(offset = 0) {
    this.#reading += 1;
    const mine = this.#reading;
    const asked = { search: this.#search, trashed: this.#trashed, offset };
    const acts = this.#acts;
    await this.#acting;
    const found = await this.list.find(asked).catch(() => null);
    await press.released();
    if (mine !== this.#reading) return;
    const view = JSON.stringify(asked);
    // Read once more, they are not drawn under the hands of somebody who has begun something on one of them meanwhile.
    if (view === this.#shown && (acts !== this.#acts || this.lines.querySelector("form :focus"))) return;
    if (!offset) this.#shown = view;
    this.trash.replaceChildren(
      icon(this.#trashed ? "arrow-left" : "trash-2"), this.#trashed ? t("Back to the conversations") : t("Deleted conversations"));
    const lines = found?.conversations.map((entry) => this.#line(entry)) ?? [];
    const more = found?.next ? [this.#more(found.next)] : [];
    if (offset) {
      this.lines.lastElementChild?.replaceWith(...lines, ...more);
      /** @type {HTMLElement | null} */ (lines[0]?.querySelector("button"))?.focus();
      return;
    }
    const label = found === null ? t("They could not be fetched just now") : this.#label(lines.length, found.next !== null);
    replaceInside(this.lines, el("p", { class: "menu__label" }, label), ...lines, ...more);
    if (this.#search || this.#trashed) this.said.textContent = label;
  }

  /** @param {number} count @param {boolean} more */
  #label(count, more) {
    const found = more ? `${count}+` : count;
    if (this.#search) return count ? t("{count} found", { count: found }) : t("Nothing found");
    if (this.#trashed) return count ? t("Deleted, kept for 30 days") : t("Nothing was deleted here in the last 30 days");
    return count ? t("Conversations here") : t("No conversations here yet");
  }

  /** @param {number} offset */
  #more(offset) {
    return el("button", { type: "button", class: "menu__item", on: { click: () => this.#read(offset) } }, icon("chevron-down"), t("Show more"));
  }

  /** @template T @param {(asked: T) => Promise<any>} act @returns {(asked?: T) => Promise<any>} the same, waited for before the list is read */
  #waited(act) {
    return (asked) => {
      this.#acts += 1;
      const done = act(/** @type {T} */ (asked));
      this.#acting = Promise.allSettled([this.#acting, done]);
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
      rename: this.#waited(async (/** @type {string} */ wanted) => {
        ({ title } = await this.list.rename(id, wanted));
        if (id === this.current()) this.setCurrent(id, title);
        this.said.textContent = t("Renamed");
        return { title };
      }),
      remove: this.#waited(async () => {
        wasOpen = id === this.current();
        // It is closed before the news of its end comes back.
        if (wasOpen) await this.onOpen("");
        try {
          await this.list.remove(id);
        } catch (error) {
          if (wasOpen) this.onOpen(id, title);
          throw error;
        }
        this.said.textContent = t("Deleted");
      }),
      restore: this.#waited(async () => {
        await this.list.restore(id);
        if (wasOpen && this.current() === "") this.onOpen(id, title);
        this.said.textContent = t("Restored");
      }),
    }).node;
  }

  /** Up and down go from one conversation to the next. @param {KeyboardEvent} event */
  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || /** @type {HTMLElement} */ (event.target).closest("form")) return;
    const stops = /** @type {HTMLElement[]} */ ([this.field, ...this.menu.querySelectorAll(".convo__open, .convo > .btn")]);
    const line = document.activeElement?.closest(".convo");
    const at = stops.findIndex((stop) => stop === document.activeElement || (line && stop.closest(".convo") === line));
    event.preventDefault();
    stops[Math.max(0, Math.min(stops.length - 1, at + step))].focus();
  }
}
