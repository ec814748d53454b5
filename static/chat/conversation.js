// State of one conversation: its turns, the running turn, queued messages. Uses a given server and no DOM.

import { ApiError } from "../api.js";
import { load } from "../element.js";
import { t } from "../locale.js";
import { LATEST_BRANCH, lastMessageId, withKeysFrom, refreshVersions, openProposals, parentField, turnsBefore, turnsFromMessages, withParent } from "./stored_turns.js";
import { FollowedTurn, Queue } from "./message_queue.js";
import { failed, newTurn, reduce } from "./state.js";

/**
 * @typedef {object} Listener
 * @property {() => void} onChange                                   something visible has changed
 * @property {(turn: TurnView, event: any) => void} onEvent          after it was added to the turn
 * @property {(payload: any) => void} onSuperseded                   an open proposal that was replaced by a message
 * @property {(scope: Scope) => void} onNamed                        a new conversation was assigned an id
 * @property {(text: string) => void} onSignedOut                    the text was not sent
 */

export class Conversation {
  /** @type {TurnView[]} */
  turns = [];
  /** Those of the next message. @type {import("./message_files.js").MessageFile[]} */
  files = [];
  /** The branch that is shown. */
  branch = LATEST_BRANCH;
  /** The id of the first message if there are earlier ones, else "". */
  earlier = "";
  /** @type {{seconds: number, reason: string} | null} while the connection of a running turn is broken; reason: the server's message if it refused */
  broken = null;
  /** @type {FollowedTurn | null} */
  #current = null;
  #queue;
  /** @type {any[]} open proposals of turns that are being replaced */
  #setAside = [];
  #generation = 0;

  /** @param {{scope: Scope, server: Server, store: Store, newId: () => string, context: () => any} & Listener} options
   * context: the page context, read when a turn starts */
  constructor({ scope, server, store, newId, context, onChange, onEvent, onSuperseded, onNamed, onSignedOut }) {
    Object.assign(this, { scope, server, store, newId, context, onChange, onEvent, onSuperseded, onNamed, onSignedOut });
    /**
     * The turns that this tab started, by key; others are only followed. typed: by a new message of the user
     * @type {Map<string, {typed: boolean}>}
     */
    this.startedHere = new Map();
    this.#queue = new Queue(store);
  }

  get waiting() {
    return this.#queue.texts;
  }

  get running() {
    return this.#current !== null;
  }

  /**
   * Open another conversation of this page, or with "" a new one.
   * @param {string} conversationId @returns {Promise<boolean>} false if the user has opened another one meanwhile
   */
  async open(conversationId) {
    this.#release();
    const same = conversationId === this.scope.conversationId;
    const isCurrent = this.invalidateLoads();
    const answer = conversationId ? await this.#fetch(conversationId, isCurrent) : { messages: [], running_turn_id: null };
    if (!isCurrent()) return false;
    this.scope = { ...this.scope, conversationId };
    this.turns = withKeysFrom(turnsFromMessages(answer.messages, answer.running_turn_id, conversationId), same ? this.turns : []);
    this.earlier = answer.earlier ?? "";
    this.branch = LATEST_BRANCH;
    this.#queue.open(this.scope, same);
    const running = this.turns.find((turn) => turn.phase === "running");
    if (running) this.#follow(running);
    else if (this.turns.at(-1)?.phase !== "error") this.sendWaiting();
    this.onChange();
    return true;
  }

  /** @param {string} conversationId @param {() => boolean} isCurrent @returns {Promise<any>} rejects only while isCurrent() */
  async #fetch(conversationId, isCurrent) {
    try {
      return await this.server.messages(conversationId);
    } catch (error) {
      if (!isCurrent()) return null;
      const running = this.turns.find((turn) => turn.phase === "running" && turn.turnId);
      // it is still shown
      if (running) this.#follow(running);
      throw error;
    }
  }

  /** Start a turn, or queue the text until the running turn has ended.
   * @param {string} text @param {string} [type]  interaction_type
   * @param {string} [key]  of a turn that may have been sent before; it is only started once */
  send(text, type = "text_input", key = this.newId()) {
    if (this.#current) {
      this.#setQueue([...this.waiting, text]);
      return;
    }
    this.#start(this.turns, text, { message: text, interaction_type: type }, { key });
  }

  /** Start a turn that informs the assistant about an action; queued while a turn runs.
   * @param {{action: string, data: any}} action
   * @param {{key?: string, words?: string}} [how]  key: client_turn_id, the same in all tabs; words: the text shown for it */
  report(action, { key = this.newId(), words = "" } = {}) {
    if (this.#current) this.#queue.addReport(action, { key, words });
    else this.#start(this.turns, words, { message: "", interaction_type: "action_executed", action }, { key });
  }

  /** Retry: the new answer replaces the old one. @param {TurnView} turn */
  retry(turn) {
    if (this.#current) return;
    const request = turn.turnId ? { retry_of: turn.turnId } : { message: turn.userText, ...parentField(this.scope, turn) };
    this.#start(turnsBefore(this.turns, turn), turn.userText, request, { parentId: turn.parentId });
  }

  /** Replace a message; the messages after it stay on their own branch.
   * @param {TurnView} turn @param {string} text @returns {Promise<boolean>} whether it was sent; rejects when the conversation cannot be read */
  async edit(turn, text) {
    const turnWithParent = this.#current ? null : await withParent(this, turn);
    if (!turnWithParent || this.#current) return false;
    this.#start(turnsBefore(this.turns, turnWithParent), text, { message: text, files: turn.files.map(({ id }) => id), ...parentField(this.scope, turnWithParent) }, { parentId: turnWithParent.parentId });
    return true;
  }

  /** @param {number} at  in `waiting` @returns {string} the withdrawn text */
  withdraw(at) {
    const text = this.waiting[at] ?? "";
    this.#setQueue(this.waiting.filter((_, index) => index !== at));
    return text;
  }

  async stop() {
    const turn = this.#runningTurn();
    if (!turn) return;
    // as far as this client knows, it never reached the server
    if (!turn.turnId && this.broken) {
      this.disconnect();
      this.#put({ ...turn, phase: "cancelled", status: "" });
      this.#onEnd(turn.key);
      return;
    }
    this.#put({ ...turn, status: t("Stopping") });
    this.#current.stop = true;
    if (turn.turnId) await this.server.cancel(turn.turnId);
  }

  /** Invalidate loads in progress. @returns {() => boolean} whether no later call was made */
  invalidateLoads() {
    const generation = ++this.#generation;
    return () => generation === this.#generation;
  }

  /** Close the stream; the turn continues on the server. */
  disconnect() {
    this.#current?.disconnect();
  }

  /** Reopen the stream that `disconnect` closed. */
  reconnect() {
    const turn = this.#runningTurn();
    if (!turn || !this.#current) return;
    const { body, replaces } = this.#current;
    if (turn.turnId || body) this.#follow(turn, body, replaces);
  }

  /** A message that the server may not have received. @type {QueuedMessage[]} */
  get unsent() {
    const turn = this.#runningTurn();
    const body = this.#current?.body;
    if (!turn || turn.turnId || !body?.message) return [];
    return [[body.message, body.interaction_type ?? "text_input", turn.key, this.turns.at(-2)?.turnId ?? ""]];
  }

  /** @param {string} payloadId @param {Record<string, any>} change  its new status and outcome */
  updatePayload(payloadId, change) {
    this.turns = this.turns.map((turn) =>
      turn.payload?.id === payloadId ? { ...turn, payload: { ...turn.payload, ...change } } : turn);
    this.onChange();
  }

  /** @param {string} messageId @param {TurnView["feedback"]} feedback  the user's current rating */
  rate(messageId, feedback) {
    this.turns = this.turns.map((turn) => (turn.messageId === messageId ? { ...turn, feedback } : turn));
    this.onChange();
  }

  /** @param {TurnView[]} before  turns that stay @param {string} text @param {Record<string, any>} request
   * @param {{key?: string, parentId?: string | null}} [how] */
  #start(before, text, request, { key = this.newId(), parentId = lastMessageId(before) } = {}) {
    this.invalidateLoads();
    if (request.message && !request.files && this.files.length) request = { ...request, files: this.files.map(({ id }) => id) };
    const files = this.files.filter(({ id }) => request.files?.includes(id));
    const turn = newTurn({ files, key, userText: text, at: new Date().toISOString(), isContinued: request.action !== undefined, parentId });
    const replaces = before.length < this.turns.length;
    const parent = this.branch.last && !request.retry_of ? parentField(this.scope, turn) : {};
    this.#setAside = [...this.branch.open, ...openProposals(this.turns.slice(before.length))];
    this.turns = [...before, turn];
    this.startedHere.set(key, { typed: Boolean(request.message) && !request.retry_of });
    const body = { ...parent, ...request, context: this.context(), client_turn_id: key };
    if (this.scope.conversationId) body.conversation_id = this.scope.conversationId;
    this.#follow(turn, body, replaces);
    this.onChange();
  }

  /**
   * @param {TurnView} turn
   * @param {any} [body]  of the request that starts it @param {boolean} [replaces]  whether it replaces other turns
   */
  #follow(turn, body = null, replaces = false) {
    const { key, turnId } = turn;
    this.#current?.drop();
    this.#current = new FollowedTurn({ key, body, replaces, turnId, server: this.server });
    this.#current.follow(turn.lastSeq, {
      onEvent: (numbered) => this.#onEvent(key, numbered),
      onConnection: (...now) => this.#onConnection(...now),
      onFinal: () => this.#onEnd(key),
      onRefused: (error) => this.#onRefused(key, error),
    });
  }

  /** @param {string} key @param {{seq: number, event: any}} numbered */
  #onEvent(key, numbered) {
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
      // The server has accepted it.
      const sent = this.#current?.body?.files;
      if (sent) this.files = this.files.filter(({ id }) => !sent.includes(id));
      for (const payload of this.#setAside.splice(0)) this.onSuperseded(payload);
      this.branch = LATEST_BRANCH;
    }
    this.onEvent(after, numbered.event);
  }

  /** @param {"open"|"broken"} state @param {number} seconds @param {string} [reason] */
  #onConnection(state, seconds, reason = "") {
    this.broken = state === "broken" ? { seconds, reason } : null;
    this.onChange();
  }

  /** @param {string} key */
  #onEnd(key) {
    const turn = this.turns.find((entry) => entry.key === key);
    if (this.#current?.replaces && turn?.turnId) refreshVersions(this);
    this.#release();
    if (turn?.phase !== "error") this.sendWaiting();
    this.onChange();
  }

  #release() {
    this.broken = null;
    this.#current?.drop();
    this.#current = null;
  }

  /** @param {string} key @param {unknown} error */
  async #onRefused(key, error) {
    const current = this.#current;
    const apiError = error instanceof ApiError ? error : new ApiError(0, { error: "internal", detail: "" });
    const module = await load(() => import("./turn_refusal.js")).catch(() => null);
    // Another turn is followed, or another conversation is open.
    if (this.#current !== current) return;
    const turn = this.turns.find((entry) => entry.key === key);
    const body = current?.body;
    this.#release();
    if (!turn) return;
    if (!module) this.#put(failed(turn, apiError));
    module?.refused(this, turn, {
      error: apiError, body,
      put: (after) => this.#put(after),
      requeue: () => {
        if (body?.action) this.#queue.addReport(body.action, { key, words: turn.userText }, true);
        else this.#setQueue([turn.userText, ...this.waiting]);
      },
    });
    this.onChange();
  }

  /** Send the first queued message, if no turn runs. */
  sendWaiting() {
    const queuedReport = this.#current ? undefined : this.#queue.takeReport();
    if (queuedReport) this.report(...queuedReport);
    if (this.#current || this.waiting.length === 0) return;
    const [text, ...rest] = this.waiting;
    this.#setQueue(rest);
    this.send(text);
  }

  /** @param {readonly string[]} texts */
  #setQueue(texts) {
    this.#queue.set(this.scope, texts);
    this.onChange();
  }

  #runningTurn = () => this.turns.find((turn) => turn.key === this.#current?.key);

  /** @param {TurnView} turn */
  #put(turn) {
    this.turns = this.turns.map((entry) => (entry.key === turn.key ? turn : entry));
    this.onChange();
  }
}
