// Drafts: text that is typed and not sent.

import assert from "node:assert/strict";
import { test } from "node:test";

import { draftKey, readDraft, writeDraft } from "../../../static/chat/composer.js";
import { moveWaiting, readWaiting, waitingKey, writeWaiting } from "../../../static/chat/message_queue.js";

function memory() {
  const items = new Map();
  return { items, getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value), removeItem: (key) => items.delete(key) };
}
const fresh = { page: "table_view", objectId: "5", conversationId: "" };
const named = { ...fresh, conversationId: "c1" };

test("each conversation has its own draft, and a new one that of its page and object", () => {
  const keys = [fresh, named, { ...fresh, objectId: "6" }, { ...fresh, page: "table_edit" }].flatMap((scope) => [draftKey(scope), waitingKey(scope)]);
  assert.equal(new Set(keys).size, 8);
});

test("an empty draft is not stored", () => {
  const store = memory();
  writeDraft(store, named, "half a thought");
  assert.equal(readDraft(store, named), "half a thought");
  writeDraft(store, named, "");
  assert.equal(store.items.size, 0);
});

test("waiting messages move with their conversation when it gets its id", () => {
  const store = memory();
  writeWaiting(store, fresh, ["one", "two"]);
  moveWaiting(store, fresh, named);
  assert.deepEqual(readWaiting(store, named), ["one", "two"]);
  assert.deepEqual(readWaiting(store, fresh), []);
});

for (const stored of ["{", "5", "null", '[1,"ok",null,""]']) {
  test(`an invalid stored value is ignored: ${stored}`, () => {
    const store = memory();
    store.setItem(waitingKey(named), stored);
    assert.deepEqual(readWaiting(store, named), stored.includes("ok") ? ["ok"] : []);
  });
}

test("a storage that throws is ignored", () => {
  const refuse = () => { throw new Error("full"); };
  const store = { getItem: refuse, setItem: refuse, removeItem: refuse };
  writeDraft(store, named, "x");
  assert.equal(readDraft(store, named), "");
  assert.deepEqual(readWaiting(store, named), []);
});
