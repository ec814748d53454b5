// The log, which stays scrolled to its end, and the title. The turn list is loaded with the first turn: until then only the
// user's messages are shown, and calls are queued in order. The conversation menu is loaded when it is first opened.

import { preloadModules, retryAction, el, load } from "../element.js";
import { t } from "../locale.js";
import { button } from "./tray_parts.js";
import { loadPayloadHandlers } from "./registry.js";

// px from the end that count as the end
const END_DISTANCE = 48;

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
      if (this.#menu) this.#menu.onOpened();
      else this.#fetch();
    };
    menu.addEventListener("toggle", (event) => toggled(/** @type {ToggleEvent} */ (event).newState === "open"));
    // Opened before the scripts were loaded.
    if (menu.matches(":popover-open")) toggled(true);
  }

  /** @param {string} id @param {string} text */
  setCurrent(id, text) {
    this.#current = id;
    this.options.title.querySelector("span").textContent = text || t("New conversation");
  }

  #fetch() {
    const { menu } = this.options;
    menu.replaceChildren(el("p", { class: "menu__label", role: "status" }, t("Loading conversations…")));
    this.#fetching ??= load(() => import("./conversation_menu.js")).then(({ ConversationMenu }) => {
      this.#menu = new ConversationMenu({ ...this.options, current: () => this.#current, setCurrent: (id, text) => this.setCurrent(id, text) });
      if (menu.matches(":popover-open")) this.#menu.onOpened();
    }, () => {
      this.#fetching = null;
      this.#failures += 1;
      const { label, run } = retryAction(this.#failures > 1, () => this.#fetch());
      menu.replaceChildren(el("p", { class: "menu__label", role: "alert" }, t("The conversations could not be loaded.")),
        button(label, { onclick: run, class: "menu__item" }));
    });
  }
}

export class Log {
  /** @type {TurnList | null} */
  #turnList = null;
  /** @type {Promise<void> | null} */
  #fetching = null;
  /** Number of failed loads. */
  #failures = 0;
  /** @type {((turnList: TurnList) => void)[]} */
  #waiting = [];

  /** @param {Tray & {showError: (sentence: string, act: {label: string, run: () => void}) => void, clearError: () => void}} tray
   * showError: it could not be loaded; clearError: it was loaded by a retry */
  constructor(tray) {
    this.tray = tray;
  }

  /** Whether the turn list is loaded. */
  get isLoaded() {
    return this.#turnList !== null;
  }

  /** Whether there are turns that are not shown yet. */
  get isBehind() {
    return this.#turnList === null && this.tray.conversation.turns.length > 0;
  }

  /** Load the turn list, as it will be needed. @returns {Promise<void>} */
  fetch() {
    if (this.#turnList) return Promise.resolve();
    preloadModules("turn-list");
    this.#fetching ??= Promise.all([load(() => import("./turn_list.js")), loadPayloadHandlers()])
      .then(([{ TurnList }]) => this.#onLoaded(new TurnList(this.tray)), () => this.#onFailed());
    return this.#fetching;
  }

  /** @param {(turnList: TurnList) => void} run  now, or when it is loaded */
  with(run) {
    if (this.#turnList) run(this.#turnList);
    else this.#waiting.push(run);
  }

  /** @param {{running: boolean, connection: string}} now @param {HTMLElement} greeting */
  draw(now, greeting) {
    if (this.#turnList) {
      this.#turnList.draw(now, greeting);
      return;
    }
    const { log, conversation: { turns } } = this.tray;
    const words = turns.flatMap(({ userText, isContinued }) => (userText && !isContinued ? [userMessage(userText)] : []));
    const same = words.length > 0 && words.map((one) => one.textContent).join("\n") === [...log.children].map((one) => one.textContent).join("\n");
    if (turns.length === 0) {
      if (log.firstElementChild !== greeting) log.replaceChildren(greeting);
    } else if (!same) log.replaceChildren(...words);
    if (turns.length && !this.#failures) this.fetch();
  }

  /** @param {TurnList} turnList */
  #onLoaded(turnList) {
    this.#turnList = turnList;
    if (this.#failures) this.tray.clearError();
    for (const run of this.#waiting.splice(0)) run(turnList);
    this.tray.onChange();
  }

  #onFailed() {
    this.#fetching = null;
    this.#failures += 1;
    // A failed prefetch is not reported.
    if (!this.isBehind) this.#failures = 0;
    else this.tray.showError(t("The conversation could not be loaded."), retryAction(this.#failures > 1, () => this.fetch()));
  }
}

/** @param {string} words  of the user */
function userMessage(words) {
  return el("div", { class: "turn turn--question" }, el("div", { class: "bubble bubble--user" }, words));
}

/** Keeps the log scrolled to its end unless the user has scrolled up; then a button announces new messages. */
export class StickyLog {
  #atEnd = true;
  #height = 0;
  #lastState = "";

  /** @param {HTMLElement} log @param {HTMLElement} news  the "New messages" button */
  constructor(log, news) {
    this.log = log;
    this.news = news;
    log.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    news.addEventListener("click", () => this.toEnd());
    const stay = () => this.#atEnd && this.#jump();
    // A card has drawn what it has requested.
    log.addEventListener("card-grown", stay);
    new ResizeObserver(stay).observe(log);
  }

  /**
   * Call when something may have been added.
   * @param {TurnView | undefined} last  the last turn: a form or details that the user has opened are not new messages
   */
  added(last) {
    const state = last ? JSON.stringify([last.key, last.phase, last.text.length, last.tools.length, last.payload?.status]) : "";
    const hasGrown = this.log.scrollHeight > this.#height;
    this.#height = this.log.scrollHeight;
    if (this.#atEnd) this.#jump();
    else if (hasGrown && state !== this.#lastState) this.news.hidden = false;
    this.#lastState = state;
  }

  toEnd() {
    this.#atEnd = true;
    this.news.hidden = true;
    this.#jump();
  }

  #jump() {
    this.log.scrollTop = this.log.scrollHeight;
  }

  #onScroll() {
    this.#atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < END_DISTANCE;
    if (this.#atEnd) this.news.hidden = true;
  }
}
