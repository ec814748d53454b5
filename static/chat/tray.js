// <chat-tray>: the chat beside a page. Ties the conversation to the elements that the server rendered.

import { press } from "../press.js";
import { runAction } from "./actions.js";
import { Composed } from "./composed.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { ConversationList } from "./conversation_list.js";
import { ConversationMenu } from "./conversation_menu.js";
import { EarlyWords } from "./early_words.js";
import { LookingBack } from "./looking_back.js";
import { readOffer } from "./offer.js";
import { pageContext } from "./page_context.js";
import { PayloadPanel } from "./payload_panel.js";
import { goOnWith, takeUpNext } from "./going_on.js";
import { react } from "./reactions.js";
import { registerClientAction, registryVersion } from "./registry.js";
import { reviewed } from "./reviewed.js";
import { Settlements, tell } from "./settle.js";
import { Slot } from "./parts.js";
import { StickyLog } from "./sticky_log.js";
import { joinTabs } from "./tabs.js";
import { attachTurn, cancelTurn, newId, startTurn } from "./stream.js";
import { TrayFrame } from "./tray_frame.js";
import { earlierButton, hello, waitingLines } from "./tray_parts.js";
import { Troubles } from "./troubles.js";
import { TurnList } from "./turn_view.js";
import { markUndone } from "./undone.js";

class ChatTray extends HTMLElement {
  static observedAttributes = ["data-context"];

  #troubles = new Troubles(() => this.#schedule());
  #settlements = new Settlements({ onChange: () => this.#schedule(), onTurnedBack: (...how) => markUndone(this.conversation, ...how) });
  #panel = new PayloadPanel(this.closest(".tray") ?? this, () => this.#schedule());
  #offer = { starters: [], demo: false };
  #list = new ConversationList(() => ({ page: this.dataset.page, objectId: this.dataset.objectId ?? "" }));
  #review = null;
  #drawn = 0;
  #opened = 0;
  #begun = /** @type {Promise<void> | null} */ (null);
  #words = new EarlyWords((...said) => this.conversation.send(...said));

  connectedCallback() {
    if (this.#begun) return;
    const part = (/** @type {string} */ name) => /** @type {any} */ (this.querySelector(`[data-part=${name}]`));
    this.log = part("log");
    this.bannerSlot = new Slot(part("banners"));
    this.sayer = part("say");
    this.waitingSlot = new Slot(part("waiting"));
    this.sticky = new StickyLog(this.log, part("news"));
    this.greeting = new Slot(document.createElement("div"));
    this.earlier = earlierButton(() => this.back.earlier());
    this.turns = new TurnList(this.log, this.#acts());
    this.frame = new TrayFrame({
      app: document.body, tray: this.closest(".tray") ?? this,
      grip: document.querySelector(".grip"), toggle: document.getElementById("tray-toggle"),
    });
    this.conversation = new Conversation({
      scope: { page: this.dataset.page, objectId: this.dataset.objectId ?? "", conversationId: "" },
      door: { start: startTurn, attach: attachTurn, cancel: cancelTurn, messages: (...asked) => this.#list.messages(...asked) },
      store: sessionStorage, newId, context: () => pageContext(this.dataset),
      onChange: () => this.#schedule(),
      onEvent: (turn, event) => react(turn, event, {
        say: (words) => this.#say(words), news: () => this.frame.news(), show: (payload) => this.#panel.show(payload),
        objectId: this.dataset.objectId ?? "", conversation: this.conversation,
      }),
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
    this.back = new LookingBack({
      conversation: this.conversation, log: this.log, composed: this.composed,
      draw: () => this.#draw(), failed: (error, again) => this.#loadFailed(error, again),
    });
    this.menu = new ConversationMenu({
      title: part("title"), menu: part("menu"),
      list: this.#list,
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
    this.sticky.toEnd();
    this.#words.say(text, type);
    this.#schedule();
    this.composer.setLastSent(text);
  }

  async #start() {
    this.composer.setContext(this.dataset.context ?? "");
    const offer = readOffer(this.dataset.page, this.dataset.objectId ?? "").then((offered) => {
      this.#offer = offered;
      this.#schedule();
    });
    offer.catch(() => {}); // told below
    const opened = this.#opened;
    try {
      const latest = await this.#list.latest();
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

  /** @param {string} id @param {string} [title] @param {boolean} [first]  on load; what was typed meanwhile stays */
  async #open(id, title = "", first = false) {
    this.#opened += 1;
    const arrived = this.composed.leave();
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
    this.composer.setLastSent(said.at(-1) ?? "");
    this.#words.begin();
    this.sticky.toEnd();
    this.#schedule();
    await loaded();
    this.#schedule();
    this.#panel.learn(this.conversation.turns.flatMap((turn) => turn.payload?.type ?? []));
    const pending = this.conversation.turns.findLast((turn) => turn.payload?.status === "pending");
    if (pending) this.#panel.show(pending.payload);
  }

  /** @param {any} error @param {() => void} again */
  #loadFailed(error, again) {
    if (error.status === 401) return this.#signOut("");
    return this.#troubles.show(error.status ? error.message : "The server cannot be reached.", again);
  }

  #listen() {
    document.addEventListener("chat-send", (/** @type {any} */ event) => {
      this.frame.open();
      this.send(event.detail.text);
    });
    document.addEventListener("chat-reveal", () => {
      this.frame.open();
      this.composer.focus();
    });
    document.addEventListener("proposal-review", (/** @type {any} */ event) => this.#setReview(event.detail));
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => {
      const { id, status, outcome } = detail;
      this.#settlements.forget(id);
      this.conversation.settle(id, outcome ? { status, outcome } : { status });
      this.sticky.added();
    });
    // Where the chat lies over the page, what a card points to is behind it.
    this.log.addEventListener("click", (/** @type {any} */ { target }) => {
      if (target.closest("button.pcard") && this.frame.isOverPage()) this.frame.close();
    });
    goOnWith(this.conversation);
    joinTabs(this.conversation, {
      untouched: () => !this.conversation.scope.conversationId && this.conversation.turns.length === 0 && this.composed.untouched,
      begun: async () => this.#begun, latest: async () => (await this.#list.latest()).id,
      onOthers: (id) => this.#open(id, "", true),
      onTitle: (title) => this.menu.setCurrent(this.conversation.scope.conversationId, title),
      onGone: () => this.#open("", "", true),
      onSignedOut: () => this.#signOut(""),
    });
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

  #draw() {
    this.#drawn = 0;
    const { turns, running, broken } = this.conversation;
    const early = this.#words.texts;
    const waiting = [...early, ...this.conversation.waiting];
    this.composer.setRunning(running);
    this.log.setAttribute("aria-busy", String(running));
    const { byPayload: settling, byChange: taken } = this.#settlements;
    const around = { running, connection: broken ? "Reconnecting…" : "", taken, settling, looks: registryVersion() };
    this.greeting.fill([this.#offer.starters], () => [hello(this.#offer, this.dataset, (text) => this.send(text))]);
    this.turns.draw(turns, around, { greeting: this.greeting.node, earlier: this.conversation.earlier ? this.earlier : null });
    this.waitingSlot.fill(waiting.map((text) => [text, running]), () => waitingLines(waiting, {
      onEdit: (at) => {
        this.composer.setText(this.#withdraw(at));
        this.composer.focus();
      },
      onWithdraw: (at) => this.#withdraw(at),
      onSend: running || early.length ? null : () => this.conversation.sendWaiting(),
    }));
    this.#troubles.draw(this.bannerSlot, { signIn: this.dataset.signIn, broken, demo: this.#offer.demo });
    this.sticky.added();
  }

  /** @param {number} at  among the messages that wait @returns {string} its text */
  #withdraw(at) {
    const early = this.#words.texts.length;
    this.#schedule();
    return at < early ? this.#words.withdraw(at) : this.conversation.withdraw(at - early);
  }

  /** @returns {TurnActs} */
  #acts() {
    return {
      cancel: () => this.conversation.stop(),
      again: (turn) => this.conversation.again(turn),
      edit: (turn, text) => {
        this.sticky.toEnd();
        this.back.inOtherWords(turn, text);
      },
      showVersion: (id, back) => this.back.version(id, back),
      rated: (turn, feedback) => this.conversation.rate(turn.messageId, feedback),
      diagnoses: "diagnostics" in this.dataset,
      sendValue: (text) => this.send(text, "value_selected"),
      runAction: (entry, face) => runAction(entry, face, {
        context: () => pageContext(this.dataset), conversation: this.conversation, newId, onFault: (sentence) => this.#troubles.show(sentence),
      }),
      showPayload: (payload) => this.#panel.show(payload, { focus: true }),
      answer: (payload, way) => this.#settlements.answer(payload, way),
      turnBackTool: (tool, way, onConflict) => this.#settlements.turnBackTool(tool, way, onConflict),
      turnBack: (payload, way, onConflict) => this.#settlements.turnBack(payload, way, onConflict),
    };
  }
}

/** After the page's own modules have run: only then are its payload handlers registered. */
function loaded() {
  if (document.readyState === "complete") return Promise.resolve();
  return new Promise((resolve) => window.addEventListener("load", resolve, { once: true }));
}

customElements.define("chat-tray", ChatTray);
