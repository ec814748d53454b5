// Requests of the chat to the server: what the page offers, conversations, and turns. Following a turn is loaded with the first one.

import { load } from "../element.js";
import { api } from "../api.js";
import { declarePayloadTypes, declareTools, readPageContext } from "./registry.js";

const AT_ONCE = 30;
const MOST_WORDS = 8;
const ALL = "/api/chat/conversations/";
const MOST_WAIT = 15; // seconds between two tries to fetch what follows a turn

/**
 * @typedef {object} Server
 * @property {(body: any, listener: any) => {done: Promise<string>, leave: () => void}} start
 * @property {(at: any, listener: any) => {done: Promise<string>, leave: () => void}} attach
 * @property {(turnId: string) => Promise<any>} cancel
 * @property {(conversationId: string, before?: string) => Promise<any>} messages
 */

/** @typedef {{id: string, title: string, updated_at: string, deleted_at: string | null}} Entry */

export class ConversationList {
  /** @param {() => {page: string, objectId: string}} scope */
  constructor(scope) {
    this.scope = scope;
  }

  /**
   * @param {{search?: string, trashed?: boolean, offset?: number}} [asked]
   * @returns {Promise<{conversations: Entry[], next: number | null}>} the latest first
   */
  find({ search = "", trashed = false, offset = 0 } = {}) {
    const { page, objectId } = this.scope();
    const query = new URLSearchParams({ page, object_id: objectId, limit: String(AT_ONCE) });
    const words = search.trim().split(/\s+/).slice(0, MOST_WORDS).join(" ");
    if (words) query.set("search", words);
    if (trashed) query.set("trashed", "true");
    if (offset) query.set("offset", String(offset));
    return api.get(`${ALL}?${query}`);
  }

  /** @returns {Promise<{id: string, title: string}>} with an empty id where there is none */
  async latest() {
    const { conversations } = await this.find();
    return conversations[0] ?? { id: "", title: "" };
  }

  /** @param {string} id @param {string} title @returns {Promise<Entry>} */
  rename(id, title) {
    return api.patch(`${ALL}${id}/`, { title });
  }

  /** @param {string} id */
  remove(id) {
    return api.delete(`${ALL}${id}/`);
  }

  /** @param {string} id @returns {Promise<Entry>} */
  restore(id) {
    return api.post(`${ALL}${id}/restore/`);
  }

  /**
   * @param {string} id @param {string} [before]  the message before which there are more
   * @param {string} [through]  a message of the branch that is wanted @returns {Promise<any>}
   */
  messages(id, before = "", through = "") {
    const asked = before ? `?before=${before}` : through ? `?through=${through}` : "";
    return api.get(`${ALL}${id}/messages/${asked}`);
  }
}

/**
 * @param {string} page @param {string} objectId  "" where the page is about none
 * @returns {Promise<{starters: string[], demo: boolean}>} payload types and tools are declared by then
 */
export async function readOffer(page, objectId) {
  const { active_tab: tab, active_subtab: subtab } = readPageContext();
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ tab, subtab, table: objectId })) if (value) query.set(name, value);
  const answer = await api.get(`/api/chat/pages/${page}/?${query}`);
  declarePayloadTypes(answer.payload_types);
  declareTools(answer.tools);
  if (answer.models.length) showModels(answer.models, page).catch(() => {}); // the default one answers then
  return { starters: answer.starters, demo: answer.demo };
}

/** Where people may choose a model. @param {any[]} models @param {string} page */
async function showModels(models, page) {
  const acts = /** @type {HTMLElement} */ (document.querySelector("chat-tray .composer__acts"));
  (await load(() => import("./model_menu.js"))).showModels(acts, models, page, localStorage);
}

/** @param {Record<string, any>} body  with the model that was chosen, if one was */
function withModel(body) {
  const menu = /** @type {HTMLSelectElement | null} */ (document.querySelector("[data-models]"));
  return menu?.value ? { ...body, model: menu.value } : body;
}

/** A turn is about to begin. */
export function fetchStream() {
  load(() => import("./stream.js")).catch(() => {}); // the first turn tries again
}

/** @param {Record<string, any>} body  of POST /api/chat/stream/ @param {any} listener */
export function startTurn(body, listener) {
  return fetched((stream) => stream.startTurn(withModel(body), { ...listener, pause }), listener);
}

/** @param {{turnId: string, after: number}} at @param {any} listener */
export function attachTurn(at, listener) {
  return fetched((stream) => stream.attachTurn(at, { ...listener, pause }), listener);
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
/**
 * Begins as soon as what follows a turn is there; as long as it cannot be had, that is a broken connection like any other.
 * @param {(stream: any) => {done: Promise<string>, leave: () => void}} begin @param {any} listener
 */
function fetched(begin, { onConnection }) {
  const leaving = new AbortController();
  let leave = () => leaving.abort();
  const done = (async () => {
    for (let wait = 1; ; wait = Math.min(2 * wait, MOST_WAIT)) {
      const stream = await load(() => import("./stream.js")).catch(() => null);
      if (leaving.signal.aborted) return "left";
      if (stream) {
        const followed = begin(stream);
        leave = followed.leave;
        return followed.done;
      }
      onConnection("broken", wait);
      await pause(wait, leaving.signal);
      if (leaving.signal.aborted) return "left";
    }
  })();
  return { done, leave: () => leave() };
}

/** Until the time is over, the network is back, the person says now, or nobody waits any more. @param {number} seconds @param {AbortSignal} signal
 * @returns {Promise<void>} */
export function pause(seconds, signal) {
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
