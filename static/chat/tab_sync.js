// Synchronizes the conversation with other tabs through a WebSocket. A hidden tab closes its connections, and catches up with
// new messages, settled proposals and undone changes when it is visible again.

import { LiveSocket, api, ownChanges } from "../api.js";
import { load } from "../element.js";
import { changeKey, dispatch } from "./registry.js";
import { turnsFromMessages, isUnanswered } from "./stored_turns.js";

// keep the connections during short tab switches
const GRACE_MS = 3000;
const ENDING_MS = 500;
// maximum wait for the socket, since messages that are read after it has connected need not be read again
const MAX_CONNECT_MS = 500;

/**
 * @typedef {object} TabSyncOptions
 * @property {Conversation} conversation
 * @property {{start: () => void, stop: () => void}} socket  the socket of `/ws/chat/`; its messages are passed to `receive`
 * @property {() => Promise<void>} idle     resolves when this tab has no request in flight
 * @property {() => boolean} untouched       whether no conversation is open and no text was typed
 * @property {() => boolean} hasRequested          whether messages of a conversation were requested yet
 * @property {() => Promise<any>} initialLoad     resolves when the latest conversation was loaded on start
 * @property {() => Promise<string>} latest  the id of the latest conversation of this page
 * @property {(id: string) => Promise<any>} payload
 * @property {(id: string) => Promise<any>} details  of a conversation; rejects with 404 if it was deleted
 * @property {(ms: number, run: () => void) => () => void} later  setTimeout that returns a cancel function
 *
 * @typedef {object} Listener
 * @property {(settled: {id: string, status: string, outcome: any}) => void} onSettled
 * @property {(review: {payload_id?: string, revision?: string}) => void} onReview  decisions about a proposal; empty if messages may have been missed
 * @property {(conversationId: string) => void} onTurns  its turns have changed: load it again
 * @property {(title: string) => void} onTitle
 * @property {() => void} onDeleted
 */

export class TabSync {
  #cancel = () => {};
  #away = false;
  /** @type {Promise<void> | null} */
  #catchingUp = null;
  #again = false;
  /** The conversation that was open last; a user who has left it for a new one is not returned to it. */
  #lastOpenId = "";
  #markListening = () => {};

  /** @param {TabSyncOptions & Listener} options */
  constructor(options) {
    this.options = options;
    /** Resolves with the first message of the socket. @type {Promise<void>} */
    this.listening = new Promise((resolve) => { this.#markListening = resolve; });
  }

  /** @param {boolean} visible  whether this tab is visible */
  setVisible(visible) {
    const { conversation, socket, later } = this.options;
    this.#cancel();
    if (!visible) {
      this.#cancel = later(GRACE_MS, () => {
        this.#away = true;
        conversation.disconnect();
        socket.stop();
      });
      return;
    }
    if (this.#away) conversation.reconnect();
    this.#away = false;
    socket.start();
    this.catchUp();
  }

  /** @param {any} message  of the socket @returns {Promise<void>} resolves when it was handled */
  async receive(message) {
    this.#lastOpenId = this.options.conversation.scope.conversationId || this.#lastOpenId;
    if (message.type === "here") return this.#onConnected(message);
    // The message about a request of this tab may arrive before the response.
    await this.options.idle();
    switch (message.type) {
      case "turn_started": return this.#onTurnStarted(message);
      case "turn_ended": return this.#onTurnEnded(message);
      case "payload_status": return this.#onPayloadStatus(message.payload_id);
      case "review_changed": return this.options.onReview(message);
      case "notices_changed": return load(() => import("./tray_notices.js")).then(({ updateNotices }) => updateNotices(), () => {});
      case "conversation_changed": return this.#onConversationChanged(message.conversation_id);
    }
  }

  /** The socket has connected or reconnected, and sends the latest conversation. @param {{latest: string}} message */
  async #onConnected({ latest: id }) {
    const { initialLoad, conversation, untouched, onTurns, hasRequested } = this.options;
    const mayHaveMissed = hasRequested();
    // A new conversation that the user starts meanwhile is left open.
    const wasUntouched = untouched();
    this.#markListening();
    await initialLoad();
    this.#lastOpenId = conversation.scope.conversationId || this.#lastOpenId;
    if (mayHaveMissed) await this.catchUp();
    if (id && id !== this.#lastOpenId && wasUntouched && untouched()) onTurns(id);
  }

  /** Load what was missed. Only one load at a time; a call during a load causes another one. @returns {Promise<void>} */
  catchUp() {
    if (this.#catchingUp) {
      this.#again = true;
      return this.#catchingUp;
    }
    const { conversation, onSettled, onTurns, onReview } = this.options;
    const read = async () => {
      do {
        this.#again = false;
        await catchUp(conversation, { onSettled, onTurns });
      } while (this.#again);
      onReview({});
    };
    this.#catchingUp = read().finally(() => { this.#catchingUp = null; });
    return this.#catchingUp;
  }

  /** @param {{turn_id: string, conversation_id: string}} message */
  async #onTurnStarted({ turn_id: turnId, conversation_id: conversationId }) {
    const { conversation, untouched, latest, onTurns } = this.options;
    if (conversation.running) {
      this.#checkAfterRunningTurn(turnId, conversationId);
    } else if (conversation.scope.conversationId === conversationId) {
      if (!conversation.turns.some((turn) => turn.turnId === turnId)) onTurns(conversationId);
    } else if (conversationId !== this.#lastOpenId && untouched() && (await latest().catch(() => "")) === conversationId && untouched()) {
      onTurns(conversationId);
    }
  }

  /** Turns started in other tabs are loaded after the running turn of this tab. @param {string} turnId @param {string} conversationId */
  #checkAfterRunningTurn(turnId, conversationId) {
    const { conversation, later } = this.options;
    later(ENDING_MS, () => {
      const known = conversation.turns.some((turn) => turn.turnId === turnId);
      if (known || conversation.scope.conversationId !== conversationId) return;
      if (conversation.running) this.#checkAfterRunningTurn(turnId, conversationId);
      else this.catchUp();
    });
  }

  /** @param {{turn_id: string, conversation_id: string}} message */
  async #onTurnEnded({ turn_id: turnId, conversation_id: conversationId }) {
    const { conversation } = this.options;
    if (conversation.scope.conversationId !== conversationId) return;
    const localTurn = conversation.turns.find((turn) => turn.turnId === turnId);
    if (localTurn?.phase !== "complete") await this.catchUp();
  }

  /** @param {string} payloadId */
  async #onPayloadStatus(payloadId) {
    const { conversation, payload, onSettled } = this.options;
    const shown = () => conversation.turns.find((turn) => turn.payload?.id === payloadId)?.payload;
    const before = shown();
    if (!before) return;
    // the next message will update it
    const now = await payload(payloadId).catch(() => null);
    // The status was changed in this tab meanwhile, so that the response may be outdated.
    if (shown()?.status !== before.status) return this.#onPayloadStatus(payloadId);
    if (now && before.status !== now.status) onSettled({ id: payloadId, status: now.status, outcome: now.outcome });
  }

  /** @param {string} conversationId */
  async #onConversationChanged(conversationId) {
    const { conversation, details, onTitle, onDeleted } = this.options;
    const isOpen = () => conversation.scope.conversationId === conversationId;
    if (!isOpen()) return;
    try {
      const { title } = await details(conversationId);
      if (isOpen()) onTitle(title);
    } catch (error) {
      if (/** @type {any} */ (error).status === 404 && isOpen()) onDeleted();
      return;
    }
    await this.catchUp();
  }
}

/** @param {number} ms @param {() => void} run @returns {() => void} cancel function */
function later(ms, run) {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/**
 * Connect a conversation to its other tabs: the socket, the API, the visibility of this tab.
 * @param {Conversation} conversation
 * @param {{
 *   untouched: () => boolean, hasRequested: () => boolean, initialLoad: () => Promise<any>, latest: () => Promise<string>,
 *   onTurns: (id: string) => void,
 *   onTitle: (title: string) => void, onDeleted: () => void, onSignedOut: () => void,
 * }} tray
 * @returns {Promise<void>} resolves when the socket is connected, or after a timeout
 */
export function connectTabSync(conversation, { onSignedOut, ...tray }) {
  const { page, objectId } = conversation.scope;
  const params = new URLSearchParams({ page, object_id: objectId });
  const socket = new LiveSocket({
    open: () => new WebSocket(`${location.origin.replace("http", "ws")}/ws/chat/?${params}`),
    later,
    onMessage: (message) => tabSync.receive(message),
    onRefused: onSignedOut,
  });
  const tabSync = new TabSync({
    conversation, socket, later, ...tray,
    idle: () => ownChanges.idle(),
    payload: (id) => api.get(`/api/chat/payloads/${id}/`),
    details: (id) => api.get(`/api/chat/conversations/${id}/`),
    onReview: (review) => dispatch("review-changed", review),
    onSettled: (settled) => dispatch("payload-settled", { ...settled, fromOtherTab: true }),
  });
  document.addEventListener("visibilitychange", () => tabSync.setVisible(!document.hidden));
  addEventListener("pagehide", () => socket.stop());
  addEventListener("pageshow", () => !document.hidden && socket.start());
  if (!document.hidden) socket.start();
  return Promise.race([tabSync.listening, new Promise((resolve) => later(MAX_CONNECT_MS, () => resolve(undefined)))]);
}

/** @typedef {{id: string, status: string, outcome: any}} Settled */

/**
 * @param {TurnView[]} local @param {TurnView[]} stored  turns of this page and of the server
 * @param {boolean} [more]  whether the server has earlier turns
 * @returns {Settled[] | null} proposals settled meanwhile; null if the turns differ
 */
export function settledSince(local, stored, more = false) {
  // without turns that were never sent
  const all = local.filter((turn) => turn.turnId || turn.questionId || turn.messageId);
  const sent = more ? all.slice(-stored.length) : all;
  if (sent.length !== stored.length || sent.some((turn, at) => differs(turn, stored[at]))) return null;
  return stored.flatMap(({ payload }, at) => {
    const before = sent[at].payload;
    const same = !payload || !before || payload.id !== before.id || payload.status === before.status;
    return same ? [] : [{ id: payload.id, status: payload.status, outcome: payload.outcome }];
  });
}

/**
 * Whether it is another turn, or the server has an answer or tool results that are missing here.
 * @param {TurnView} local @param {TurnView} stored
 */
function differs(local, stored) {
  const finishedTools = (/** @type {TurnView} */ turn) => turn.tools.filter((tool) => tool.index !== null).length;
  if (local.turnId !== stored.turnId || isUnanswered(local) !== isUnanswered(stored)) return true;
  return stored.phase !== "running" && finishedTools(local) !== finishedTools(stored);
}

/** Update the ratings. @param {Conversation} conversation @param {TurnView[]} stored */
function updateRatings(conversation, stored) {
  for (const { messageId, feedback } of stored) {
    const local = conversation.turns.find((turn) => turn.messageId === messageId);
    const same = local?.feedback?.rating === feedback?.rating && local?.feedback?.reason === feedback?.reason;
    if (messageId && local && !same) conversation.rate(messageId, feedback);
  }
}

/**
 * @param {Conversation} conversation
 * @param {{onSettled: (settled: Settled) => void, onTurns: (conversationId: string) => void}} listener
 */
export async function catchUp(conversation, { onSettled, onTurns }) {
  const { turns, scope: { conversationId } } = conversation;
  if (!conversationId || conversation.running) return;
  // the next call will update it
  const answer = await conversation.server.messages(conversationId, "", conversation.branch.last).catch(() => null);
  if (!answer || conversation.running || conversation.scope.conversationId !== conversationId) return;
  // Something was done in this tab meanwhile which the response may not include: another branch is shown, a proposal was
  // applied, an answer rated.
  if (conversation.turns !== turns) return catchUp(conversation, { onSettled, onTurns });
  const stored = turnsFromMessages(answer.messages, answer.running_turn_id, conversationId);
  const settled = settledSince(turns, stored, Boolean(answer.earlier));
  if (settled === null || answer.running_turn_id) onTurns(conversationId);
  else settled.forEach(onSettled);
  if (settled === null) return;
  updateRatings(conversation, stored);
  updateUndone(conversation, stored);
}

/**
 * Update the state of a change on its tool card.
 * @param {Conversation} conversation @param {any} change  the `undo` of the tool's result @param {boolean} undone
 */
export function markUndone(conversation, change, undone) {
  const key = changeKey(change);
  const isIt = (/** @type {ToolView} */ { undo }) => undo !== null && (undo.undone === true) !== undone && changeKey(undo) === key;
  const mark = (/** @type {ToolView} */ tool) => (isIt(tool) ? { ...tool, undo: { ...tool.undo, undone } } : tool);
  if (!conversation.turns.some(({ tools }) => tools.some(isIt))) return;
  conversation.turns = conversation.turns.map((turn) => (turn.tools.some(isIt) ? { ...turn, tools: turn.tools.map(mark) } : turn));
  conversation.onChange();
}

/** Update the state of changes. @param {Conversation} conversation @param {TurnView[]} stored */
function updateUndone(conversation, stored) {
  for (const { undo } of stored.flatMap(({ tools }) => tools)) {
    if (undo) markUndone(conversation, undo, undo.undone === true);
  }
}
