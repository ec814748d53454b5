// One line of the conversation list: open, rename, delete, restore.

import { el, icon } from "../element.js";
import { readerLocale, t, timeText } from "../locale.js";
import { button } from "./tray_parts.js";

const SMALL = "btn btn--ghost btn--icon btn--sm";
const UNTITLED = t("Untitled");

/**
 * @typedef {object} LineHandlers  a rejected promise shows its error on the line
 * @property {() => void} open
 * @property {(title: string) => Promise<{title: string}>} rename
 * @property {() => Promise<void>} remove
 * @property {() => Promise<void>} restore
 */

export class ConversationLine {
  /** @param {{title: string, updated_at: string, deleted_at: string | null}} entry @param {boolean} current @param {LineHandlers} handlers */
  constructor(entry, current, handlers) {
    this.entry = entry;
    this.current = current;
    this.handlers = handlers;
    this.node = el("div", { class: "convo" });
    this.busy = false;
    if (entry.deleted_at) this.#showDeleted();
    else this.#show();
  }

  /** @param {string} [focused]  the button to focus: "open", "rename", "" for none */
  #show(focused = "") {
    const title = this.entry.title || UNTITLED;
    const open = el("button", { type: "button", class: "convo__open", "aria-current": this.current ? "true" : null, on: { click: this.handlers.open } },
      icon("message-square-text", "icon--14"), el("b", { title }, title), el("time", { datetime: this.entry.updated_at }, when(this.entry.updated_at)));
    const rename = button(t("Rename {title}", { title }), { onclick: () => this.#edit(), icon: "pencil", iconOnly: true, class: SMALL });
    const remove = button(t("Delete {title}", { title }), { onclick: () => this.#remove(), icon: "trash-2", iconOnly: true, class: SMALL });
    const hadFocus = this.#mayFocus();
    this.node.replaceChildren(open, el("span", { class: "convo__actions" }, rename, remove));
    if (hadFocus) ({ open, rename })[focused]?.focus();
  }

  #edit() {
    const input = el("input", { class: "input", type: "text", maxlength: "255", required: true, "aria-label": t("Title"), value: this.entry.title });
    const save = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const title = input.value.trim();
      if (!title || title === this.entry.title) return this.#show("rename");
      await this.#try(async () => {
        this.entry = { ...this.entry, ...(await this.handlers.rename(title)) };
        this.#show("rename");
      });
    };
    const form = el("form", { class: "convo__form", on: { submit: save } },
      input, el("button", { type: "submit", class: "btn btn--sm" }, t("Save")));
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      // Do not close the list.
      event.preventDefault();
      event.stopPropagation();
      this.#show("rename");
    });
    this.node.replaceChildren(form);
    input.focus();
    input.select();
  }

  #remove() {
    return this.#try(async () => {
      await this.handlers.remove();
      const hadFocus = this.#mayFocus();
      this.#showDeleted();
      if (hadFocus) this.node.querySelector("button")?.focus();
    });
  }

  #showDeleted() {
    const restore = () => this.#try(async () => {
      await this.handlers.restore();
      this.#show("open");
    });
    const title = this.entry.title || UNTITLED;
    const [label, about] = this.entry.deleted_at ? [t("Restore"), t("Restore: {title}", { title })] : [t("Undo"), t("Undo: {title}", { title })];
    this.node.replaceChildren(
      el("span", { class: "convo__deleted" }, icon("trash-2", "icon--14"), el("span", {}, this.entry.deleted_at ? title : t("Deleted “{title}”", { title }))),
      el("button", { type: "button", class: "btn btn--sm", "aria-label": about, on: { click: restore } }, label));
  }

  /** Whether the focus is here or nowhere; otherwise it is left where the user has moved it. */
  #mayFocus() {
    const { activeElement } = document;
    return !activeElement || activeElement === document.body || this.node.contains(activeElement);
  }

  /** Run an action unless one is in progress. @param {() => Promise<void>} action */
  async #try(action) {
    if (this.busy) return;
    this.busy = true;
    this.node.querySelector(".convo__error")?.remove();
    try {
      await action();
    } catch (error) {
      const words = /** @type {any} */ (error).status ? /** @type {any} */ (error).message : t("The server cannot be reached.");
      this.node.append(el("p", { class: "convo__error", role: "alert" }, words));
    } finally {
      this.busy = false;
    }
  }
}

/** @param {string} at  ISO @returns {string} the time today, the weekday this week, the date before */
export function when(at) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const days = (Date.now() - date.getTime()) / 86_400_000;
  if (date.toDateString() === new Date().toDateString()) return timeText(date);
  return days < 6
    ? date.toLocaleDateString(readerLocale, { weekday: "short" })
    : date.toLocaleDateString(readerLocale, { month: "short", day: "numeric" });
}
