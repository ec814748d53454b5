// The title of the conversation: pressed, it opens the menu of all of them, which is fetched with the first opening.

import { el } from "../element.js";
import { t } from "../locale.js";
import { button } from "./parts.js";
import { anotherTry } from "../toast.js";

export class Title {
  /** @type {ConversationMenu | null} */
  #menu = null;
  /** @type {Promise<void> | null} */
  #fetching = null;
  #failures = 0;
  #current = "";

  /**
   * @param {{title: HTMLElement, menu: HTMLElement, list: ConversationList,
   *   onOpen: (id: string, title?: string) => Promise<void>}} options
   */
  constructor(options) {
    this.options = options;
    const { title, menu } = options;
    menu.addEventListener("toggle", (event) => {
      const open = /** @type {ToggleEvent} */ (event).newState === "open";
      title.setAttribute("aria-expanded", String(open));
      if (!open) return;
      if (this.#menu) this.#menu.begin();
      else this.#fetch();
    });
  }

  /** @param {string} id @param {string} text */
  setCurrent(id, text) {
    this.#current = id;
    this.options.title.querySelector("span").textContent = text || t("New conversation");
  }

  #fetch() {
    const { menu } = this.options;
    menu.replaceChildren(el("p", { class: "menu__label", role: "status" }, t("The conversations are being fetched…")));
    this.#fetching ??= import("./conversation_menu.js").then(({ ConversationMenu }) => {
      this.#menu = new ConversationMenu({ ...this.options, current: () => this.#current, setCurrent: (id, text) => this.setCurrent(id, text) });
      if (menu.matches(":popover-open")) this.#menu.begin();
    }, () => {
      this.#fetching = null;
      this.#failures += 1;
      const { label, run } = anotherTry(this.#failures > 1, () => this.#fetch());
      menu.replaceChildren(el("p", { class: "menu__label", role: "alert" }, t("The conversations could not be loaded.")),
        button(label, { onclick: run, class: "menu__item" }));
    });
  }
}
