// Runs a server action: posts it and informs the assistant about the result.

import { api } from "../api.js";
import { toast } from "../element.js";
import { dispatch } from "./registry.js";

/**
 * @typedef {{context: () => any, conversation: any, newId: () => string, onFault: (sentence: string) => void}} ActionContext
 *
 * @param {{label: string, action: string, data?: any}} entry @param {HTMLButtonElement} control  enabled again if it fails
 * @param {ActionContext} context
 */
export async function execute({ action, data = {} }, control, { context, conversation, newId, onFault }) {
  const { conversationId } = conversation.scope;
  try {
    const body = { context: context(), data, ...(conversationId ? { conversation_id: conversationId } : {}) };
    const done = await api.post(`/api/chat/actions/${encodeURIComponent(action)}/`, body, { idempotencyKey: newId() });
    toast(done.message);
    dispatch("action-done", done);
    // The server knows the result; this starts the assistant's turn, unless another conversation was opened.
    if (conversation.scope.conversationId === conversationId) conversation.report({ action, data });
  } catch (error) {
    control.disabled = false;
    onFault(/** @type {Error} */ (error).message);
  }
}
