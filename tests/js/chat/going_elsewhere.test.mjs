// A person who goes on while the server is still answering: to another conversation, to other words, to another tab.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts, nextReview } from "../../../static/chat/composer.js";
import { EarlyMessages } from "../../../static/chat/message_queue.js";
import { withKeysFrom } from "../../../static/chat/stored_turns.js";
import { newTurn } from "../../../static/chat/state.js";
import { settled } from "../held.mjs";
import { COMPLETE, STARTED, living } from "./living.mjs";

test("a wish to stop is of the turn it was said of, not of the next one", async () => {
  const { conversation, streams, told } = living();
  conversation.send("one");
  conversation.stop();
  await conversation.open("");
  conversation.send("two");
  streams[1].send({ ...STARTED, turn_id: "t2", conversation_id: "c2" });
  assert.deepEqual(told.cancelled, []);
  streams[0].send(STARTED);
  assert.deepEqual(told.cancelled, ["t1"]);
});

test("a message that may not have arrived yet goes out although the person has gone on", async () => {
  const { conversation, streams } = living();
  conversation.send("one");
  await conversation.open("");
  assert.equal(streams[0].left, false);
  streams[0].send(STARTED);
  assert.equal(streams[0].left, true);
  assert.deepEqual([conversation.turns, conversation.scope.conversationId], [[], ""]);
});

test("what is said of a broken connection does not follow the person into another conversation", async () => {
  const { conversation, streams } = living();
  conversation.send("one");
  streams[0].send(STARTED);
  streams[0].breakOff(4);
  await conversation.open("");
  assert.equal(conversation.broken, null);
});

test("of two conversations that are opened the later one is seen, whichever is fetched first", async () => {
  const { conversation } = living();
  const answers = [];
  conversation.server.messages = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const opened = [conversation.open("c1"), conversation.open("c2")];
  answers[1].resolve({ messages: [], running_turn_id: null });
  answers[0].reject(new Error("too late to matter"));
  assert.deepEqual(await Promise.all(opened), [false, true]);
  assert.equal(conversation.scope.conversationId, "c2");
});

test("when another conversation cannot be fetched, the answer that is seen goes on", async () => {
  const { conversation, streams } = living();
  conversation.send("one");
  streams[0].send(STARTED);
  conversation.server.messages = () => Promise.reject(new Error("unreachable"));
  await assert.rejects(conversation.open("c9"));
  assert.deepEqual([streams[1].what, conversation.running], [{ turnId: "t1", after: 1 }, true]);
  streams[1].send(COMPLETE);
  assert.equal(conversation.turns[0].text, "Done");
});

test("other words that could not be sent, for a turn has begun meanwhile, are told as not sent", async () => {
  const { conversation, streams } = living();
  conversation.send("one");
  streams[0].send(STARTED);
  assert.equal(await conversation.edit(conversation.turns[0], "one, better"), false);
});

test("turns that are read anew keep their keys, and with that what the page holds of them", () => {
  const turn = (key, turnId) => ({ ...newTurn({ key, userText: "x" }), turnId });
  const kept = withKeysFrom([turn("m1", "t1"), turn("m3", "t2"), turn("m5", "")], [turn("mine", "t1"), turn("lost", "")]);
  assert.deepEqual(kept.map(({ key }) => key), ["mine", "m3", "m5"]);
});

test("words that are said before the latest conversation is known go on with that one, in order", () => {
  const said = [];
  const words = new EarlyMessages((...how) => said.push(how));
  words.add("one");
  words.add("two", "value_selected");
  words.add("no");
  assert.deepEqual([said, words.texts, words.withdraw(2)], [[], ["one", "two", "no"], "no"]);
  words.flush();
  words.add("three");
  assert.deepEqual([said, words.texts], [[["one", undefined], ["two", "value_selected"], ["three", undefined]], []]);
});

/** Somebody's words while they go from conversation c1 to c2. */
function drafts() {
  const kept = new Map([["chat-draft:c1", "for one"], ["chat-draft:c2", "for two"]]);
  const store = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  const composer = { text: "for one", setText(text) { this.text = text; } };
  let scope = { page: "table_view", objectId: "5", conversationId: "c1" };
  const words = new Drafts({ composer: /** @type {any} */ (composer), store, scope: () => scope });
  return { words, composer, kept, goTo: (conversationId) => { scope = { ...scope, conversationId }; } };
}

test("another conversation brings its own draft", () => {
  const { words, composer, kept, goTo } = drafts();
  const arrived = words.beginSwitch();
  goTo("c2");
  arrived({ first: false });
  assert.deepEqual([composer.text, kept.get("chat-draft:c1")], ["for two", "for one"]);
});

test("what is typed while another conversation is fetched stays, and belongs to that one", () => {
  const { words, composer, kept, goTo } = drafts();
  const arrived = words.beginSwitch();
  composer.text = "for one, no: for two";
  words.save();
  goTo("c2");
  arrived({ first: false });
  assert.equal(composer.text, "for one, no: for two");
  assert.deepEqual([kept.get("chat-draft:c1"), kept.get("chat-draft:c2")], ["for one", "for one, no: for two"]);
});

test("what is typed while the page loads moves to the conversation that is opened", () => {
  const { words, composer, kept, goTo } = drafts();
  goTo("");
  composer.text = "quick";
  words.save();
  const arrived = words.beginSwitch();
  goTo("c2");
  arrived({ first: true });
  assert.deepEqual([composer.text, kept.get("chat-draft:new:table_view:5"), kept.get("chat-draft:c2")], ["quick", undefined, "quick"]);
});

test("what was not sent goes back before what was written since", () => {
  const { words, composer, kept } = drafts();
  words.restoreText("unsent");
  assert.equal(composer.text, "unsent\n\nfor one");
  assert.equal(kept.get("chat-draft:c1"), "unsent\n\nfor one");
});

test("the end of a proposal that gave way to another leaves that one's words in the composer", () => {
  const first = nextReview(null, "Jobs", { payload_id: "p1", selected: 1, total: 2 });
  const second = nextReview(first, "Jobs", { payload_id: "p2", selected: 3, total: 3 });
  assert.equal(nextReview(second, "Jobs", { payload_id: "p1", over: true }), second);
  assert.equal(nextReview(second, "Jobs", { payload_id: "p2", over: true }), null);
  assert.deepEqual([first?.context, second?.label], ["Jobs, 2 proposed changes", "3 of 3"]);
});

test("changes are not counted in the composer before it is known how many there are", () => {
  const reading = nextReview(null, "Jobs", { payload_id: "p1" });
  assert.deepEqual([reading?.label, reading?.context], ["", "Jobs"]);
});

test("what an action did is not told in a conversation that was opened since", async () => {
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), {
    cookie: "", getElementById: () => null, documentElement: { dataset: {} },
    createElement: () => Object.assign(new EventTarget(), { append() {}, setAttribute() {}, remove() {} }),
    createElementNS: () => Object.assign(new EventTarget(), { append() {}, setAttribute() {} }),
  }));
  const { runAction } = await import("../../../static/chat/actions.js");
  /** @type {(() => void)[]} */
  const waiting = [];
  const answer = async () => {
    while (!waiting.length) await settled();
    waiting.pop()();
  };
  globalThis.fetch = /** @type {any} */ (() => new Promise((resolve) => {
    waiting.push(() => resolve({ ok: true, status: 200, text: async () => JSON.stringify({ message: "Done" }) }));
  }));
  const reported = [];
  const conversation = { scope: { conversationId: "c1" }, report: (action) => reported.push(action) };
  const around = { context: () => ({}), conversation, newId: () => "id", onFault() {} };
  const run = () => runAction({ label: "Do it", action: "do", handler: "server" }, /** @type {any} */ ({}), around);
  const stayed = run();
  await answer();
  await stayed;
  assert.equal(reported.length, 1);
  const left = run();
  while (!waiting.length) await settled();
  conversation.scope = { conversationId: "c2" };
  await answer();
  await left;
  await settled();
  assert.equal(reported.length, 1);
});
