// Follows one turn to its final event, over as many connections as it takes. Knows no page: the door and the
// clock are given in.

import { ApiError } from "../api.js";
import { SseParser, readEvent } from "./sse.js";
import { isFinal } from "./state.js";

const WAITS = [0.5, 1, 2, 4, 8, 15]; // seconds before the next try; the last one repeats
const REFUSALS_BORNE = 5;
const SILENCE = 40; // seconds; the server sends at least a comment every 15

/**
 * @typedef {object} Door
 * @property {(at: {turnId: string, after: number}, signal: AbortSignal) => Promise<Response>} open
 *   starts the turn while turnId is "", takes up its stream after that
 * @property {(seconds: number, signal: AbortSignal) => Promise<void>} pause
 *
 * @typedef {object} Listener
 * @property {(numbered: {seq: number, event: Record<string, any>}) => void} onEvent
 * @property {(state: "open" | "broken", seconds: number) => void} [onConnection]
 */

/**
 * @param {Door & Listener & {turnId?: string, after?: number, silence?: number}} options
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
        }
      }
      if (at.after > before) failures = 0;
      const wait = Math.max(least, WAITS[Math.min(failures, WAITS.length - 1)]);
      if (leaving.signal.aborted) return "left";
      onConnection("broken", wait);
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
