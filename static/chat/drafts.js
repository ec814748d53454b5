// What the person has typed but not sent: drafts by conversation, and messages that wait for the running turn to end.

/** @typedef {{getItem(key: string): string|null, setItem(key: string, value: string): void, removeItem(key: string): void}} Store */
/** @typedef {{page: string, objectId: string, conversationId: string}} Scope */

/** @param {Scope} scope @returns {string} a conversation that does not exist yet is known by its page and object */
export function draftKey({ page, objectId, conversationId }) {
  return conversationId ? `chat-draft:${conversationId}` : `chat-draft:new:${page}:${objectId}`;
}

/** @param {Scope} scope */
export function waitingKey({ page, objectId, conversationId }) {
  return conversationId ? `chat-waiting:${conversationId}` : `chat-waiting:new:${page}:${objectId}`;
}

/** @param {Store} store @param {Scope} scope @returns {string} */
export function readDraft(store, scope) {
  return attempt(() => store.getItem(draftKey(scope))) ?? "";
}

/** @param {Store} store @param {Scope} scope @param {string} text */
export function writeDraft(store, scope, text) {
  attempt(() => (text ? store.setItem(draftKey(scope), text) : store.removeItem(draftKey(scope))));
}

/** @param {Store} store @param {Scope} scope @returns {string[]} oldest first */
export function readWaiting(store, scope) {
  const kept = attempt(() => JSON.parse(store.getItem(waitingKey(scope)) ?? "[]"));
  return Array.isArray(kept) ? kept.filter((text) => typeof text === "string" && text !== "") : [];
}

/** @param {Store} store @param {Scope} scope @param {string[]} texts */
export function writeWaiting(store, scope, texts) {
  const key = waitingKey(scope);
  attempt(() => (texts.length ? store.setItem(key, JSON.stringify(texts)) : store.removeItem(key)));
}

/** @param {Store} store @param {Scope} from @param {Scope} to  a new conversation has got its id */
export function moveWaiting(store, from, to) {
  const texts = readWaiting(store, from);
  if (texts.length === 0 || waitingKey(from) === waitingKey(to)) return;
  writeWaiting(store, from, []);
  writeWaiting(store, to, texts);
}

/** Storage may be full or forbidden; nothing that is kept there is worth failing for. @template T @param {() => T} run */
function attempt(run) {
  try {
    return run();
  } catch {
    return null;
  }
}
