// The conversations of one page and what it is about, at the server.

import { api } from "../api.js";

const AT_ONCE = 30;
const MOST_WORDS = 8;
const ALL = "/api/chat/conversations/";

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
