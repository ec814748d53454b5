// After an apply the assistant goes on with what it announced: in the tab that applied, on the page that leads to.

const KEY = "chat-next";

/** @typedef {{payload_id: string, client_turn_id: string, intention: string}} NextStep */

/**
 * @param {any} answer  to an apply that something follows @param {Pick<Storage, "setItem">} store  of this tab
 */
export function announceNext(answer, store) {
  const next = { payload_id: answer.id, ...answer.next };
  // A new table has a page of its own: the chat there takes it up.
  if (answer.moved_to) store.setItem(KEY, JSON.stringify({ ...next, object_id: String(answer.moved_to) }));
  else document.dispatchEvent(new CustomEvent("go-on", { detail: next }));
}

/** @param {Conversation} conversation  the one that is open, from now on */
export function goOnWith(conversation) {
  document.addEventListener("go-on", (event) => report(conversation, /** @type {CustomEvent} */ (event).detail));
}

/**
 * What the page before this one left to be done here.
 * @param {Conversation} conversation  open @param {string} objectId
 * @param {Pick<Storage, "getItem" | "removeItem">} store  of this tab
 */
export function takeUpNext(conversation, objectId, store) {
  const left = store.getItem(KEY);
  store.removeItem(KEY);
  const next = left ? JSON.parse(left) : null;
  if (next?.object_id === objectId) report(conversation, next);
}

/** @param {Conversation} conversation @param {NextStep} next */
function report(conversation, { payload_id, client_turn_id, intention }) {
  // Who has gone over to another conversation meanwhile is not called back.
  if (!conversation.turns.some((turn) => turn.payload?.id === payload_id)) return;
  conversation.report({ action: "next", data: { payload_id } }, { key: client_turn_id, words: intention });
}
