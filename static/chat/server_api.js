// Requests of the chat: page offer, conversations, turns. The stream module is loaded with the first turn.

import { load } from "../element.js";
import { api } from "../api.js";
import { declarePayloadTypes, declareTools, readPageContext } from "./registry.js";

const PAGE_SIZE = 30;
const MAX_WORDS = 8;
const URL_PATH = "/api/chat/conversations/";
// seconds between two attempts to load the stream module
const MAX_WAIT = 15;

/**
 * @typedef {object} Server
 * @property {(body: any, listener: any) => {done: Promise<string>, disconnect: () => void}} start
 * @property {(at: any, listener: any) => {done: Promise<string>, disconnect: () => void}} attach
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
   * @param {{search?: string, trashed?: boolean}} [query]
   * @returns {Promise<{conversations: Entry[], next: string | null}>} latest first; next: URL of the next page
   */
  find({ search = "", trashed = false } = {}) {
    const { page, objectId } = this.scope();
    const query = new URLSearchParams({ page, object_id: objectId, limit: String(PAGE_SIZE) });
    const words = search.trim().split(/\s+/).slice(0, MAX_WORDS).join(" ");
    if (words) query.set("search", words);
    if (trashed) query.set("trashed", "true");
    return api.get(`${URL_PATH}?${query}`);
  }

  /** @returns {Promise<{id: string, title: string}>} with an empty id if there is none */
  async latest() {
    const { conversations } = await this.find();
    return conversations[0] ?? { id: "", title: "" };
  }

  /** @param {string} id @param {string} title @returns {Promise<Entry>} */
  rename(id, title) {
    return api.patch(`${URL_PATH}${id}/`, { title });
  }

  /** @param {string} id */
  remove(id) {
    return api.delete(`${URL_PATH}${id}/`);
  }

  /** @param {string} id @returns {Promise<Entry>} */
  restore(id) {
    return api.post(`${URL_PATH}${id}/restore/`);
  }

  /**
   * @param {string} id @param {string} [before]  only messages before this one
   * @param {string} [through]  a message of the requested branch @returns {Promise<any>}
   */
  messages(id, before = "", through = "") {
    const query = before ? `?before=${before}` : through ? `?through=${through}` : "";
    return api.get(`${URL_PATH}${id}/messages/${query}`);
  }
}

/**
 * @param {string} page @param {string} objectId  "" if the page has no object
 * @returns {Promise<{starters: string[], notice: string}>} also declares payload types and tools
 */
export async function readOffer(page, objectId) {
  const { active_tab: tab, active_subtab: subtab } = readPageContext();
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ tab, subtab, object_id: objectId })) if (value) query.set(name, value);
  const answer = await api.get(`/api/chat/pages/${page}/?${query}`);
  declarePayloadTypes(answer.payload_types);
  declareTools(answer.all_tools);
  // the default model is used then
  if (answer.models.length) showModels(answer.models, page).catch(() => {});
  return { starters: answer.starters, notice: answer.notice };
}

/** Show the model menu. @param {any[]} models @param {string} page */
async function showModels(models, page) {
  const buttons = /** @type {HTMLElement} */ (document.querySelector("chat-tray .composer__actions"));
  (await load(() => import("./model_menu.js"))).showModels(buttons, models, page, localStorage);
}

/** @param {Record<string, any>} body  with the chosen model, if any */
function withModel(body) {
  const menu = /** @type {HTMLSelectElement | null} */ (document.querySelector("[data-models]"));
  return menu?.value ? { ...body, model: menu.value } : body;
}

/** Load the stream module for a turn that is about to start. */
export function prefetchStream() {
  // the first turn tries again
  load(() => import("./stream.js")).catch(() => {});
}

/** @param {Record<string, any>} body  of POST /api/chat/stream/ @param {any} listener */
export function startTurn(body, listener) {
  return followWhenLoaded((stream) => stream.startTurn(withModel(body), { ...listener, pause }), listener);
}

/** @param {{turnId: string, after: number}} at @param {any} listener */
export function attachTurn(at, listener) {
  return followWhenLoaded((stream) => stream.attachTurn(at, { ...listener, pause }), listener);
}

/** @param {string} turnId */
export async function cancelTurn(turnId) {
  try {
    await api.post(`/api/chat/turns/${turnId}/cancel/`);
  } catch {
    // It may have ended already; otherwise the stream continues, and the user can stop it again.
  }
}

/** End the current wait for a retry. */
export function retryNow() {
  window.dispatchEvent(new Event("chat-retry-now"));
}
/**
 * Follow a turn when the stream module is loaded; a failed load counts as a broken connection.
 * @param {(stream: any) => {done: Promise<string>, disconnect: () => void}} start @param {any} listener
 */
function followWhenLoaded(start, { onConnection }) {
  const controller = new AbortController();
  let disconnect = () => controller.abort();
  const done = (async () => {
    for (let wait = 1; ; wait = Math.min(2 * wait, MAX_WAIT)) {
      const stream = await load(() => import("./stream.js")).catch(() => null);
      if (controller.signal.aborted) return "left";
      if (stream) {
        const followed = start(stream);
        disconnect = followed.disconnect;
        return followed.done;
      }
      onConnection("broken", wait);
      await pause(wait, controller.signal);
      if (controller.signal.aborted) return "left";
    }
  })();
  return { done, disconnect: () => disconnect() };
}

/** Wait until the time is over, the network is back, the user retries, or the signal is aborted. @param {number} seconds @param {AbortSignal} signal
 * @returns {Promise<void>} */
export function pause(seconds, signal) {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const end = () => {
      clearTimeout(timer);
      controller.abort();
      resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    window.addEventListener("online", end, { signal: controller.signal });
    window.addEventListener("chat-retry-now", end, { signal: controller.signal });
    signal.addEventListener("abort", end, { signal: controller.signal });
  });
}
