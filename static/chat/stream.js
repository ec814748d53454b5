// How one turn is followed: events out of the bytes of a stream, over as many connections as it takes, and the doors that give
// those. Fetched with the first turn.

import { ApiError, csrfToken } from "../api.js";
import { isFinal } from "./state.js";

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

const WAITS = [0.5, 1, 2, 4, 8, 15]; // seconds before the next try; the last one repeats
const REFUSALS_BORNE = 5;
const SILENCE = 40; // seconds; the server sends at least a comment every 15

/**
 * @typedef {object} Server
 * @property {(at: {turnId: string, after: number}, signal: AbortSignal) => Promise<Response>} open
 *   starts the turn while turnId is "", takes up its stream after that
 * @property {(seconds: number, signal: AbortSignal) => Promise<void>} pause
 *
 * @typedef {object} Listener
 * @property {(numbered: {seq: number, event: Record<string, any>}) => void} onEvent
 * @property {(state: "open" | "broken", seconds: number, reason?: string) => void} [onConnection]  reason: why the server refused it
 */

/**
 * @param {Server & Listener & {turnId?: string, after?: number, silence?: number}} options
 *   silence: seconds without a byte after which a connection counts as broken
 * @returns {{done: Promise<"final" | "left">, leave: () => void}} done rejects with ApiError when the server refuses
 */
export function followTurn({ open, pause, onEvent, onConnection = () => {}, turnId = "", after = 0, silence = SILENCE }) {
  const leaving = new AbortController();
  const at = { turnId, after };
  const note = (numbered) => {
    at.after = Math.max(at.after, numbered.seq);
    at.turnId ||= numbered.event.turn_id ?? "";
    onEvent(numbered);
    return isFinal(numbered.event);
  };
  const done = (async () => {
    for (let failures = 0; ; failures += 1) {
      let least = 0;
      let reason = "";
      const before = at.after;
      try {
        const response = await open({ ...at }, leaving.signal);
        if (!response.ok) throw await refusal(response);
        onConnection("open", 0);
        if (await drain(response, { note, silence })) return "final";
      } catch (error) {
        if (leaving.signal.aborted) return "left";
        if (error instanceof ApiError) {
          if (!passing(error, at.turnId) || failures >= REFUSALS_BORNE) throw error;
          least = error.body.retry_after ?? 0;
          if (error.status === 429) reason = error.message;
        }
      }
      if (at.after > before) failures = 0;
      const wait = Math.max(least, WAITS[Math.min(failures, WAITS.length - 1)]);
      if (leaving.signal.aborted) return "left";
      onConnection("broken", wait, reason);
      await pause(wait, leaving.signal);
      if (leaving.signal.aborted) return "left";
    }
  })();
  return { done, leave: () => leaving.abort() };
}

/**
 * @param {Response} response @param {{note: (numbered: any) => boolean, silence: number}} options
 * @returns {Promise<boolean>} whether the end came
 */
async function drain(response, { note, silence }) {
  const parser = new SseParser();
  const reader = response.body.getReader();
  const close = () => reader.cancel().catch(() => {}); // a connection that is gone already has nothing to cancel
  let watch;
  try {
    for (;;) {
      watch = setTimeout(close, silence * 1000);
      const { done, value } = await reader.read();
      clearTimeout(watch);
      if (done) return false;
      for (const message of parser.feed(value)) {
        const numbered = readEvent(message);
        if (numbered && note(numbered)) return true;
      }
    }
  } finally {
    clearTimeout(watch);
    close();
  }
}

/** A gateway in between, or too many open streams: worth another try once the turn exists. */
function passing(error, turnId) {
  return [502, 503, 504].includes(error.status) || (error.status === 429 && turnId !== "");
}

/** @param {Response} response @returns {Promise<ApiError>} */
async function refusal(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // Not ours: a proxy's page. The status says enough.
  }
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  if (Number.isFinite(seconds)) body = { ...body, retry_after: seconds };
  return new ApiError(response.status, body);
}

/**
 * @typedef {object} StreamMessage
 * @property {string} id    the last `id:` seen, "" before the first
 * @property {string} data  the `data:` lines joined with a newline
 */

export class SseParser {
  #decoder = new TextDecoder();
  #rest = "";
  #id = "";
  /** @type {string[]} */
  #data = [];

  /**
   * @param {Uint8Array} bytes  the next piece, of any size
   * @returns {StreamMessage[]} the messages that it completes
   */
  feed(bytes) {
    return this.feedText(this.#decoder.decode(bytes, { stream: true }));
  }

  /** @param {string} text @returns {StreamMessage[]} */
  feedText(text) {
    const messages = [];
    const all = this.#rest + text;
    let start = 0;
    for (;;) {
      const end = nextLineEnd(all, start);
      if (end === null) break;
      const message = this.#line(all.slice(start, end.at));
      if (message) messages.push(message);
      start = end.next;
    }
    this.#rest = all.slice(start);
    return messages;
  }

  /** @param {string} line @returns {StreamMessage | null} the message that an empty line completes */
  #line(line) {
    if (line === "") {
      if (this.#data.length === 0) return null;
      const message = { id: this.#id, data: this.#data.join("\n") };
      this.#data = [];
      return message;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment: the heartbeat
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return null;
  }
}

/**
 * @param {string} text @param {number} from
 * @returns {{at: number, next: number} | null} null too for a CR at the very end: an LF may still follow it
 */
function nextLineEnd(text, from) {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) return { at, next: at + 1 };
    if (code !== 13) continue;
    if (at + 1 === text.length) return null;
    return { at, next: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
  }
  return null;
}

/**
 * @param {StreamMessage} message
 * @returns {{seq: number, event: Record<string, any>} | null} null for what is not one of our events
 */
export function readEvent(message) {
  try {
    const event = JSON.parse(message.data);
    if (event === null || typeof event !== "object" || typeof event.type !== "string") return null;
    return { seq: Number.parseInt(message.id, 10) || 0, event };
  } catch {
    return null;
  }
}
