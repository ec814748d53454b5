// <chat-tray>: the chat beside a page. Ties the conversation to the elements that the server rendered.

import { newId } from "../api.js";
import { t } from "../locale.js";
import { press } from "../element.js";
import { Composed, Composer, reviewed } from "./composer.js";
import { Conversation } from "./conversation.js";
import { ConversationList, attachTurn, cancelTurn, fetchStream, readOffer, startTurn } from "./server_api.js";
import { EarlyWords, goOnWith, keepUnsent, sendAgain, takeUnsent, takeUpNext } from "./message_queue.js";
import { Log, StickyLog, Title } from "./conversation_log.js";
import { Slot, TrayFrame, Troubles, hello, waitingLines } from "./tray_parts.js";
import { pageContext, registerClientAction, tell } from "./registry.js";
import { joinTabs } from "./tab_sync.js";

class ChatTray extends HTMLElement {
  static observedAttributes = ["data-context"];

  #troubles = new Troubles(() => this.#schedule());
  /** What the server offers on this page; no starters until it has answered. */
  #offer = { starters: /** @type {string[] | null} */ (null), demo: this.hasAttribute("data-demo") };
  #list = new ConversationList(() => ({ page: this.dataset.page, objectId: this.dataset.objectId ?? "" }));
  #review = null;
  #drawn = 0;
  /** Whether a turn ran when it was drawn last. */
  #ran = false;
  #opened = 0;
  #offered = 0;
  #begun = /** @type {Promise<void> | null} */ (null);
  #listening = Promise.resolve();
  #words = /** @type {EarlyWords} */ (/** @type {unknown} */ (null));

  connectedCallback() {
    if (this.#begun) return;
    const place = { page: this.dataset.page, objectId: this.dataset.objectId ?? "", conversationId: "" };
    this.#words = new EarlyWords((...said) => sendAgain(this.conversation, said), takeUnsent(sessionStorage, place));
    addEventListener("pagehide", () => keepUnsent(sessionStorage, place, [...this.#words.unsent, ...this.conversation.unsent]));
    addEventListener("pageshow", ({ persisted }) => persisted && takeUnsent(sessionStorage, place));
    const part = (/** @type {string} */ name) => /** @type {any} */ (this.querySelector(`[data-part=${name}]`));
    this.log = part("log");
    this.bannerSlot = new Slot(part("banners"));
    this.sayer = part("say");
    this.waitingSlot = new Slot(part("waiting"));
    this.sticky = new StickyLog(this.log, part("news"));
    this.greeting = new Slot(document.createElement("div"));
    this.frame = new TrayFrame({
      app: document.body, tray: this.closest(".tray") ?? this,
      grip: document.querySelector(".grip"), toggle: document.getElementById("tray-toggle"),
    });
    this.conversation = new Conversation({
      scope: place,
      server: { start: startTurn, attach: attachTurn, cancel: cancelTurn, messages: (...asked) => this.#list.messages(...asked) },
      store: sessionStorage, newId, context: () => pageContext(this.dataset),
      onChange: () => this.#schedule(),
      onEvent: (turn, event) => this.shown.with((said) => said.react(turn, event)),
      onSuperseded: (payload) => tell("payload-settled", { id: payload.id, status: "superseded" }),
      onNamed: (scope) => this.#named(scope),
      onSignedOut: (text) => this.#signOut(text),
    });
    this.composer = new Composer(part("composer"), {
      send: (text) => this.send(text),
      stop: () => this.conversation.stop(),
      changed: () => this.composed.keep(),
      discard: () => tell("proposal-discard", { payload_id: this.#review?.id }),
    });
    this.composed = new Composed({ composer: this.composer, scope: () => this.conversation.scope, store: localStorage });
    this.shown = new Log({
      conversation: this.conversation, log: this.log, sheet: this.closest(".tray") ?? this, page: this.dataset,
      composed: this.composed, sticky: this.sticky,
      onChange: () => this.#schedule(), draw: () => this.#draw({ keepsKeys: false }),
      loadFailed: (error, again) => this.#loadFailed(error, again), onFault: (sentence) => this.#troubles.show(sentence),
      trouble: (sentence, { label, run }) => this.#troubles.show(sentence, run, label), settled: () => this.#troubles.settle(),
      say: (words) => this.#say(words), news: () => this.frame.news(), send: (text, type) => this.send(text, type),
    });
    this.menu = new Title({
      title: part("title"), menu: part("menu"), list: this.#list,
      onOpen: (id, title) => this.#open(id, title),
    });
    part("new").addEventListener("click", () => this.#open("").then(() => this.composer.focus()));
    part("close").addEventListener("click", () => this.frame.close());
    registerClientAction("close_chat", () => this.frame.close());
    this.#listen();
    this.#begun = this.#start();
  }

  attributeChangedCallback() {
    if (this.#begun) this.composer.setContext(this.#review ? this.#review.context : this.dataset.context ?? "");
  }

  /** @param {string} text @param {string} [type] */
  send(text, type) {
    this.#troubles.goOn();
    this.shown.fetch();
    this.sticky.toEnd();
    this.#words.say(text, type);
    this.#schedule();
    this.composer.setLastSent(text);
  }

  async #start() {
    this.composer.setContext(this.dataset.context ?? "");
    const offer = this.#readOffer();
    offer.catch(() => {}); // told below
    const opened = this.#opened;
    try {
      const latest = await this.#list.latest();
      if (latest.id) {
        this.shown.fetch();
        await this.#listening;
      }
      // Another one has been opened meanwhile, here or in another tab: that one stays.
      if (this.conversation.turns.length === 0 && this.#opened === opened) await this.#open(latest.id, latest.title, true);
      takeUpNext(this.conversation, this.dataset.objectId ?? "", sessionStorage);
      this.#words.begin();
      await offer;
    } catch (error) {
      this.#loadFailed(error, () => this.#start());
      this.#words.begin();
    }
  }

  async #readOffer() {
    const mine = ++this.#offered;
    try {
      const offer = await readOffer(this.dataset.page, this.dataset.objectId ?? "");
      // A later request may have been answered first, for other permissions.
      if (mine === this.#offered) this.#offer = offer;
    } finally {
      this.#offer.starters ??= [];
      this.#schedule();
    }
  }

  /** @param {string} id @param {string} [title] @param {boolean} [first]  on load; what was typed meanwhile stays */
  async #open(id, title = "", first = false) {
    this.#opened += 1;
    const arrived = this.composed.leave();
    const isNew = id !== this.conversation.scope.conversationId;
    try {
      if (!(await this.conversation.open(id))) return;
    } catch (error) {
      this.#loadFailed(error, () => this.#open(id, title, first));
      return;
    }
    this.#troubles.settle();
    const said = this.conversation.turns.flatMap((turn) => turn.userText || []);
    this.menu.setCurrent(id, title || (said[0] ?? "").slice(0, 60));
    arrived({ first, said });
    // What was said before it was known where it goes, comes after all of it.
    this.composer.setLastSent(this.#words.texts.at(-1) ?? said.at(-1) ?? "");
    this.#words.begin();
    // What another tab goes on with does not take whoever reads further up away from there.
    if (isNew) this.sticky.toEnd();
    this.#schedule();
    await loaded();
    this.#schedule();
    if (this.conversation.turns.length) this.shown.with((said) => said.takeUp());
  }

  /** @param {any} error @param {() => void} again */
  #loadFailed(error, again) {
    if (error.status === 401) return this.#signOut("");
    return this.#troubles.show(error.status ? error.message : t("The server cannot be reached."), again);
  }

  #listen() {
    document.addEventListener("chat-send", (/** @type {any} */ event) => {
      this.frame.open();
      this.send(event.detail.text);
    });
    document.addEventListener("chat-reveal", (/** @type {any} */ { detail }) => {
      this.frame.open();
      this.composer.begin(detail?.text ?? "");
      this.composer.focus();
    });
    const readAgain = () => this.#readOffer().then(() => this.#troubles.settle(), (error) => this.#loadFailed(error, readAgain));
    document.addEventListener("chat-offers-anew", readAgain);
    document.addEventListener("proposal-review", (/** @type {any} */ event) => this.#setReview(event.detail));
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => {
      const { id, status, outcome } = detail;
      this.conversation.settle(id, outcome ? { status, outcome } : { status });
      this.sticky.added(this.conversation.turns.at(-1));
    });
    // Where the chat lies over the page, what a card points to is behind it.
    this.log.addEventListener("click", (/** @type {any} */ { target }) => {
      if (target.closest("button.pcard") && this.frame.isOverPage()) this.frame.close();
    });
    goOnWith(this.conversation);
    this.#listening = joinTabs(this.conversation, {
      asked: () => this.#opened > 0,
      untouched: () => !this.conversation.scope.conversationId && this.conversation.turns.length === 0 && this.composed.untouched,
      begun: async () => this.#begun, latest: async () => (await this.#list.latest()).id,
      onOthers: (id) => this.#open(id, "", true),
      onTitle: (title) => this.menu.setCurrent(this.conversation.scope.conversationId, title),
      onGone: () => this.#open("", "", true),
      onSignedOut: () => this.#signOut(""),
    });
    // Whoever is about to write will want to see what comes of it.
    this.composer.field.addEventListener("focus", () => {
      fetchStream();
      this.shown.fetch();
    }, { once: true });
    document.addEventListener("keydown", (event) => this.#key(event));
    this.closest(".tray")?.addEventListener("toggle", (/** @type {any} */ event) => {
      if (event.newState !== "open") return;
      this.frame.seen();
      this.sticky.toEnd();
    });
  }

  /** "C" goes to the composer, unless something else has the keyboard. @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== "c" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    event.preventDefault();
    this.frame.open();
    this.composer.focus();
  }

  /** @param {any} told */
  #setReview(told) {
    this.#review = reviewed(this.#review, this.dataset.subject ?? "", told);
    this.composer.setReview(this.#review);
    this.attributeChangedCallback();
  }

  /** @param {Scope} scope */
  #named(scope) {
    const first = this.conversation.turns[0]?.userText ?? "";
    this.menu.setCurrent(scope.conversationId, first.slice(0, 60));
    this.composed.named(scope);
  }

  /** @param {string} text  goes back where it came from, and is there again after signing in */
  #signOut(text) {
    this.composed.giveBack(text);
    this.#troubles.signOut();
  }

  /** @param {string} words  for those who listen: what happened, not every token */
  #say(words) {
    this.sayer.textContent = words;
  }

  #schedule() {
    if (this.#drawn) return;
    // Frames do not come to a hidden tab; what arrives there is drawn all the same.
    const draw = () => press.whenReleased(() => this.#draw());
    this.#drawn = document.hidden ? setTimeout(draw, 50) : requestAnimationFrame(draw);
  }

  /** @param {{keepsKeys?: boolean}} [how]  keepsKeys: nobody else gives the keyboard a place after this */
  #draw({ keepsKeys = true } = {}) {
    this.#drawn = 0;
    const held = document.activeElement;
    const byKeys = held && this.contains(held) && held.matches(":focus-visible");
    const { running, broken } = this.conversation;
    const early = this.#words.texts;
    const waiting = [...early, ...this.conversation.waiting];
    this.composer.setRunning(running);
    this.log.setAttribute("aria-busy", String(running || this.shown.isBehind));
    // An answer is read out once, when it is whole: by what is said of it, not by the log as well.
    this.log.setAttribute("aria-live", running || this.#ran ? "off" : "polite");
    this.#ran = running;
    const { starters, demo } = this.#offer;
    // Drawn once with its starter prompts: prompts that arrive later would move it.
    this.greeting.fill(starters ? [starters, this.dataset.helloText] : [], () => [hello({ starters }, this.dataset, (text) => this.send(text))]);
    this.shown.draw({ running, connection: broken ? t("Reconnecting") : "" }, this.greeting.node);
    this.waitingSlot.fill(waiting.map((text) => [text, running]), () => waitingLines(waiting, {
      onEdit: (at) => {
        this.composed.giveBack(this.#withdraw(at));
        this.composer.focus();
      },
      onWithdraw: (at) => this.#withdraw(at),
      onSend: running || early.length ? null : () => this.conversation.sendWaiting(),
    }));
    this.#troubles.draw(this.bannerSlot, { signIn: this.dataset.signIn, broken, demo });
    this.sticky.added(this.conversation.turns.at(-1));
    // What was pressed is gone: whoever goes by keys goes on where words are written.
    const isLost = keepsKeys && byKeys && (document.activeElement === document.body || held.matches(":disabled, [hidden]"));
    if (isLost) this.composer.focus();
  }

  /** @param {number} at  among the messages that wait @returns {string} its text */
  #withdraw(at) {
    const early = this.#words.texts.length;
    this.#schedule();
    return at < early ? this.#words.withdraw(at) : this.conversation.withdraw(at - early);
  }
}

/** After the page's own modules have run: only then are its payload handlers registered. */
function loaded() {
  if (document.readyState === "complete") return Promise.resolve();
  return new Promise((resolve) => window.addEventListener("load", resolve, { once: true }));
}

customElements.define("chat-tray", ChatTray);
