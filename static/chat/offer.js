// What the page offers this person: asked once, when the tray starts.

import { api } from "../api.js";
import { declarePayloadTypes, declareTools, readPageContext } from "./registry.js";

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
  return { starters: answer.starters, demo: answer.demo };
}
