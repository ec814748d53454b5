// Suggested actions: client actions run here, server actions are posted; the assistant is informed about the result.

import { lazy, load } from "../element.js";
import { t } from "../locale.js";
import { clientAction } from "./registry.js";

/**
 * @typedef {{label: string, action: string, handler: "client" | "server", data?: any, style?: string, run?: boolean}} SuggestedAction
 *
 * @param {SuggestedAction} entry @returns {boolean} whether this page can run it
 */
export function canRun({ handler, action }) {
  return handler === "server" || clientAction(action) !== undefined;
}

/**
 * @param {SuggestedAction} entry @param {HTMLButtonElement} control  disabled during a request
 * @param {import("./server_action.js").ActionContext} context
 */
export async function runAction(entry, control, context) {
  const posted = entry.handler === "server";
  control.disabled = posted;
  const { execute } = await lazy(t("The action could not be started."), () => load(() => (posted ? import("./server_action.js") : import("./action_receipts.js"))));
  await execute(entry, control, context);
}
