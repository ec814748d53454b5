// Suggested actions: those of the browser run here, those of the server are posted, and the assistant learns the outcome.

import { late, load } from "../element.js";
import { t } from "../locale.js";
import { clientAction } from "./registry.js";

/**
 * @typedef {{label: string, action: string, handler: "client" | "server", data?: any, style?: string, run?: boolean}} SuggestedAction
 *
 * @param {SuggestedAction} entry @returns {boolean} whether clicking it would do something
 */
export function canRun({ handler, action }) {
  return handler === "server" || clientAction(action) !== undefined;
}

/**
 * @param {SuggestedAction} entry @param {HTMLButtonElement} face  the button; it is disabled while the server works
 * @param {import("./server_action.js").Around} around
 */
export async function runAction(entry, face, around) {
  const posted = entry.handler === "server";
  face.disabled = posted;
  const { pressed } = await late(t("The action could not be started."), () => load(() => (posted ? import("./server_action.js") : import("./action_receipts.js"))));
  await pressed(entry, face, around);
}
