// Ties a conversation to what its other tabs do: the socket of this page, the API, and whether anybody sees this tab.

import { api, ownChanges } from "../api.js";
import { LiveSocket } from "../live_socket.js";
import { Elsewhere } from "./elsewhere.js";
import { tell } from "./registry.js";

/** @param {number} ms @param {() => void} run @returns {() => void} how to call it off */
function later(ms, run) {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/**
 * @param {Conversation} conversation
 * @param {{
 *   untouched: () => boolean, begun: () => Promise<any>, latest: () => Promise<string>, onOthers: (id: string) => void,
 *   onTitle: (title: string) => void, onGone: () => void, onSignedOut: () => void,
 * }} tray
 */
export function joinTabs(conversation, { onSignedOut, ...tray }) {
  const socket = new LiveSocket({
    open: () => new WebSocket(`${location.origin.replace("http", "ws")}/ws/chat/`),
    later,
    onMessage: (message) => elsewhere.hear(message),
    onRefused: onSignedOut,
  });
  const elsewhere = new Elsewhere({
    conversation, socket, later, ...tray,
    quiet: () => ownChanges.quiet(),
    payload: (id) => api.get(`/api/chat/payloads/${id}/`),
    details: (id) => api.get(`/api/chat/conversations/${id}/`),
    onSettled: (settled) => {
      tell("payload-settled", { ...settled, elsewhere: true });
      if (settled.outcome?.table) tell("table-changed", { table_id: settled.outcome.table.id });
    },
  });
  document.addEventListener("visibilitychange", () => elsewhere.seen(!document.hidden));
  addEventListener("pagehide", () => socket.stop());
  addEventListener("pageshow", () => !document.hidden && socket.start());
  if (!document.hidden) socket.start();
}
