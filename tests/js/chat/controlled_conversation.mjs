// A conversation whose server is controlled by the test.

import { ApiError } from "../../../static/api.js";
import "../../../static/chat/turn_refusal.js";
import { Conversation } from "../../../static/chat/conversation.js";
import { settled } from "../held_requests.mjs";

export const SCOPE = { page: "table_view", objectId: "5", conversationId: "" };
const context = () => ({ current_page: "table_view" });

/** Create a conversation whose streams the test controls: `streams[n].send(event)`, `.end()`, `.refuse(status, body)`. */
export function openConversation({ stored = { messages: [], running_turn_id: null } } = {}) {
  const items = new Map();
  const store = { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value), removeItem: (key) => items.delete(key) };
  const streams = [];
  const calls = { events: [], named: [], signedOut: [], cancelled: [], fetched: [], superseded: [] };
  const stream = (what, listener) => {
    let seq = what.after ?? 0;
    const opened = { what, left: false };
    const done = new Promise((resolve, reject) => {
      opened.send = (event) => listener.onEvent({ seq: ++seq, event });
      opened.end = () => { resolve("final"); return settled(); };
      opened.refuse = (status, body = {}) => { reject(new ApiError(status, body)); return settled(); };
      opened.disconnect = () => { opened.left = true; resolve("left"); };
      opened.goOn = () => listener.onConnection("open", 0);
      opened.breakOff = (seconds, reason) => listener.onConnection("broken", seconds, reason);
    });
    streams.push(opened);
    return { done, disconnect: opened.disconnect };
  };
  let ids = 0;
  const conversation = new Conversation({
    scope: SCOPE, store, context, newId: () => `id-${++ids}`,
    server: {
      start: stream, attach: stream,
      cancel: async (id) => void calls.cancelled.push(id),
      messages: async (id) => { calls.fetched.push(id); return stored; },
    },
    onChange() {}, onEvent: (_, event) => calls.events.push(event.type),
    onSuperseded: (payload) => calls.superseded.push(payload.id),
    onNamed: (scope) => calls.named.push(scope.conversationId), onSignedOut: (text) => calls.signedOut.push(text),
  });
  return { conversation, streams, calls, store };
}
export const STARTED = { type: "status", message: "Thinking", turn_id: "t1", conversation_id: "c1" };
export const COMPLETE = { type: "complete", payload: { message: "Done", conversation_id: "c1", turn_id: "t1", message_id: "m1" } };
