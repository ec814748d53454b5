// What happens to this conversation in other tabs shows here; a tab nobody sees gives its connections back, and catches
// up when it is seen again: with what was said, settled and taken back meanwhile.

import { LiveSocket, api, ownChanges } from "../api.js";
import { tell } from "./registry.js";
import { turnsFromMessages, wasLost } from "./stored_turns.js";

const GRACE_MS = 3000; // a glance at another tab keeps the connections
const ENDING_MS = 500;
const HEARS_MS = 500; // what is read after the socket hears need not be read again; longer than this nobody waits for it

/**
 * @typedef {object} Means
 * @property {Conversation} conversation
 * @property {{start: () => void, stop: () => void}} socket  that of `/ws/chat/`; what it says is given to `hear`
 * @property {() => Promise<void>} quiet     when nothing that this tab has asked for is still on its way
 * @property {() => boolean} untouched       no conversation is open, and nothing has been typed
 * @property {() => boolean} asked          whether the server has been asked for a conversation's messages yet
 * @property {() => Promise<any>} begun     when the latest conversation was looked for, as this tab was opened
 * @property {() => Promise<string>} latest  the id of the latest conversation of this page
 * @property {(id: string) => Promise<any>} payload
 * @property {(id: string) => Promise<any>} details  of a conversation; rejects with 404 when it is gone
 * @property {(ms: number, run: () => void) => () => void} later  runs something after a while; how to call that off
 *
 * @typedef {object} Listener
 * @property {(settled: {id: string, status: string, outcome: any}) => void} onSettled
 * @property {(review: {payload_id?: string, revision?: string}) => void} onReview  what is decided about a proposal; empty where news of it may have been missed
 * @property {(conversationId: string) => void} onOthers  its turns are others now: to be read anew
 * @property {(title: string) => void} onTitle
 * @property {() => void} onGone
 */

export class Elsewhere {
  #callOff = () => {};
  #away = false;
  /** @type {Promise<void> | null} */
  #catching = null;
  #again = false;
  /** The conversation that was open last; whoever has left it for a new one is not taken back to it. */
  #known = "";
  #hears = () => {};

  /** @param {Means & Listener} means */
  constructor(means) {
    this.means = means;
    /** When the socket has heard its first word. @type {Promise<void>} */
    this.listening = new Promise((resolve) => { this.#hears = resolve; });
  }

  /** @param {boolean} visible  whether somebody can see this tab now */
  seen(visible) {
    const { conversation, socket, later } = this.means;
    this.#callOff();
    if (!visible) {
      this.#callOff = later(GRACE_MS, () => {
        this.#away = true;
        conversation.leave();
        socket.stop();
      });
      return;
    }
    if (this.#away) conversation.resume();
    this.#away = false;
    socket.start();
    this.catchUp();
  }

  /** @param {any} message  of the socket @returns {Promise<void>} when everything it is about has been read */
  async hear(message) {
    this.#known = this.means.conversation.scope.conversationId || this.#known;
    if (message.type === "here") return this.#here(message);
    // The news of what this tab does may be here before the answer to its request.
    await this.means.quiet();
    switch (message.type) {
      case "turn_started": return this.#started(message);
      case "turn_ended": return this.#ended(message);
      case "payload_status": return this.#settled(message.payload_id);
      case "review_changed": return this.means.onReview(message);
      case "conversation_changed": return this.#changed(message.conversation_id);
    }
  }

  /** The socket hears from now on, be it the first time or once more, and tells what began before on this page. @param {{latest: string}} message */
  async #here({ latest: id }) {
    const { begun, conversation, untouched, onOthers, asked } = this.means;
    const missed = asked();
    // What is left for a new conversation while this is read is not come back to.
    const wasUntouched = untouched();
    this.#hears();
    await begun();
    this.#known = conversation.scope.conversationId || this.#known;
    if (missed) await this.catchUp();
    if (id && id !== this.#known && wasUntouched && untouched()) onOthers(id);
  }

  /** Reads what was missed. One reading at a time; what is asked for meanwhile is read after it. @returns {Promise<void>} */
  catchUp() {
    if (this.#catching) {
      this.#again = true;
      return this.#catching;
    }
    const { conversation, onSettled, onOthers, onReview } = this.means;
    const read = async () => {
      do {
        this.#again = false;
        await catchUp(conversation, { onSettled, onOthers });
      } while (this.#again);
      onReview({});
    };
    this.#catching = read().finally(() => { this.#catching = null; });
    return this.#catching;
  }

  /** @param {{turn_id: string, conversation_id: string}} message */
  async #started({ turn_id: turnId, conversation_id: conversationId }) {
    const { conversation, untouched, latest, onOthers } = this.means;
    if (conversation.running) {
      this.#afterOurs(turnId, conversationId);
    } else if (conversation.scope.conversationId === conversationId) {
      if (!conversation.turns.some((turn) => turn.turnId === turnId)) onOthers(conversationId);
    } else if (conversationId !== this.#known && untouched() && (await latest().catch(() => "")) === conversationId && untouched()) {
      onOthers(conversationId);
    }
  }

  /** What begins elsewhere while a turn is still ending here is looked for once it has. @param {string} turnId @param {string} conversationId */
  #afterOurs(turnId, conversationId) {
    const { conversation, later } = this.means;
    later(ENDING_MS, () => {
      const known = conversation.turns.some((turn) => turn.turnId === turnId);
      if (known || conversation.scope.conversationId !== conversationId) return;
      if (conversation.running) this.#afterOurs(turnId, conversationId);
      else this.catchUp();
    });
  }

  /** @param {{turn_id: string, conversation_id: string}} message */
  async #ended({ turn_id: turnId, conversation_id: conversationId }) {
    const { conversation } = this.means;
    if (conversation.scope.conversationId !== conversationId) return;
    const ours = conversation.turns.find((turn) => turn.turnId === turnId);
    if (ours?.phase !== "complete") await this.catchUp();
  }

  /** @param {string} payloadId */
  async #settled(payloadId) {
    const { conversation, payload, onSettled } = this.means;
    const shown = () => conversation.turns.find((turn) => turn.payload?.id === payloadId)?.payload;
    const before = shown();
    if (!before) return;
    const now = await payload(payloadId).catch(() => null); // the next time will do
    // The person has answered it here meanwhile, or turned it back: what was read may be older.
    if (shown()?.status !== before.status) return this.#settled(payloadId);
    if (now && before.status !== now.status) onSettled({ id: payloadId, status: now.status, outcome: now.outcome });
  }

  /** @param {string} conversationId */
  async #changed(conversationId) {
    const { conversation, details, onTitle, onGone } = this.means;
    const isOpen = () => conversation.scope.conversationId === conversationId;
    if (!isOpen()) return;
    try {
      const { title } = await details(conversationId);
      if (isOpen()) onTitle(title);
    } catch (error) {
      if (/** @type {any} */ (error).status === 404 && isOpen()) onGone();
      return;
    }
    await this.catchUp();
  }
}

/** @param {number} ms @param {() => void} run @returns {() => void} how to call it off */
function later(ms, run) {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/**
 * Ties a conversation to what its other tabs do: the socket of this page, the API, and whether anybody sees this tab.
 * @param {Conversation} conversation
 * @param {{
 *   untouched: () => boolean, asked: () => boolean, begun: () => Promise<any>, latest: () => Promise<string>, onOthers: (id: string) => void,
 *   onTitle: (title: string) => void, onGone: () => void, onSignedOut: () => void,
 * }} tray
 * @returns {Promise<void>} when the page hears of everything, or has waited long enough for that
 */
export function joinTabs(conversation, { onSignedOut, ...tray }) {
  const { page, objectId } = conversation.scope;
  const about = new URLSearchParams({ page, object_id: objectId });
  const socket = new LiveSocket({
    open: () => new WebSocket(`${location.origin.replace("http", "ws")}/ws/chat/?${about}`),
    later,
    onMessage: (message) => elsewhere.hear(message),
    onRefused: onSignedOut,
  });
  const elsewhere = new Elsewhere({
    conversation, socket, later, ...tray,
    quiet: () => ownChanges.quiet(),
    payload: (id) => api.get(`/api/chat/payloads/${id}/`),
    details: (id) => api.get(`/api/chat/conversations/${id}/`),
    onReview: (review) => tell("review-changed", review),
    onSettled: (settled) => {
      tell("payload-settled", { ...settled, elsewhere: true });
      if (settled.outcome?.table) tell("table-changed", { table_id: settled.outcome.table.id });
    },
  });
  document.addEventListener("visibilitychange", () => elsewhere.seen(!document.hidden));
  addEventListener("pagehide", () => socket.stop());
  addEventListener("pageshow", () => !document.hidden && socket.start());
  if (!document.hidden) socket.start();
  return Promise.race([elsewhere.listening, new Promise((resolve) => later(HEARS_MS, () => resolve(undefined)))]);
}

/** @typedef {{id: string, status: string, outcome: any}} Settled */

/**
 * @param {TurnView[]} ours @param {TurnView[]} theirs  as this page has them, and as the server has them now
 * @param {boolean} [more]  whether theirs are the last of more
 * @returns {Settled[] | null} the proposals settled meanwhile; null when the turns themselves are others
 */
export function settledMeanwhile(ours, theirs, more = false) {
  const all = ours.filter((turn) => turn.turnId || turn.askedId || turn.messageId); // not those that never went out
  const sent = more ? all.slice(-theirs.length) : all;
  if (sent.length !== theirs.length || sent.some((turn, at) => isOther(turn, theirs[at]))) return null;
  return theirs.flatMap(({ payload }, at) => {
    const before = sent[at].payload;
    const same = !payload || !before || payload.id !== before.id || payload.status === before.status;
    return same ? [] : [{ id: payload.id, status: payload.status, outcome: payload.outcome }];
  });
}

/** Another turn, one whose answer is there after all, or whose tools have done more than was seen here. @param {TurnView} ours @param {TurnView} theirs */
function isOther(ours, theirs) {
  const done = (/** @type {TurnView} */ turn) => turn.tools.filter((tool) => tool.index !== null).length;
  if (ours.turnId !== theirs.turnId || wasLost(ours) !== wasLost(theirs)) return true;
  return theirs.phase !== "running" && done(ours) !== done(theirs);
}

/** Takes over what the person thinks of the answers. @param {Conversation} conversation @param {TurnView[]} theirs */
function rate(conversation, theirs) {
  for (const { messageId, feedback } of theirs) {
    const ours = conversation.turns.find((turn) => turn.messageId === messageId);
    const same = ours?.feedback?.rating === feedback?.rating && ours?.feedback?.reason === feedback?.reason;
    if (messageId && ours && !same) conversation.rate(messageId, feedback);
  }
}

/**
 * @param {Conversation} conversation
 * @param {{onSettled: (settled: Settled) => void, onOthers: (conversationId: string) => void}} listener
 */
export async function catchUp(conversation, { onSettled, onOthers }) {
  const { turns, scope: { conversationId } } = conversation;
  if (!conversationId || conversation.running) return;
  const answer = await conversation.server.messages(conversationId, "", conversation.aside.last).catch(() => null); // the next time will do
  if (!answer || conversation.running || conversation.scope.conversationId !== conversationId) return;
  // Something has been done here while the answer was on its way, which it may know nothing of: another branch is looked
  // at, a proposal was applied, an answer rated.
  if (conversation.turns !== turns) return catchUp(conversation, { onSettled, onOthers });
  const theirs = turnsFromMessages(answer.messages, answer.running_turn_id, conversationId);
  const settled = settledMeanwhile(turns, theirs, Boolean(answer.earlier));
  if (settled === null || answer.running_turn_id) onOthers(conversationId);
  else settled.forEach(onSettled);
  if (settled === null) return;
  rate(conversation, theirs);
  learnUndone(conversation, theirs);
}

/**
 * Says on the card of a change how it stands now.
 * @param {Conversation} conversation @param {number} changeId @param {boolean} undone
 */
export function markUndone(conversation, changeId, undone) {
  const isIt = (/** @type {ToolView} */ { undo }) => undo?.change_id === changeId && (undo.undone === true) !== undone;
  const mark = (/** @type {ToolView} */ tool) => (isIt(tool) ? { ...tool, undo: { ...tool.undo, undone } } : tool);
  if (!conversation.turns.some(({ tools }) => tools.some(isIt))) return;
  conversation.turns = conversation.turns.map((turn) => (turn.tools.some(isIt) ? { ...turn, tools: turn.tools.map(mark) } : turn));
  conversation.onChange();
}

/** Takes over how changes stand in the record. @param {Conversation} conversation @param {TurnView[]} theirs */
function learnUndone(conversation, theirs) {
  for (const { undo } of theirs.flatMap(({ tools }) => tools)) {
    if (undo?.change_id !== undefined) markUndone(conversation, undo.change_id, undo.undone === true);
  }
}
