// Suggested actions: those of the browser run here, those of the server are posted; the outcome is told to the assistant.

import { api } from "../api.js";
import { toast } from "../toast.js";
import { clientAction, tell } from "./registry.js";

/**
 * @typedef {{label: string, action: string, handler: "client" | "server", data?: any, style?: string}} SuggestedAction
 *
 * @param {SuggestedAction} entry @returns {boolean} whether clicking it would do something
 */
export function canRun({ handler, action }) {
  return handler === "server" || clientAction(action) !== undefined;
}

/**
 * @param {SuggestedAction} entry @param {HTMLButtonElement} face  the button; it waits while the server works
 * @param {{context: () => any, conversation: any, newId: () => string, onFault: (sentence: string) => void}} around
 */
export async function runAction(entry, face, { context, conversation, newId, onFault }) {
  const data = entry.data ?? {};
  if (entry.handler !== "server") {
    clientAction(entry.action)?.(data);
    return;
  }
  face.disabled = true;
  const { conversationId } = conversation.scope;
  try {
    const body = { context: context(), data, ...(conversationId ? { conversation_id: conversationId } : {}) };
    const done = await api.post(`/api/chat/actions/${encodeURIComponent(entry.action)}/`, body, { once: newId() });
    toast(done.message);
    tell("action-done", done);
    // What came of it the server knows by itself; this only gives the assistant its turn.
    // Who has gone over to another conversation meanwhile is not called back.
    if (conversation.scope.conversationId === conversationId) conversation.report({ action: entry.action, data });
  } catch (error) {
    face.disabled = false;
    onFault(/** @type {Error} */ (error).message);
  }
}
