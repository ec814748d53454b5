// One conversation as it is lived: its turns, the one that runs, the messages that wait. Knows the server through a
// server that is given in, and no elements.

import { ApiError } from "../api.js";
import { load } from "../element.js";
import { t } from "../locale.js";
import { LATEST, followedBy, keepingKeys, learnVersions, openProposals, placeOf, turnsBefore, turnsFromMessages, withPlace } from "./stored_turns.js";
import { Followed, Queue } from "./message_queue.js";
import { failed, newTurn, reduce } from "./state.js";

/**
 * @typedef {object} Listener
 * @property {() => void} onChange                                   something looks different
 * @property {(turn: TurnView, event: any) => void} onEvent          after it is in the turn
 * @property {(payload: any) => void} onSuperseded                   an open proposal that another message has set aside
 * @property {(scope: Scope) => void} onNamed                        a new conversation has got its id
 * @property {(text: string) => void} onSignedOut                    the text was not sent
 */

export class Conversation {
  /** @type {TurnView[]} */
  turns = [];
  /** Which branch is looked at. */
  aside = LATEST;
  /** The message before which there are more, "" for none. */
  earlier = "";
  /** @type {{seconds: number, reason: string} | null} while the connection to a running turn is broken; reason: why the server refused it */
  broken = null;
  /** @type {Followed | null} */
  #current = null;
  #queue;
  /** @type {any[]} open proposals of turns in whose place another begins */
  #setAside = [];
  #generation = 0;

  /** @param {{scope: Scope, server: Server, store: Store, newId: () => string, context: () => any} & Listener} options
   * context: what the server is told of the page, read when a turn starts */
  constructor({ scope, server, store, newId, context, onChange, onEvent, onSuperseded, onNamed, onSignedOut }) {
    Object.assign(this, { scope, server, store, newId, context, onChange, onEvent, onSuperseded, onNamed, onSignedOut });
    /** By key the turns that this tab began; others are only followed here. typed: by a message of the person, for the first time
     * @type {Map<string, {typed: boolean}>} */
    this.begunHere = new Map();
    this.#queue = new Queue(store);
  }

  get waiting() {
    return this.#queue.texts;
  }

  get running() {
    return this.#current !== null;
  }

  /** Opens another conversation of the same page, or with "" a new one.
   * @param {string} conversationId @returns {Promise<boolean>} false when the person has gone on to something else meanwhile */
  async open(conversationId) {
    this.#letGo();
    const same = conversationId === this.scope.conversationId;
    const wanted = this.goOn();
    const answer = conversationId ? await this.#fetched(conversationId, wanted) : { messages: [], running_turn_id: null };
    if (!wanted()) return false;
    this.scope = { ...this.scope, conversationId };
    this.turns = keepingKeys(turnsFromMessages(answer.messages, answer.running_turn_id, conversationId), same ? this.turns : []);
    this.earlier = answer.earlier ?? "";
    this.aside = LATEST;
    this.#queue.open(this.scope, same);
    const running = this.turns.find((turn) => turn.phase === "running");
    if (running) this.#follow(running);
    else if (this.turns.at(-1)?.phase !== "error") this.sendWaiting();
    this.onChange();
    return true;
  }

  /** @param {string} conversationId @param {() => boolean} wanted @returns {Promise<any>} rejects only while it is still wanted */
  async #fetched(conversationId, wanted) {
    try {
      return await this.server.messages(conversationId);
    } catch (error) {
      if (!wanted()) return null;
      const running = this.turns.find((turn) => turn.phase === "running" && turn.turnId);
      if (running) this.#follow(running); // it is still what is seen
      throw error;
    }
  }

  /** Starts a turn, or keeps the text until the running one has ended.
   * @param {string} text @param {string} [type]  how it came about: interaction_type
   * @param {string} [key]  of a turn that may have gone out before: it is begun once */
  send(text, type = "text_input", key = this.newId()) {
    if (this.#current) {
      this.#keepWaiting([...this.waiting, text]);
      return;
    }
    this.#begin(this.turns, text, { message: text, interaction_type: type }, { key });
  }

  /** Gives the assistant a turn about an action that was carried out; while it answers, that waits.
   * @param {{action: string, data: any}} action
   * @param {{key?: string, words?: string}} [how]  key: the id that such a turn has in all tabs; words: what it is about */
  report(action, { key = this.newId(), words = "" } = {}) {
    if (this.#current) this.#queue.addReport(action, { key, words });
    else this.#begin(this.turns, words, { message: "", interaction_type: "action_executed", action }, { key });
  }

  /** Asks the same again; the new answer stands in the place of the old one. @param {TurnView} turn */
  again(turn) {
    if (this.#current) return;
    const asked = turn.turnId ? { retry_of: turn.turnId } : { message: turn.userText, ...placeOf(this.scope, turn) };
    this.#begin(turnsBefore(this.turns, turn), turn.userText, asked, { followsId: turn.followsId });
  }

  /** Says something else in the place of what was said; what followed stays on a branch of its own.
   * @param {TurnView} turn @param {string} text @returns {Promise<boolean>} whether it is sent; rejects when the conversation cannot be read */
  async edit(turn, text) {
    const known = this.#current ? null : await withPlace(this, turn);
    if (!known || this.#current) return false;
    this.#begin(turnsBefore(this.turns, known), text, { message: text, ...placeOf(this.scope, known) }, { followsId: known.followsId });
    return true;
  }

  /** @param {number} at  in `waiting` @returns {string} the text that was withdrawn */
  withdraw(at) {
    const text = this.waiting[at] ?? "";
    this.#keepWaiting(this.waiting.filter((_, index) => index !== at));
    return text;
  }

  async stop() {
    const turn = this.#runningTurn();
    if (!turn) return;
    if (!turn.turnId && this.broken) { // it never reached the server, as far as anybody can tell from here
      this.leave();
      this.#put({ ...turn, phase: "cancelled", status: "" });
      this.#ended(turn.key);
      return;
    }
    this.#put({ ...turn, status: t("Stopping") });
    this.#current.stop = true;
    if (turn.turnId) await this.server.cancel(turn.turnId);
  }

  /** What is still being fetched to be shown comes too late now. @returns {() => boolean} whether nobody has gone on since */
  goOn() {
    const mine = ++this.#generation;
    return () => mine === this.#generation;
  }

  /** Lets go of the stream; the turn itself goes on. */
  leave() {
    this.#current?.leave();
  }

  /** Takes up the stream that `leave` let go. */
  resume() {
    const turn = this.#runningTurn();
    if (!turn || !this.#current) return;
    const { body, instead } = this.#current;
    if (turn.turnId || body) this.#follow(turn, body, instead);
  }

  /** What was said and the server has not taken, as far as anybody can tell from here. @type {Words[]} */
  get unsent() {
    const turn = this.#runningTurn();
    const body = this.#current?.body;
    if (!turn || turn.turnId || !body?.message) return [];
    return [[body.message, body.interaction_type ?? "text_input", turn.key, this.turns.at(-2)?.turnId ?? ""]];
  }

  /** @param {string} payloadId @param {Record<string, any>} change  its new status and outcome */
  settle(payloadId, change) {
    this.turns = this.turns.map((turn) =>
      turn.payload?.id === payloadId ? { ...turn, payload: { ...turn.payload, ...change } } : turn);
    this.onChange();
  }

  /** @param {string} messageId @param {TurnView["feedback"]} feedback  what the person thinks of that answer now */
  rate(messageId, feedback) {
    this.turns = this.turns.map((turn) => (turn.messageId === messageId ? { ...turn, feedback } : turn));
    this.onChange();
  }

  /** @param {TurnView[]} before  those that stay @param {string} text @param {Record<string, any>} asked
   * @param {{key?: string, followsId?: string | null}} [how] */
  #begin(before, text, asked, { key = this.newId(), followsId = followedBy(before) } = {}) {
    this.goOn();
    const turn = newTurn({ key, userText: text, at: new Date().toISOString(), goesOn: asked.action !== undefined, followsId });
    const instead = before.length < this.turns.length;
    const place = this.aside.last && !asked.retry_of ? placeOf(this.scope, turn) : {};
    this.#setAside = [...this.aside.open, ...openProposals(this.turns.slice(before.length))];
    this.turns = [...before, turn];
    this.begunHere.set(key, { typed: Boolean(asked.message) && !asked.retry_of });
    const body = { ...place, ...asked, context: this.context(), client_turn_id: key };
    if (this.scope.conversationId) body.conversation_id = this.scope.conversationId;
    this.#follow(turn, body, instead);
    this.onChange();
  }

  /** @param {TurnView} turn @param {any} [body]  what it is begun with @param {boolean} [instead]  whether it stands in the place of others */
  #follow(turn, body = null, instead = false) {
    const { key, turnId } = turn;
    this.#current?.drop();
    this.#current = new Followed({ key, body, instead, turnId, server: this.server });
    this.#current.follow(turn.lastSeq, {
      onEvent: (numbered) => this.#event(key, numbered),
      onConnection: (...now) => this.#connection(...now),
      onFinal: () => this.#ended(key),
      onRefused: (error) => this.#refused(key, error),
    });
  }

  /** @param {string} key @param {{seq: number, event: any}} numbered */
  #event(key, numbered) {
    const before = this.turns.find((turn) => turn.key === key);
    if (!before) return;
    const after = reduce(before, numbered);
    if (after === before) return;
    this.#put(after);
    if (!this.scope.conversationId && after.conversationId) {
      const from = this.scope;
      this.scope = { ...from, conversationId: after.conversationId };
      this.#queue.move(from, this.scope);
      this.onNamed(this.scope);
    }
    if (after.turnId) {
      // The server has taken it.
      for (const payload of this.#setAside.splice(0)) this.onSuperseded(payload);
      this.aside = LATEST;
    }
    this.onEvent(after, numbered.event);
  }

  /** @param {"open"|"broken"} state @param {number} seconds @param {string} [reason] */
  #connection(state, seconds, reason = "") {
    this.broken = state === "broken" ? { seconds, reason } : null;
    this.onChange();
  }

  /** @param {string} key */
  #ended(key) {
    const turn = this.turns.find((entry) => entry.key === key);
    if (this.#current?.instead && turn?.turnId) learnVersions(this);
    this.#letGo();
    if (turn?.phase !== "error") this.sendWaiting();
    this.onChange();
  }

  #letGo() {
    this.broken = null;
    this.#current?.drop();
    this.#current = null;
  }

  /** @param {string} key @param {unknown} error */
  async #refused(key, error) {
    const current = this.#current;
    const known = error instanceof ApiError ? error : new ApiError(0, { error: "internal", detail: "" });
    const module = await load(() => import("./turn_refusal.js")).catch(() => null);
    // Another turn is followed, or another conversation is open by now.
    if (this.#current !== current) return;
    const turn = this.turns.find((entry) => entry.key === key);
    const body = current?.body;
    this.#letGo();
    if (!turn) return;
    if (!module) this.#put(failed(turn, known));
    module?.refused(this, turn, {
      error: known, body,
      put: (after) => this.#put(after),
      keep: () => {
        if (body?.action) this.#queue.addReport(body.action, { key, words: turn.userText }, true);
        else this.#keepWaiting([turn.userText, ...this.waiting]);
      },
    });
    this.onChange();
  }

  /** Sends the first of what waits, if nothing runs. */
  sendWaiting() {
    const done = this.#current ? undefined : this.#queue.takeReport();
    if (done) this.report(...done);
    if (this.#current || this.waiting.length === 0) return;
    const [text, ...rest] = this.waiting;
    this.#keepWaiting(rest);
    this.send(text);
  }

  /** @param {readonly string[]} texts */
  #keepWaiting(texts) {
    this.#queue.keep(this.scope, texts);
    this.onChange();
  }

  #runningTurn = () => this.turns.find((turn) => turn.key === this.#current?.key);

  /** @param {TurnView} turn */
  #put(turn) {
    this.turns = this.turns.map((entry) => (entry.key === turn.key ? turn : entry));
    this.onChange();
  }
}
