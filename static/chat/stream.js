// Follows a turn: parses server-sent events, reconnects after errors. Loaded with the first turn.

import { ApiError, csrfToken } from "../api.js";
import { isFinal } from "./state.js";

/**
 * Start a turn and follow it.
 * @param {Record<string, any>} body  of POST /api/chat/stream/; a repeated client_turn_id attaches to the running turn
 * @param {Listener} listener
 */
export function startTurn(body, listener) {
  return followStarted((signal) => post(body, signal), listener);
}

/** @param {(signal: AbortSignal) => Promise<Response>} begin  starts the turn or attaches to it @param {Listener} listener */
export function followStarted(begin, listener) {
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

const WAITS = [0.5, 1, 2, 4, 8, 15]; // seconds before the next attempt; the last one repeats
const MAX_REFUSALS = 5;
const SILENCE = 40; // seconds; the server sends at least a comment every 15

/**
 * @typedef {object} Server
 * @property {(at: {turnId: string, after: number}, signal: AbortSignal) => Promise<Response>} open
 *   starts the turn while turnId is "", then reopens its stream
 * @property {(seconds: number, signal: AbortSignal) => Promise<void>} pause
 *
 * @typedef {object} Listener
 * @property {(numbered: {seq: number, event: Record<string, any>}) => void} onEvent
 * @property {(state: "open" | "broken", seconds: number, reason?: string) => void} [onConnection]  reason: the server's message if it refused
 */

/**
 * @param {Server & Listener & {turnId?: string, after?: number, silence?: number}} options
 *   silence: seconds without data after which a connection counts as broken
 * @returns {{done: Promise<"final" | "left">, disconnect: () => void}} done rejects with ApiError when the server refuses
 */
export function followTurn({ open, pause, onEvent, onConnection = () => {}, turnId = "", after = 0, silence = SILENCE }) {
  const controller = new AbortController();
  const cursor = { turnId, after };
  const handle = (numbered) => {
    cursor.after = Math.max(cursor.after, numbered.seq);
    cursor.turnId ||= numbered.event.turn_id ?? "";
    onEvent(numbered);
    return isFinal(numbered.event);
  };
  const done = (async () => {
    for (let failures = 0; ; failures += 1) {
      let minWait = 0;
      let reason = "";
      const before = cursor.after;
      try {
        const response = await open({ ...cursor }, controller.signal);
        if (!response.ok) throw await refusal(response);
        onConnection("open", 0);
        if (await drain(response, { handle, silence })) return "final";
      } catch (error) {
        if (controller.signal.aborted) return "left";
        if (error instanceof ApiError) {
          if (!isTemporary(error, cursor.turnId) || failures >= MAX_REFUSALS) throw error;
          minWait = error.body.retry_after ?? 0;
          if (error.status === 429) reason = error.message;
        }
      }
      if (cursor.after > before) failures = 0;
      const wait = Math.max(minWait, WAITS[Math.min(failures, WAITS.length - 1)]);
      if (controller.signal.aborted) return "left";
      onConnection("broken", wait, reason);
      await pause(wait, controller.signal);
      if (controller.signal.aborted) return "left";
    }
  })();
  return { done, disconnect: () => controller.abort() };
}

/**
 * @param {Response} response @param {{handle: (numbered: any) => boolean, silence: number}} options
 * @returns {Promise<boolean>} whether the turn has ended
 */
async function drain(response, { handle, silence }) {
  const parser = new SseParser();
  const reader = response.body.getReader();
  const close = () => reader.cancel().catch(() => {}); // a closed connection cannot be cancelled
  let watch;
  try {
    for (;;) {
      watch = setTimeout(close, silence * 1000);
      const { done, value } = await reader.read();
      clearTimeout(watch);
      if (done) return false;
      for (const message of parser.feed(value)) {
        const numbered = readEvent(message);
        if (numbered && handle(numbered)) return true;
      }
    }
  } finally {
    clearTimeout(watch);
    close();
  }
}

/** Errors of a gateway, or too many open streams: worth a retry once the turn exists. */
function isTemporary(error, turnId) {
  return [502, 503, 504].includes(error.status) || (error.status === 429 && turnId !== "");
}

/** @param {Response} response @returns {Promise<ApiError>} */
async function refusal(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // Not from our server, but from a proxy. The status is enough.
  }
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  if (Number.isFinite(seconds)) body = { ...body, retry_after: seconds };
  return new ApiError(response.status, body);
}

/**
 * @typedef {object} StreamMessage
 * @property {string} id    the last `id:`, "" before the first
 * @property {string} data  the `data:` lines joined with a newline
 */

export class SseParser {
  #decoder = new TextDecoder();
  #rest = "";
  #id = "";
  /** @type {string[]} */
  #data = [];

  /**
   * @param {Uint8Array} bytes  the next chunk of any size
   * @returns {StreamMessage[]} messages completed by it
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

  /** @param {string} line @returns {StreamMessage | null} the message completed by an empty line */
  #line(line) {
    if (line === "") {
      if (this.#data.length === 0) return null;
      const message = { id: this.#id, data: this.#data.join("\n") };
      this.#data = [];
      return message;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment, which is the heartbeat
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
 * @returns {{at: number, next: number} | null} null also for a CR at the end, as LF may follow
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
 * @returns {{seq: number, event: Record<string, any>} | null} null for other data
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
