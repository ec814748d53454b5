// A conversation whose server the test holds open.

import { ApiError } from "../../../static/api.js";
import "../../../static/chat/turn_refusal.js";
import { Conversation } from "../../../static/chat/conversation.js";
import { settled } from "../held.mjs";

export const SCOPE = { page: "table_view", objectId: "5", conversationId: "" };
const context = () => ({ current_page: "table_view" });

/** A conversation whose streams are the test's: `streams[n].send(event)`, `.end()`, `.refuse(status, body)`. */
export function living({ stored = { messages: [], running_turn_id: null } } = {}) {
  const kept = new Map();
  const store = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  const streams = [];
  const told = { events: [], named: [], signedOut: [], cancelled: [], fetched: [], superseded: [] };
  const stream = (what, listener) => {
    let seq = what.after ?? 0;
    const made = { what, left: false };
    const done = new Promise((resolve, reject) => {
      made.send = (event) => listener.onEvent({ seq: ++seq, event });
      made.end = () => { resolve("final"); return settled(); };
      made.refuse = (status, body = {}) => { reject(new ApiError(status, body)); return settled(); };
      made.disconnect = () => { made.left = true; resolve("left"); };
      made.goOn = () => listener.onConnection("open", 0);
      made.breakOff = (seconds, reason) => listener.onConnection("broken", seconds, reason);
    });
    streams.push(made);
    return { done, disconnect: made.disconnect };
  };
  let ids = 0;
  const conversation = new Conversation({
    scope: SCOPE, store, context, newId: () => `id-${++ids}`,
    server: {
      start: stream, attach: stream,
      cancel: async (id) => void told.cancelled.push(id),
      messages: async (id) => { told.fetched.push(id); return stored; },
    },
    onChange() {}, onEvent: (_, event) => told.events.push(event.type),
    onSuperseded: (payload) => told.superseded.push(payload.id),
    onNamed: (scope) => told.named.push(scope.conversationId), onSignedOut: (text) => told.signedOut.push(text),
  });
  return { conversation, streams, told, store };
}
export const STARTED = { type: "status", message: "Thinking", turn_id: "t1", conversation_id: "c1" };
export const COMPLETE = { type: "complete", payload: { message: "Done", conversation_id: "c1", turn_id: "t1", message_id: "m1" } };
