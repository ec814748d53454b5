// Runs a suggested action of the server: posts it, and tells the assistant the outcome.

import { api } from "../api.js";
import { toast } from "../element.js";
import { tell } from "./registry.js";

/**
 * @typedef {{context: () => any, conversation: any, newId: () => string, onFault: (sentence: string) => void}} Around
 *
 * @param {{label: string, action: string, data?: any}} entry @param {HTMLButtonElement} face  enabled again if it fails
 * @param {Around} around
 */
export async function pressed({ action, data = {} }, face, { context, conversation, newId, onFault }) {
  const { conversationId } = conversation.scope;
  try {
    const body = { context: context(), data, ...(conversationId ? { conversation_id: conversationId } : {}) };
    const done = await api.post(`/api/chat/actions/${encodeURIComponent(action)}/`, body, { once: newId() });
    toast(done.message);
    tell("action-done", done);
    // The server knows the outcome; this only starts the assistant's turn, unless another conversation is open now.
    if (conversation.scope.conversationId === conversationId) conversation.report({ action, data });
  } catch (error) {
    face.disabled = false;
    onFault(/** @type {Error} */ (error).message);
  }
}
