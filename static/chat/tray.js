// <chat-tray>: the chat beside a page. Connects the conversation to the server-rendered elements.

import { newId } from "../api.js";
import { t } from "../locale.js";
import { lazy, load, press } from "../element.js";
import { Drafts, Composer, nextReview } from "./composer.js";
import { Conversation } from "./conversation.js";
import { ConversationList, attachTurn, cancelTurn, prefetchStream, readOffer, startTurn } from "./server_api.js";
import { EarlyMessages, listenForNextStep, storeUnsent, resend, takeUnsent, runStoredNextStep } from "./message_queue.js";
import { Log, StickyLog, Title } from "./conversation_log.js";
import { Slot, TrayFrame, TrayBanners, greeting, waitingLines } from "./tray_parts.js";
import { pageContext, registerClientAction, dispatch } from "./registry.js";
import { connectTabSync } from "./tab_sync.js";

class ChatTray extends HTMLElement {
  static observedAttributes = ["data-context"];

  #banners = new TrayBanners(() => this.#schedule());
  /** The server's offer on this page; starters are null until it has responded. */
  #offer = { starters: /** @type {string[] | null} */ (null), notice: this.dataset.notice };
  #list = new ConversationList(() => ({ page: this.dataset.page, objectId: this.dataset.objectId ?? "" }));
  #review = null;
  #drawn = 0;
  /** Whether a turn was running at the last draw. */
  #ran = false;
  #opened = 0;
  #offered = 0;
  #started = /** @type {Promise<void> | null} */ (null);
  #listening = Promise.resolve();
  #earlyMessages = /** @type {EarlyMessages} */ (/** @type {unknown} */ (null));

  connectedCallback() {
    if (this.#started) return;
    const scope = { page: this.dataset.page, objectId: this.dataset.objectId ?? "", conversationId: "" };
    this.#earlyMessages = new EarlyMessages((...message) => resend(this.conversation, message), takeUnsent(sessionStorage, scope));
    addEventListener("pagehide", () => storeUnsent(sessionStorage, scope, [...this.#earlyMessages.unsent, ...this.conversation.unsent]));
    addEventListener("pageshow", ({ persisted }) => persisted && takeUnsent(sessionStorage, scope));
    const part = (/** @type {string} */ name) => /** @type {any} */ (this.querySelector(`[data-part=${name}]`));
    this.log = part("log");
    this.bannerSlot = new Slot(part("banners"));
    this.statusRegion = part("say");
    this.waitingSlot = new Slot(part("waiting"));
    this.sticky = new StickyLog(this.log, part("news"));
    this.greeting = new Slot(document.createElement("div"));
    this.frame = new TrayFrame({
      app: document.body, tray: this.closest(".tray") ?? this,
      grip: document.querySelector(".grip"), toggle: document.getElementById("tray-toggle"),
    });
    this.conversation = new Conversation({
      scope,
      server: { start: startTurn, attach: attachTurn, cancel: cancelTurn, messages: (...query) => this.#list.messages(...query) },
      store: sessionStorage, newId, context: () => pageContext(this.dataset),
      onChange: () => this.#schedule(),
      onEvent: (turn, event) => this.conversationLog.with((turnList) => turnList.handleEvent(turn, event)),
      onSuperseded: (payload) => dispatch("payload-settled", { id: payload.id, status: "superseded" }),
      onNamed: (scope) => this.#onNamed(scope),
      onSignedOut: (text) => this.#onSignedOut(text),
    });
    this.composer = new Composer(part("composer"), {
      send: (text) => this.send(text),
      stop: () => this.conversation.stop(),
      changed: () => this.drafts.save(),
      discard: () => dispatch("proposal-discard", { payload_id: this.#review?.id }),
    });
    this.drafts = new Drafts({ composer: this.composer, scope: () => this.conversation.scope, store: localStorage });
    this.conversationLog = new Log({
      conversation: this.conversation, log: this.log, sheet: this.closest(".tray") ?? this, page: this.dataset,
      drafts: this.drafts, sticky: this.sticky,
      onChange: () => this.#schedule(), draw: () => this.#draw({ restoresFocus: false }),
      loadFailed: (error, retry) => this.#loadFailed(error, retry), onFault: (sentence) => this.#banners.show(sentence),
      showError: (sentence, { label, run }) => this.#banners.show(sentence, run, label), clearError: () => this.#banners.clearError(),
      say: (words) => this.#say(words), news: () => this.frame.markUnread(), send: (text, type) => this.send(text, type),
    });
    this.menu = new Title({
      title: part("title"), menu: part("menu"), list: this.#list,
      onOpen: (id, title) => this.#open(id, title),
    });
    part("new").addEventListener("click", () => this.#open("").then(() => this.composer.focus()));
    part("close").addEventListener("click", () => this.frame.close());
    registerClientAction("close_chat", () => this.frame.close());
    this.#listen();
    this.#started = this.#start();
  }

  attributeChangedCallback() {
    if (this.#started) this.composer.setContext(this.#review ? this.#review.context : this.dataset.context ?? "");
  }

  /** @param {string} text @param {string} [type] */
  send(text, type) {
    this.#banners.resetErrors();
    if (!navigator.onLine && !this.conversationLog.isLoaded) {
      // Neither the log nor the stream can be loaded, which would send it later.
      this.drafts.restoreText(text);
      this.#banners.notSent();
      return;
    }
    this.conversationLog.fetch();
    this.sticky.toEnd();
    this.#earlyMessages.add(text, type);
    this.#schedule();
    this.composer.setLastSent(text);
  }

  async #start() {
    this.composer.setContext(this.dataset.context ?? "");
    const offer = this.#readOffer();
    // handled below
    offer.catch(() => {});
    const opened = this.#opened;
    try {
      const latest = await this.#list.latest();
      if (latest.id) {
        this.conversationLog.fetch();
        await this.#listening;
      }
      // Another conversation was opened meanwhile, here or in another tab.
      if (this.conversation.turns.length === 0 && this.#opened === opened) await this.#open(latest.id, latest.title, true);
      runStoredNextStep(this.conversation, this.dataset.objectId ?? "", sessionStorage);
      this.#earlyMessages.flush();
      await offer;
    } catch (error) {
      this.#loadFailed(error, () => this.#start());
      this.#earlyMessages.flush();
    }
  }

  async #readOffer() {
    const number = ++this.#offered;
    try {
      const offer = await readOffer(this.dataset.page, this.dataset.objectId ?? "");
      // A later request, with other permissions, may have been answered first.
      if (number === this.#offered) this.#offer = offer;
    } finally {
      this.#offer.starters ??= [];
      this.#schedule();
    }
  }

  /** @param {string} id @param {string} [title] @param {boolean} [first]  on page load; typed text stays */
  async #open(id, title = "", first = false) {
    this.#opened += 1;
    const finishSwitch = this.drafts.beginSwitch();
    const isNew = id !== this.conversation.scope.conversationId;
    try {
      if (!(await this.conversation.open(id))) return;
    } catch (error) {
      this.#loadFailed(error, () => this.#open(id, title, first));
      return;
    }
    this.#banners.clearError();
    const sent = this.conversation.turns.flatMap((turn) => turn.userText || []);
    this.menu.setCurrent(id, title || (sent[0] ?? "").slice(0, 60));
    finishSwitch({ first, sent });
    // Messages that were sent before the conversation was loaded follow its messages.
    this.composer.setLastSent(this.#earlyMessages.texts.at(-1) ?? sent.at(-1) ?? "");
    this.#earlyMessages.flush();
    // Do not scroll when another tab has changed the open conversation.
    if (isNew) this.sticky.toEnd();
    this.#schedule();
    await loaded();
    this.#schedule();
    if (this.conversation.turns.length) this.conversationLog.with((turnList) => turnList.showPending());
  }

  /** @param {any} error @param {() => void} retry */
  #loadFailed(error, retry) {
    if (error.status === 401) return this.#onSignedOut("");
    return this.#banners.show(error.status ? error.message : t("The server cannot be reached."), retry);
  }

  #listen() {
    document.addEventListener("chat-send", (/** @type {any} */ event) => {
      this.frame.open();
      this.send(event.detail.text);
    });
    document.addEventListener("chat-add-file", (/** @type {any} */ { detail }) => {
      this.frame.open();
      void lazy(t("The file could not be added."), () => load(() => import("./message_files.js"))).then((module) => {
        (this.messageFiles = module).addFile(this.conversation, this.composer.form, detail);
        this.composer.focus();
      });
    });
    document.addEventListener("chat-reveal", (/** @type {any} */ { detail }) => {
      this.frame.open();
      this.composer.insertPrefix(detail?.text ?? "");
      this.composer.focus();
    });
    const readAgain = () => this.#readOffer().then(() => this.#banners.clearError(), (error) => this.#loadFailed(error, readAgain));
    document.addEventListener("chat-offer-changed", readAgain);
    document.addEventListener("proposal-review", (/** @type {any} */ event) => this.#setReview(event.detail));
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => {
      const { id, status, outcome } = detail;
      this.conversation.updatePayload(id, outcome ? { status, outcome } : { status });
      this.sticky.added(this.conversation.turns.at(-1));
    });
    // Where the chat covers the page, close it to show what the card points to.
    this.log.addEventListener("click", (/** @type {any} */ { target }) => {
      if (target.closest("button.pcard") && this.frame.isOverPage()) this.frame.close();
    });
    listenForNextStep(this.conversation);
    this.#listening = connectTabSync(this.conversation, {
      hasRequested: () => this.#opened > 0,
      untouched: () => !this.conversation.scope.conversationId && this.conversation.turns.length === 0 && this.drafts.untouched,
      initialLoad: async () => this.#started, latest: async () => (await this.#list.latest()).id,
      onTurns: (id) => this.#open(id, "", true),
      onTitle: (title) => this.menu.setCurrent(this.conversation.scope.conversationId, title),
      onDeleted: () => this.#open("", "", true),
      onSignedOut: () => this.#onSignedOut(""),
    });
    // A user who focuses the field will need these modules.
    this.composer.field.addEventListener("focus", () => {
      prefetchStream();
      this.conversationLog.fetch();
    }, { once: true });
    document.addEventListener("keydown", (event) => this.#key(event));
    this.closest(".tray")?.addEventListener("toggle", (/** @type {any} */ event) => {
      if (event.newState !== "open") return;
      this.frame.markRead();
      this.sticky.toEnd();
    });
  }

  /** "C" focuses the message field, unless something else is focused. @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== "c" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.activeElement && document.activeElement !== document.body) return;
    event.preventDefault();
    this.frame.open();
    this.composer.focus();
  }

  /** @param {any} review */
  #setReview(review) {
    this.#review = nextReview(this.#review, this.dataset.subject ?? "", review);
    this.composer.setReview(this.#review);
    this.attributeChangedCallback();
  }

  /** @param {Scope} scope */
  #onNamed(scope) {
    const first = this.conversation.turns[0]?.userText ?? "";
    this.menu.setCurrent(scope.conversationId, first.slice(0, 60));
    this.drafts.moveToConversation(scope);
  }

  /** @param {string} text  restored to the field, also after signing in */
  #onSignedOut(text) {
    this.drafts.restoreText(text);
    this.#banners.signOut();
  }

  /** @param {string} words  announced to screen readers: events, not every token */
  #say(words) {
    this.statusRegion.textContent = words;
  }

  #schedule() {
    if (this.#drawn) return;
    // Hidden tabs have no animation frames, but are drawn too.
    const draw = () => press.whenReleased(() => this.#draw());
    this.#drawn = document.hidden ? setTimeout(draw, 50) : requestAnimationFrame(draw);
  }

  /** @param {{restoresFocus?: boolean}} [how]  restoresFocus: focus the message field if the focused element was removed */
  #draw({ restoresFocus = true } = {}) {
    this.messageFiles?.drawFiles(this.conversation, this.composer.form);
    this.#drawn = 0;
    const focused = document.activeElement;
    const usesKeyboard = focused && this.contains(focused) && focused.matches(":focus-visible");
    const { running, broken } = this.conversation;
    const early = this.#earlyMessages.texts;
    const waiting = [...early, ...this.conversation.waiting];
    this.composer.setRunning(running);
    this.log.setAttribute("aria-busy", String(running || this.conversationLog.isBehind));
    // Screen readers read an answer once, when it is complete: through #say, not through the log.
    this.log.setAttribute("aria-live", running || this.#ran ? "off" : "polite");
    this.#ran = running;
    const { starters, notice } = this.#offer;
    // Drawn together with the starters, which would move it if they were added later.
    this.greeting.fill(starters ? [starters, this.dataset.helloText] : [], () => [greeting({ starters }, this.dataset, (text) => this.send(text))]);
    this.conversationLog.draw({ running, connection: broken ? t("Reconnecting") : "" }, this.greeting.node);
    this.waitingSlot.fill(waiting.map((text) => [text, running]), () => waitingLines(waiting, {
      onEdit: (at) => {
        this.drafts.restoreText(this.#withdraw(at));
        this.composer.focus();
      },
      onWithdraw: (at) => this.#withdraw(at),
      onSend: running || early.length ? null : () => this.conversation.sendWaiting(),
    }));
    this.#banners.draw(this.bannerSlot, { signIn: this.dataset.signIn, broken, notice });
    this.sticky.added(this.conversation.turns.at(-1));
    // The focused button was removed: keyboard users continue in the message field.
    const isLost = restoresFocus && usesKeyboard && (document.activeElement === document.body || focused.matches(":disabled, [hidden]"));
    if (isLost) this.composer.focus();
  }

  /** @param {number} at  in the queue @returns {string} its text */
  #withdraw(at) {
    const early = this.#earlyMessages.texts.length;
    this.#schedule();
    return at < early ? this.#earlyMessages.withdraw(at) : this.conversation.withdraw(at - early);
  }
}

/** Wait for the page's own modules, which register its payload handlers. */
function loaded() {
  if (document.readyState === "complete") return Promise.resolve();
  return new Promise((resolve) => window.addEventListener("load", resolve, { once: true }));
}

customElements.define("chat-tray", ChatTray);
