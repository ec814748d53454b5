// What the cards of all payloads have in common. A handler of the page draws the card of its proposals; all other cards are in
// proposal_card.js.

import { el } from "../element.js";
import { t } from "../locale.js";
import { payloadHandler } from "./registry.js";

/** @param {Proposal} payload @returns {boolean} whether a handler of the page draws its card */
export function hasOwnCard(payload) {
  return isProposal(payload) && Boolean(payloadHandler(payload.type)?.card);
}

/** @param {{tone: string, text: string}} tag */
export function tagNode({ tone, text }) {
  return el("span", { class: tone ? `tag tag--${tone}` : "tag" }, text);
}

/** @typedef {Payload & {outcome?: any, last_error?: string}} Proposal */

const PROPOSAL_STATES = new Set(["pending", "applied", "partially_applied", "dismissed", "superseded", "undone"]);
/** @typedef {(count: number) => string} CountLabel */
/** @type {["chg", CountLabel, CountLabel]} */
const CHANGE = ["chg", (count) => t("{count} to change", { count }), (count) => t("{count} changed", { count })];
/** By kind: color, label while pending, label when applied. @type {[string, "add"|"chg"|"del"|"", CountLabel, CountLabel][]} */
export const KINDS = [
  ["add", "add", (count) => t("{count} to add", { count }), (count) => t("{count} added", { count })],
  ["update", ...CHANGE],
  ["modify", ...CHANGE],
  ["delete", "del", (count) => t("{count} to delete", { count }), (count) => t("{count} deleted", { count })],
  ["remove", "del", (count) => t("{count} to remove", { count }), (count) => t("{count} removed", { count })],
  ["reorder", "", (count) => t("{count} to move", { count }), (count) => t("{count} moved", { count })],
];

/** @param {Proposal} payload  whether it can be or was answered */
export function isProposal(payload) {
  return Boolean(payload.id) && PROPOSAL_STATES.has(payload.status);
}
