// Switching to another conversation or draft while a response is pending.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts, nextReview } from "../../../static/chat/composer.js";
import { EarlyMessages } from "../../../static/chat/message_queue.js";
import { withKeysFrom } from "../../../static/chat/stored_turns.js";
import { newTurn } from "../../../static/chat/state.js";
import { settled } from "../held_requests.mjs";
import { COMPLETE, STARTED, openConversation } from "./controlled_conversation.mjs";

test("a request to stop applies to its turn and not to the next one", async () => {
  const { conversation, streams, calls } = openConversation();
  conversation.send("one");
  conversation.stop();
  await conversation.open("");
  conversation.send("two");
  streams[1].send({ ...STARTED, turn_id: "t2", conversation_id: "c2" });
  assert.deepEqual(calls.cancelled, []);
  streams[0].send(STARTED);
  assert.deepEqual(calls.cancelled, ["t1"]);
});

test("a message that may not have arrived is sent although another conversation is open", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("one");
  await conversation.open("");
  assert.equal(streams[0].left, false);
  streams[0].send(STARTED);
  assert.equal(streams[0].left, true);
  assert.deepEqual([conversation.turns, conversation.scope.conversationId], [[], ""]);
});

test("a notice about a broken connection is not shown in another conversation", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("one");
  streams[0].send(STARTED);
  streams[0].breakOff(4);
  await conversation.open("");
  assert.equal(conversation.broken, null);
});

test("of two opened conversations the later one is shown, whichever is loaded first", async () => {
  const { conversation } = openConversation();
  const answers = [];
  conversation.server.messages = () => new Promise((resolve, reject) => answers.push({ resolve, reject }));
  const opened = [conversation.open("c1"), conversation.open("c2")];
  answers[1].resolve({ messages: [], running_turn_id: null });
  answers[0].reject(new Error("too late to matter"));
  assert.deepEqual(await Promise.all(opened), [false, true]);
  assert.equal(conversation.scope.conversationId, "c2");
});

test("if another conversation cannot be loaded, the current answer continues", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("one");
  streams[0].send(STARTED);
  conversation.server.messages = () => Promise.reject(new Error("unreachable"));
  await assert.rejects(conversation.open("c9"));
  assert.deepEqual([streams[1].what, conversation.running], [{ turnId: "t1", after: 1 }, true]);
  streams[1].send(COMPLETE);
  assert.equal(conversation.turns[0].text, "Done");
});

test("an edited message refused because of a new turn is reported as not sent", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("one");
  streams[0].send(STARTED);
  assert.equal(await conversation.edit(conversation.turns[0], "one, better"), false);
});

test("turns that are read again have the same keys", () => {
  const turn = (key, turnId) => ({ ...newTurn({ key, userText: "x" }), turnId });
  const merged = withKeysFrom([turn("m1", "t1"), turn("m3", "t2"), turn("m5", "")], [turn("mine", "t1"), turn("lost", "")]);
  assert.deepEqual(merged.map(({ key }) => key), ["mine", "m3", "m5"]);
});

test("messages sent before the latest conversation is known are sent to it in order", () => {
  const sent = [];
  const words = new EarlyMessages((...how) => sent.push(how));
  words.add("one");
  words.add("two", "value_selected");
  words.add("no");
  assert.deepEqual([sent, words.texts, words.withdraw(2)], [[], ["one", "two", "no"], "no"]);
  words.flush();
  words.add("three");
  assert.deepEqual([sent, words.texts], [[["one", undefined], ["two", "value_selected"], ["three", undefined]], []]);
});

/** The drafts of a user who switches from conversation c1 to c2. */
function drafts() {
  const items = new Map([["chat-draft:c1", "for one"], ["chat-draft:c2", "for two"]]);
  const store = { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value), removeItem: (key) => items.delete(key) };
  const composer = { text: "for one", setText(text) { this.text = text; } };
  let scope = { page: "table_view", objectId: "5", conversationId: "c1" };
  const words = new Drafts({ composer: /** @type {any} */ (composer), store, scope: () => scope });
  return { words, composer, items, goTo: (conversationId) => { scope = { ...scope, conversationId }; } };
}

test("another conversation has its own draft", () => {
  const { words, composer, items, goTo } = drafts();
  const arrived = words.beginSwitch();
  goTo("c2");
  arrived({ first: false });
  assert.deepEqual([composer.text, items.get("chat-draft:c1")], ["for two", "for one"]);
});

test("text typed while another conversation is loading is added to its draft", () => {
  const { words, composer, items, goTo } = drafts();
  const arrived = words.beginSwitch();
  composer.text = "for one, no: for two";
  words.save();
  goTo("c2");
  arrived({ first: false });
  assert.equal(composer.text, "for one, no: for two");
  assert.deepEqual([items.get("chat-draft:c1"), items.get("chat-draft:c2")], ["for one", "for one, no: for two"]);
});

test("text typed while the page is loading moves to the opened conversation", () => {
  const { words, composer, items, goTo } = drafts();
  goTo("");
  composer.text = "quick";
  words.save();
  const arrived = words.beginSwitch();
  goTo("c2");
  arrived({ first: true });
  assert.deepEqual([composer.text, items.get("chat-draft:new:table_view:5"), items.get("chat-draft:c2")], ["quick", undefined, "quick"]);
});

test("unsent text is inserted before text written since", () => {
  const { words, composer, items } = drafts();
  words.restoreText("unsent");
  assert.equal(composer.text, "unsent\n\nfor one");
  assert.equal(items.get("chat-draft:c1"), "unsent\n\nfor one");
});

test("the end of a replaced proposal does not change the composer text of its successor", () => {
  const first = nextReview(null, "Jobs", { payload_id: "p1", selected: 1, total: 2 });
  const second = nextReview(first, "Jobs", { payload_id: "p2", selected: 3, total: 3 });
  assert.equal(nextReview(second, "Jobs", { payload_id: "p1", over: true }), second);
  assert.equal(nextReview(second, "Jobs", { payload_id: "p2", over: true }), null);
  assert.deepEqual([first?.context, second?.label], ["Jobs, 2 proposed changes", "3 of 3"]);
});

test("the composer does not count changes before their number is known", () => {
  const reading = nextReview(null, "Jobs", { payload_id: "p1" });
  assert.deepEqual([reading?.label, reading?.context], ["", "Jobs"]);
});

test("the result of an action is not reported in a conversation opened since", async () => {
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), {
    cookie: "", getElementById: () => null, documentElement: { dataset: {} },
    createElement: () => Object.assign(new EventTarget(), { dataset: {}, append() {}, setAttribute() {}, contains: () => false, remove() {} }),
    createElementNS: () => Object.assign(new EventTarget(), { append() {}, setAttribute() {} }),
  }));
  const { runAction } = await import("../../../static/chat/turn_parts.js");
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
