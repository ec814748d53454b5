// What the tray is made with: a button, a place that is redrawn only when it must be, the greeting, messages that wait, what
// stands between the person and the assistant; the title and the log, whose insides are fetched when they are needed.

import { el, icon, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { retryNow } from "./door.js";
import { announce, anotherTry } from "../toast.js";
import { fetchPayloadHandlers } from "./registry.js";

const PROMPT_ICONS = ["list-plus", "search", "info"];
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
  const prompts = starters.map((text, at) =>
    el("button", { type: "button", on: { click: () => send(text) } }, icon(PROMPT_ICONS[at % PROMPT_ICONS.length]), text));
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
   * @param {{signIn: string, broken: {seconds: number} | null, demo: boolean}} around  signIn: where to
   */
  draw(slot, { signIn, broken, demo }) {
    const now = { signIn: this.#signedOut ? signIn : "", broken, demo, fault: this.#fault, again: this.#retry?.label };
    slot.fill(now, () => banners({ ...now, onNow: retryNow, retry: this.#retry }));
  }
}

/**
 * @param {{signIn: string, broken: {seconds: number} | null, demo: boolean, fault: string, onNow: () => void, retry?: {label: string, run: () => void}}} now
 * @returns {HTMLElement[]} at most one trouble, and the note about the demo
 */
function banners({ signIn, broken, demo, fault, onNow, retry }) {
  const lines = [];
  if (signIn) {
    const link = el("a", { class: "link", href: signIn }, t("Sign in"));
    lines.push(strip("user", t("You are signed out. Your text is kept."), { warn: true, end: link }));
  } else if (fault) {
    lines.push(strip("circle-alert", fault, { warn: true, end: retry && button(retry.label, { onclick: retry.run, class: "link" }) }));
  } else if (broken && (!navigator.onLine || broken.seconds >= 2)) {
    const seconds = Math.ceil(broken.seconds);
    const words = navigator.onLine
      ? t("The connection is broken. Trying again in {seconds} s", { seconds })
      : t("You are offline. Trying again in {seconds} s", { seconds });
    lines.push(strip("wifi-off", words, { warn: true, end: button(t("Now"), { onclick: onNow, class: "link" }) }));
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
    this.#fetching ??= Promise.all([import("./said.js"), fetchPayloadHandlers()])
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
