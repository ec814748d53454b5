// What is under way, and what waits for it: the turn that is followed; words said before it is known which conversation is
// the latest; messages, and actions that were carried out, until the running turn has ended; and what the assistant
// announced, once the person has applied what was before it.

import { attempt } from "./composer.js";

const NEXT = "chat-next";

export class Queue {
  /** Messages, oldest first; they outlast a reload. @type {readonly string[]} */
  texts = [];
  /** @type {[{action: string, data: any}, {key: string, words: string}][]} */
  #reports = [];

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
  }

  /** @param {Scope} scope  whose messages wait from now on @param {boolean} same  whether it is still that conversation */
  open(scope, same) {
    if (!same) this.#reports = [];
    this.texts = readWaiting(this.store, scope);
  }

  /** @param {Scope} scope @param {readonly string[]} texts */
  keep(scope, texts) {
    this.texts = texts;
    writeWaiting(this.store, scope, [...texts]);
  }

  /** @param {Scope} from @param {Scope} to  a new conversation has got its id */
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

/** @typedef {[text: string, type?: string, key?: string, before?: string]} Words  key: of a turn that may have gone out; before: the
 * id of the one that was the last then */

/** What is said before it is known which conversation is the latest: it waits for that, and goes on with it. */
export class EarlyWords {
  /** @type {Words[] | null} */
  #waiting;

  /** @param {(...words: Words) => void} send @param {Words[]} [kept]  of the page before this one */
  constructor(send, kept = []) {
    this.send = send;
    this.#waiting = kept;
  }

  /** @returns {readonly Words[]} */
  get unsent() {
    return this.#waiting ?? [];
  }

  get texts() {
    return this.unsent.map(([text]) => text);
  }

  /** @param {number} at  in `texts` @returns {string} the text that was withdrawn */
  withdraw(at) {
    return this.#waiting?.splice(at, 1)[0]?.[0] ?? "";
  }

  /** @param {string} text @param {string} [type] */
  say(text, type) {
    if (this.#waiting) this.#waiting.push([text, type]);
    else this.send(text, type);
  }

  /** It is known now, or nobody can tell. */
  begin() {
    const waiting = this.unsent;
    this.#waiting = null;
    for (const said of waiting) this.send(...said);
  }
}

/** What the page before this one may have sent already, goes out once. @param {Conversation} conversation @param {Words} words */
export function sendAgain(conversation, [text, type, key, before]) {
  const last = conversation.turns.at(-1);
  const isTaken = key !== undefined && last !== undefined && last.turnId !== before && last.userText === text;
  if (!isTaken) conversation.send(text, type, key);
}

/** @param {Scope} scope */
function unsentKey({ page, objectId }) {
  return `chat-unsent:${page}:${objectId}`;
}

/** Words that the server may not have are there again when the page is. @param {Store} store @param {Scope} scope @param {readonly Words[]} said */
export function keepUnsent(store, scope, said) {
  attempt(() => (said.length ? store.setItem(unsentKey(scope), JSON.stringify(said)) : store.removeItem(unsentKey(scope))));
}

/** @param {Store} store @param {Scope} scope @returns {Words[]} once */
export function takeUnsent(store, scope) {
  const kept = attempt(() => JSON.parse(store.getItem(unsentKey(scope)) ?? "[]"));
  keepUnsent(store, scope, []);
  return Array.isArray(kept) ? kept.filter((said) => Array.isArray(said) && typeof said[0] === "string" && said[0] !== "") : [];
}

/** @param {Scope} scope */
export function waitingKey({ page, objectId, conversationId }) {
  return conversationId ? `chat-waiting:${conversationId}` : `chat-waiting:new:${page}:${objectId}`;
}

/** @param {Store} store @param {Scope} scope @returns {string[]} oldest first */
export function readWaiting(store, scope) {
  const kept = attempt(() => JSON.parse(store.getItem(waitingKey(scope)) ?? "[]"));
  return Array.isArray(kept) ? kept.filter((text) => typeof text === "string" && text !== "") : [];
}

/** @param {Store} store @param {Scope} scope @param {string[]} texts */
export function writeWaiting(store, scope, texts) {
  const key = waitingKey(scope);
  attempt(() => (texts.length ? store.setItem(key, JSON.stringify(texts)) : store.removeItem(key)));
}

/** @param {Store} store @param {Scope} from @param {Scope} to  a new conversation has got its id */
export function moveWaiting(store, from, to) {
  const texts = readWaiting(store, from);
  if (texts.length === 0 || waitingKey(from) === waitingKey(to)) return;
  writeWaiting(store, from, []);
  writeWaiting(store, to, texts);
}

/** @typedef {{payload_id: string, client_turn_id: string, intention: string}} NextStep */

/**
 * @param {any} answer  to an apply that something follows @param {Pick<Storage, "setItem">} store  of this tab
 */
export function announceNext(answer, store) {
  const next = { payload_id: answer.id, ...answer.next };
  // A new table has a page of its own: the chat there takes it up.
  if (answer.moved_to) store.setItem(NEXT, JSON.stringify({ ...next, object_id: String(answer.moved_to) }));
  else document.dispatchEvent(new CustomEvent("go-on", { detail: next }));
}

/** @param {Conversation} conversation  the one that is open, from now on */
export function goOnWith(conversation) {
  document.addEventListener("go-on", (event) => report(conversation, /** @type {CustomEvent} */ (event).detail));
}

/**
 * What the page before this one left to be done here.
 * @param {Conversation} conversation  open @param {string} objectId
 * @param {Pick<Storage, "getItem" | "removeItem">} store  of this tab
 */
export function takeUpNext(conversation, objectId, store) {
  const left = store.getItem(NEXT);
  store.removeItem(NEXT);
  const next = left ? JSON.parse(left) : null;
  if (next?.object_id === objectId) report(conversation, next);
}

/** @param {Conversation} conversation @param {NextStep} next */
function report(conversation, { payload_id, client_turn_id, intention }) {
  // Who has gone over to another conversation meanwhile is not called back.
  if (!conversation.turns.some((turn) => turn.payload?.id === payload_id)) return;
  conversation.report({ action: "next", data: { payload_id } }, { key: client_turn_id, words: intention });
}

export class Followed {
  /** The person wants it stopped, and the server has not said its id yet. */
  stop = false;
  #dropped = false;
  /** @type {{leave: () => void} | null} */
  #handle = null;

  /**
   * @param {{key: string, body: any, instead: boolean, turnId: string, server: Server}} turn
   *   body: what it is begun with, null for one that is taken up; instead: whether it stands in the place of others;
   *   turnId: "" until the server has said it
   */
  constructor({ key, body, instead, turnId, server }) {
    Object.assign(this, { key, body, instead, turnId, server });
  }

  /**
   * @param {number} after  the last event that is known
   * @param {{onEvent: (numbered: any) => void, onConnection: (state: "open" | "broken", seconds: number, reason?: string) => void,
   *   onFinal: () => void, onRefused: (error: unknown) => void}} listener  hears nothing any more once it is dropped
   */
  follow(after, { onEvent, onConnection, onFinal, onRefused }) {
    const listener = {
      onEvent: (numbered) => this.#take(numbered, onEvent),
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
  #take(numbered, onEvent) {
    const isNew = this.turnId === "";
    this.turnId ||= numbered.event.turn_id ?? "";
    if (isNew && this.turnId && this.stop) this.server.cancel(this.turnId);
    if (!this.#dropped) onEvent(numbered);
    else if (this.turnId) this.leave();
  }

  /** Lets go of the stream; the turn itself goes on. */
  leave() {
    this.#handle?.leave();
  }

  /** Nobody looks at it any more. A message that may not have arrived yet goes out all the same. */
  drop() {
    this.#dropped = true;
    if (this.turnId) this.leave();
  }
}
