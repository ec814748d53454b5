// A turn as it is followed over the wire: started, taken up again.

import { csrfToken } from "../api.js";
import { followTurn } from "./follow.js";

/**
 * The listener brings the pause between two tries.
 * @param {Record<string, any>} body  of POST /api/chat/stream/, with its client_turn_id: sent again, it attaches
 * @param {Listener} listener
 */
export function startTurn(body, listener) {
  return followBegun((signal) => post(body, signal), listener);
}

/** @param {(signal: AbortSignal) => Promise<Response>} begin  starts the turn, or attaches to it @param {Listener} listener */
export function followBegun(begin, listener) {
  return followTurn({ ...listener, open: (at, signal) => (at.turnId ? tail(at, signal) : begin(signal)) });
}

/** @param {{turnId: string, after: number}} at @param {Listener} listener */
export function attachTurn(at, listener) {
  return followTurn({ ...listener, ...at, open: tail });
}

/** @param {Record<string, any>} body @param {AbortSignal} signal */
function post(body, signal) {
  return fetch("/api/chat/stream/", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(body),
    credentials: "same-origin",
    signal,
  });
}

/** @param {{turnId: string, after: number}} at @param {AbortSignal} signal */
function tail({ turnId, after }, signal) {
  return fetch(`/api/chat/turns/${turnId}/stream/?after=${after}`, {
    headers: { Accept: "text/event-stream" },
    credentials: "same-origin",
    cache: "no-store",
    signal,
  });
}
