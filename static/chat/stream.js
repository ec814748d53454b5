// The door to the server's turns: start, take up again, cancel; and the wait between two tries.

import { api, csrfToken } from "../api.js";
import { followTurn } from "./follow.js";

/**
 * @typedef {object} Door
 * @property {(body: any, listener: any) => {done: Promise<string>, leave: () => void}} start
 * @property {(at: any, listener: any) => {done: Promise<string>, leave: () => void}} attach
 * @property {(turnId: string) => Promise<any>} cancel
 * @property {(conversationId: string, before?: string) => Promise<any>} messages
 */

/**
 * @param {Record<string, any>} body  of POST /api/chat/stream/, with its client_turn_id: sent again, it attaches
 * @param {Listener} listener
 */
export function startTurn(body, listener) {
  return followBegun((signal) => post(body, signal), listener);
}

/** @param {(signal: AbortSignal) => Promise<Response>} begin  starts the turn, or attaches to it @param {Listener} listener */
export function followBegun(begin, listener) {
  return followTurn({ ...listener, pause, open: (at, signal) => (at.turnId ? tail(at, signal) : begin(signal)) });
}

/** @param {{turnId: string, after: number}} at @param {Listener} listener */
export function attachTurn(at, listener) {
  return followTurn({ ...listener, ...at, pause, open: tail });
}

/** @param {string} turnId */
export async function cancelTurn(turnId) {
  try {
    await api.post(`/api/chat/turns/${turnId}/cancel/`);
  } catch {
    // It may have ended by itself; if not, the stream goes on and the person sees it and can stop again.
  }
}

/** Ends a wait between two tries early. */
export function retryNow() {
  window.dispatchEvent(new Event("chat-retry-now"));
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

/** Until the time is over, the network is back, the person says now, or nobody waits any more. */
function pause(seconds, signal) {
  return new Promise((resolve) => {
    const ends = new AbortController();
    const end = () => {
      clearTimeout(timer);
      ends.abort();
      resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    window.addEventListener("online", end, { signal: ends.signal });
    window.addEventListener("chat-retry-now", end, { signal: ends.signal });
    signal.addEventListener("abort", end, { signal: ends.signal });
  });
}

/** A client_turn_id. randomUUID is only there on secure origins; a server in one's own network often is none. @returns {string} */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  return [4, 2, 2, 2, 6].map((length) => hex.splice(0, length).join("")).join("-");
}
