// The next step after an apply: run by the applying tab only, on the same page or on the page of the new table.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dispatchNextStep, listenForNextStep, runStoredNextStep } from "../../../static/chat/message_queue.js";

const ANSWER = { id: "p1", status: "applied", next: { intention: "Fill it", client_turn_id: "u5" }, moved_to: "" };
globalThis.document = /** @type {any} */ (new EventTarget());

function store() {
  const items = new Map();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value), removeItem: (key) => items.delete(key) };
}

/** A conversation that contains this proposal, and the reports to it. */
function conversationWith(payloadId) {
  const reported = [];
  return { reported, turns: [{ payload: null }, { payload: { id: payloadId } }], report: (...given) => reported.push(given) };
}
const REPORT = [{ action: "next", data: { payload_id: "p1" } }, { key: "u5", words: "Fill it" }];

test("the open conversation runs the next step at once, under the shared id of its turn", () => {
  const conversation = conversationWith("p1");
  listenForNextStep(conversation);
  dispatchNextStep(ANSWER, store());
  assert.deepEqual(conversation.reported, [REPORT]);
});

test("a conversation without the proposal does not run the next step", () => {
  const conversation = conversationWith("another");
  listenForNextStep(conversation);
  dispatchNextStep(ANSWER, store());
  assert.deepEqual(conversation.reported, []);
});

test("the page of a new table runs its stored next step once", () => {
  const [here, storage] = [conversationWith("p1"), store()];
  listenForNextStep(here);
  dispatchNextStep({ ...ANSWER, moved_to: "12" }, storage);
  assert.deepEqual(here.reported, []);
  const there = conversationWith("p1");
  runStoredNextStep(there, "12", storage);
  runStoredNextStep(there, "12", storage);
  assert.deepEqual(there.reported, [REPORT]);
});

test("a stored next step of one page is not run on another", () => {
  const storage = store();
  dispatchNextStep({ ...ANSWER, moved_to: "12" }, storage);
  const elsewhere = conversationWith("p1");
  runStoredNextStep(elsewhere, "13", storage);
  runStoredNextStep(elsewhere, "12", storage);
  assert.deepEqual(elsewhere.reported, []);
});
