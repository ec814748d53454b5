// Queues: messages sent before the latest conversation is known; messages and action reports that wait for the running turn;
// next steps announced by the assistant, which start when the user has applied a proposal. And the turn that is followed.

import { attempt } from "./composer.js";

const NEXT = "chat-next";

export class Queue {
  /** Messages, oldest first; they survive a reload. @type {readonly string[]} */
  texts = [];
  /** @type {[{action: string, data: any}, {key: string, words: string}][]} */
  #reports = [];

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
  }

  /** @param {Scope} scope  of the opened conversation @param {boolean} same  whether it is the same conversation as before */
  open(scope, same) {
    if (!same) this.#reports = [];
    this.texts = readWaiting(this.store, scope);
  }

  /** @param {Scope} scope @param {readonly string[]} texts */
  set(scope, texts) {
    this.texts = texts;
    writeWaiting(this.store, scope, [...texts]);
  }

  /** @param {Scope} from @param {Scope} to  the new conversation, which was assigned an id */
  move(from, to) {
    moveWaiting(this.store, from, to);
  }

  /** @param {{action: string, data: any}} action @param {{key: string, words: string}} how @param {boolean} [first] */
  addReport(action, how, first = false) {
    if (first) this.#reports.unshift([action, how]);
    else this.#reports.push([action, how]);
  }

  takeReport() {
    return this.#reports.shift();
  }
}

/**
 * @typedef {[text: string, type?: string, key?: string, before?: string]} QueuedMessage  key: of a turn that may have been
 *   sent; before:
 * the id of the last turn at that time
 */

/** Messages sent before the latest conversation is known; they wait for it. */
export class EarlyMessages {
  /** @type {QueuedMessage[] | null} */
  #waiting;

  /** @param {(...message: QueuedMessage) => void} send @param {QueuedMessage[]} [stored]  from the previous page */
  constructor(send, stored = []) {
    this.send = send;
    this.#waiting = stored;
  }

  /** @returns {readonly QueuedMessage[]} */
  get unsent() {
    return this.#waiting ?? [];
  }

  get texts() {
    return this.unsent.map(([text]) => text);
  }

  /** @param {number} at  in `texts` @returns {string} the withdrawn text */
  withdraw(at) {
    return this.#waiting?.splice(at, 1)[0]?.[0] ?? "";
  }

  /** @param {string} text @param {string} [type] */
  add(text, type) {
    if (this.#waiting) this.#waiting.push([text, type]);
    else this.send(text, type);
  }

  /** The conversation is known, or cannot be loaded: send the messages. */
  flush() {
    const waiting = this.unsent;
    this.#waiting = null;
    for (const message of waiting) this.send(...message);
  }
}

/**
 * Send a message of the previous page unless the server has received it already.
 * @param {Conversation} conversation @param {QueuedMessage} message
 */
export function resend(conversation, [text, type, key, before]) {
  const last = conversation.turns.at(-1);
  const isTaken = key !== undefined && last !== undefined && last.turnId !== before && last.userText === text;
  if (!isTaken) conversation.send(text, type, key);
}

/** @param {Scope} scope */
function unsentKey({ page, objectId }) {
  return `chat-unsent:${page}:${objectId}`;
}

/**
 * Store messages that the server may not have received, so that they survive a reload.
 * @param {Store} store @param {Scope} scope @param {readonly QueuedMessage[]} messages
 */
export function storeUnsent(store, scope, messages) {
  attempt(() => (messages.length ? store.setItem(unsentKey(scope), JSON.stringify(messages)) : store.removeItem(unsentKey(scope))));
}

/** @param {Store} store @param {Scope} scope @returns {QueuedMessage[]} the stored messages, which are removed from the store */
export function takeUnsent(store, scope) {
  const stored = attempt(() => JSON.parse(store.getItem(unsentKey(scope)) ?? "[]"));
  storeUnsent(store, scope, []);
  return Array.isArray(stored) ? stored.filter((message) => Array.isArray(message) && typeof message[0] === "string" && message[0] !== "") : [];
}

/** @param {Scope} scope */
export function waitingKey({ page, objectId, conversationId }) {
  return conversationId ? `chat-waiting:${conversationId}` : `chat-waiting:new:${page}:${objectId}`;
}

/** @param {Store} store @param {Scope} scope @returns {string[]} oldest first */
export function readWaiting(store, scope) {
  const stored = attempt(() => JSON.parse(store.getItem(waitingKey(scope)) ?? "[]"));
  return Array.isArray(stored) ? stored.filter((text) => typeof text === "string" && text !== "") : [];
}

/** @param {Store} store @param {Scope} scope @param {string[]} texts */
export function writeWaiting(store, scope, texts) {
  const key = waitingKey(scope);
  attempt(() => (texts.length ? store.setItem(key, JSON.stringify(texts)) : store.removeItem(key)));
}

/** @param {Store} store @param {Scope} from @param {Scope} to  the new conversation, which was assigned an id */
export function moveWaiting(store, from, to) {
  const texts = readWaiting(store, from);
  if (texts.length === 0 || waitingKey(from) === waitingKey(to)) return;
  writeWaiting(store, from, []);
  writeWaiting(store, to, texts);
}

/** @typedef {{payload_id: string, client_turn_id: string, intention: string}} NextStep */

/**
 * @param {any} answer  the response of an apply with a next step @param {Pick<Storage, "setItem">} store  of this tab
 */
export function dispatchNextStep(answer, store) {
  const next = { payload_id: answer.id, ...answer.next };
  // A new object has its own page, where the chat continues.
  if (answer.moved_to) store.setItem(NEXT, JSON.stringify({ ...next, object_id: String(answer.moved_to) }));
  else document.dispatchEvent(new CustomEvent("next-step", { detail: next }));
}

/** @param {Conversation} conversation  the open one */
export function listenForNextStep(conversation) {
  document.addEventListener("next-step", (event) => report(conversation, /** @type {CustomEvent} */ (event).detail));
}

/**
 * Run the next step that the previous page has stored.
 * @param {Conversation} conversation  open @param {string} objectId
 * @param {Pick<Storage, "getItem" | "removeItem">} store  of this tab
 */
export function runStoredNextStep(conversation, objectId, store) {
  const stored = store.getItem(NEXT);
  store.removeItem(NEXT);
  const next = stored ? JSON.parse(stored) : null;
  if (next?.object_id === objectId) report(conversation, next);
}

/** @param {Conversation} conversation @param {NextStep} next */
function report(conversation, { payload_id, client_turn_id, intention }) {
  // The user has opened another conversation meanwhile.
  if (!conversation.turns.some((turn) => turn.payload?.id === payload_id)) return;
  conversation.report({ action: "next", data: { payload_id } }, { key: client_turn_id, words: intention });
}

export class FollowedTurn {
  /** The user has stopped the turn before the server sent its id. */
  stop = false;
  #dropped = false;
  /** @type {{disconnect: () => void} | null} */
  #handle = null;

  /**
   * @param {{key: string, body: any, replaces: boolean, turnId: string, server: Server}} turn
   *   body: request body, null for a turn that is already running; replaces: whether it replaces other turns;
   *   turnId: "" until the server has sent it
   */
  constructor({ key, body, replaces, turnId, server }) {
    Object.assign(this, { key, body, replaces, turnId, server });
  }

  /**
   * @param {number} after  sequence number of the last known event
   * @param {{onEvent: (numbered: any) => void, onConnection: (state: "open" | "broken", seconds: number, reason?: string) => void,
   *   onFinal: () => void, onRefused: (error: unknown) => void}} listener  not called after drop()
   */
  follow(after, { onEvent, onConnection, onFinal, onRefused }) {
    const listener = {
      onEvent: (numbered) => this.#onEvent(numbered, onEvent),
      onConnection: (...now) => this.#dropped || onConnection(...now),
    };
    const { turnId } = this;
    const handle = turnId ? this.server.attach({ turnId, after }, listener) : this.server.start(this.body, listener);
    this.#handle = handle;
    handle.done.then(
      (end) => this.#dropped || (end === "final" && onFinal()),
      (error) => this.#dropped || onRefused(error));
  }

  /** @param {{seq: number, event: any}} numbered @param {(numbered: any) => void} onEvent */
  #onEvent(numbered, onEvent) {
    const isNew = this.turnId === "";
    this.turnId ||= numbered.event.turn_id ?? "";
    if (isNew && this.turnId && this.stop) this.server.cancel(this.turnId);
    if (!this.#dropped) onEvent(numbered);
    else if (this.turnId) this.disconnect();
  }

  /** Close the stream; the turn continues on the server. */
  disconnect() {
    this.#handle?.disconnect();
  }

  /** Stop following. A message that the server may not have received is still sent. */
  drop() {
    this.#dropped = true;
    if (this.turnId) this.disconnect();
  }
}
