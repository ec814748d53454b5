// After an apply: the tab that applied goes on, here or on the page that leads to, and only in that conversation.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dispatchNextStep, listenForNextStep, runStoredNextStep } from "../../../static/chat/message_queue.js";

const ANSWER = { id: "p1", status: "applied", next: { intention: "Fill it", client_turn_id: "u5" }, moved_to: "" };
globalThis.document = /** @type {any} */ (new EventTarget());

function store() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
}

/** A conversation with this proposal in it, and what was reported to it. */
function about(payloadId) {
  const reported = [];
  return { reported, turns: [{ payload: null }, { payload: { id: payloadId } }], report: (...given) => reported.push(given) };
}
const REPORT = [{ action: "next", data: { payload_id: "p1" } }, { key: "u5", words: "Fill it" }];

test("on the same page the open conversation goes on at once, under the turn's one id", () => {
  const conversation = about("p1");
  listenForNextStep(conversation);
  dispatchNextStep(ANSWER, store());
  assert.deepEqual(conversation.reported, [REPORT]);
});

test("a conversation that knows nothing of the proposal is left alone", () => {
  const conversation = about("another");
  listenForNextStep(conversation);
  dispatchNextStep(ANSWER, store());
  assert.deepEqual(conversation.reported, []);
});

test("a new table's page takes up what was left for it, once", () => {
  const [here, kept] = [about("p1"), store()];
  listenForNextStep(here);
  dispatchNextStep({ ...ANSWER, moved_to: "12" }, kept);
  assert.deepEqual(here.reported, []);
  const there = about("p1");
  runStoredNextStep(there, "12", kept);
  runStoredNextStep(there, "12", kept);
  assert.deepEqual(there.reported, [REPORT]);
});

test("what was left for one page is not done on another", () => {
  const kept = store();
  dispatchNextStep({ ...ANSWER, moved_to: "12" }, kept);
  const elsewhere = about("p1");
  runStoredNextStep(elsewhere, "13", kept);
  runStoredNextStep(elsewhere, "12", kept);
  assert.deepEqual(elsewhere.reported, []);
});
