// The log, which stays at its end while the person is there, and the title. What shows turns is fetched with the first of them:
// until it is there, the person's own words stand alone, and what happens meanwhile is kept in its order. The list of
// conversations is fetched when it is opened first.

import { announce, anotherTry, el, load } from "../element.js";
import { t } from "../locale.js";
import { button } from "./tray_parts.js";
import { fetchPayloadHandlers } from "./registry.js";

const NEAR = 48; // px from the end of the log that still count as the end

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
    const toggled = (/** @type {boolean} */ open) => {
      title.setAttribute("aria-expanded", String(open));
      if (!open) return;
      if (this.#menu) this.#menu.begin();
      else this.#fetch();
    };
    menu.addEventListener("toggle", (event) => toggled(/** @type {ToggleEvent} */ (event).newState === "open"));
    // Opened before the scripts were there.
    if (menu.matches(":popover-open")) toggled(true);
  }

  /** @param {string} id @param {string} text */
  setCurrent(id, text) {
    this.#current = id;
    this.options.title.querySelector("span").textContent = text || t("New conversation");
  }

  #fetch() {
    const { menu } = this.options;
    menu.replaceChildren(el("p", { class: "menu__label", role: "status" }, t("The conversations are being fetched…")));
    this.#fetching ??= load(() => import("./conversation_menu.js")).then(({ ConversationMenu }) => {
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

export class Log {
  /** @type {Said | null} */
  #said = null;
  /** @type {Promise<void> | null} */
  #fetching = null;
  /** How often it could not be had. */
  #failures = 0;
  /** @type {((said: Said) => void)[]} */
  #waiting = [];

  /** @param {Tray & {trouble: (sentence: string, act: {label: string, run: () => void}) => void, settled: () => void}} tray
   * trouble: it could not be had; settled: it is there after all */
  constructor(tray) {
    this.tray = tray;
  }

  /** Whether turns are there that cannot be seen yet. */
  get isBehind() {
    return this.#said === null && this.tray.conversation.turns.length > 0;
  }

  /** It will be needed. @returns {Promise<void>} */
  fetch() {
    if (this.#said) return Promise.resolve();
    announce("said");
    this.#fetching ??= Promise.all([load(() => import("./turn_list.js")), fetchPayloadHandlers()])
      .then(([{ Said }]) => this.#arrived(new Said(this.tray)), () => this.#failed());
    return this.#fetching;
  }

  /** @param {(said: Said) => void} run  at once, or when it is there */
  with(run) {
    if (this.#said) run(this.#said);
    else this.#waiting.push(run);
  }

  /** @param {{running: boolean, connection: string}} now @param {HTMLElement} greeting */
  draw(now, greeting) {
    if (this.#said) {
      this.#said.draw(now, greeting);
      return;
    }
    const { log, conversation: { turns } } = this.tray;
    const words = turns.flatMap(({ userText, goesOn }) => (userText && !goesOn ? [spoken(userText)] : []));
    const same = words.length > 0 && words.map((one) => one.textContent).join("\n") === [...log.children].map((one) => one.textContent).join("\n");
    if (turns.length === 0) {
      if (log.firstElementChild !== greeting) log.replaceChildren(greeting);
    } else if (!same) log.replaceChildren(...words);
    if (turns.length && !this.#failures) this.fetch();
  }

  /** @param {Said} said */
  #arrived(said) {
    this.#said = said;
    if (this.#failures) this.tray.settled();
    for (const run of this.#waiting.splice(0)) run(said);
    this.tray.onChange();
  }

  #failed() {
    this.#fetching = null;
    this.#failures += 1;
    // What was only fetched beforehand is missed by nobody yet.
    if (!this.isBehind) this.#failures = 0;
    else this.tray.trouble(t("The conversation could not be loaded."), anotherTry(this.#failures > 1, () => this.fetch()));
  }
}

/** @param {string} words  of the person */
function spoken(words) {
  return el("div", { class: "turn turn--asked" }, el("div", { class: "bubble bubble--user" }, words));
}

/** Keeps the log at its end while the person is there, and says that there is news while they read further up. */
export class StickyLog {
  #atEnd = true;
  #height = 0;
  #said = "";

  /** @param {HTMLElement} log @param {HTMLElement} news  the "New messages" button */
  constructor(log, news) {
    this.log = log;
    this.news = news;
    log.addEventListener("scroll", () => this.#look(), { passive: true });
    news.addEventListener("click", () => this.toEnd());
    new ResizeObserver(() => this.#atEnd && this.#jump()).observe(log);
  }

  /**
   * Call after something may have been added.
   * @param {TurnView | undefined} last  what was said last: a form or a lid that the person has opened is no news to them
   */
  added(last) {
    const said = last ? JSON.stringify([last.key, last.phase, last.text.length, last.tools.length, last.payload?.status]) : "";
    const grown = this.log.scrollHeight > this.#height;
    this.#height = this.log.scrollHeight;
    if (this.#atEnd) this.#jump();
    else if (grown && said !== this.#said) this.news.hidden = false;
    this.#said = said;
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
