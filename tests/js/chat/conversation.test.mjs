// A conversation as it is lived, with a door that the test holds open.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../../static/api.js";
import { Conversation } from "../../../static/chat/conversation.js";
import { readWaiting } from "../../../static/chat/drafts.js";

const SCOPE = { page: "table_view", objectId: "5", conversationId: "" };
const context = () => ({ current_page: "table_view" });
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A conversation whose streams are the test's: `streams[n].send(event)`, `.end()`, `.refuse(status, body)`. */
function living({ stored = { messages: [], running_turn_id: null } } = {}) {
  const kept = new Map();
  const store = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
  const streams = [];
  const told = { events: [], named: [], signedOut: [], cancelled: [], fetched: [], superseded: [] };
  const stream = (what, listener) => {
    let seq = what.after ?? 0;
    const made = { what, left: false };
    const done = new Promise((resolve, reject) => {
      made.send = (event) => listener.onEvent({ seq: ++seq, event });
      made.end = () => { resolve("final"); return settled(); };
      made.refuse = (status, body = {}) => { reject(new ApiError(status, body)); return settled(); };
      made.leave = () => { made.left = true; resolve("left"); };
      made.breakOff = (seconds) => listener.onConnection("broken", seconds);
    });
    streams.push(made);
    return { done, leave: made.leave };
  };
  let ids = 0;
  const conversation = new Conversation({
    scope: SCOPE, store, context, newId: () => `id-${++ids}`,
    door: {
      start: stream, attach: stream,
      cancel: async (id) => void told.cancelled.push(id),
      messages: async (id) => { told.fetched.push(id); return stored; },
    },
    onChange() {}, onEvent: (_, event) => told.events.push(event.type),
    onSuperseded: (payload) => told.superseded.push(payload.id),
    onNamed: (scope) => told.named.push(scope.conversationId), onSignedOut: (text) => told.signedOut.push(text),
  });
  return { conversation, streams, told, store };
}
const STARTED = { type: "status", message: "Thinking", turn_id: "t1", conversation_id: "c1" };
const COMPLETE = { type: "complete", payload: { message: "Done", conversation_id: "c1", turn_id: "t1", message_id: "m1" } };

test("the first message starts a conversation, which is called by its id from then on", async () => {
  const { conversation, streams, told } = living();
  conversation.send("Hello");
  assert.equal("conversation_id" in streams[0].what, false);
  streams[0].send(STARTED);
  streams[0].send(COMPLETE);
  await streams[0].end();
  assert.deepEqual(told.named, ["c1"]);
  conversation.send("More");
  assert.equal(streams[1].what.conversation_id, "c1");
  assert.notEqual(streams[1].what.client_turn_id, streams[0].what.client_turn_id);
});

test("a message sent meanwhile waits its turn and then goes by itself", async () => {
  const { conversation, streams, store } = living();
  conversation.send("One");
  streams[0].send(STARTED);
  conversation.send("Two");
  assert.deepEqual(conversation.waiting, ["Two"]);
  assert.deepEqual(readWaiting(store, conversation.scope), ["Two"]);
  assert.equal(streams.length, 1);
  streams[0].send(COMPLETE);
  await streams[0].end();
  assert.equal(streams[1].what.message, "Two");
  assert.deepEqual(conversation.waiting, []);
});

test("a message that waits can be withdrawn", () => {
  const { conversation, streams } = living();
  conversation.send("One");
  streams[0].send(STARTED);
  conversation.send("Two");
  assert.equal(conversation.withdraw(0), "Two");
  assert.deepEqual(conversation.waiting, []);
});

test("after a failed turn what waits stays until the person says so", async () => {
  const { conversation, streams } = living();
  conversation.send("One");
  streams[0].send(STARTED);
  conversation.send("Two");
  streams[0].send({ type: "error", code: "timeout", message: "Too long." });
  await streams[0].end();
  assert.equal(streams.length, 1);
  conversation.sendWaiting();
  assert.equal(streams[1].what.message, "Two");
});

test("stopping before the turn has a name cancels it as soon as it has one", async () => {
  const { conversation, streams, told } = living();
  conversation.send("One");
  await conversation.stop();
  assert.deepEqual(told.cancelled, []);
  streams[0].send(STARTED);
  assert.deepEqual(told.cancelled, ["t1"]);
  streams[0].send({ type: "cancelled" });
  await streams[0].end();
  assert.equal(conversation.turns[0].phase, "cancelled");
  assert.equal(conversation.running, false);
});

test("stopping what never reached the server ends it here", async () => {
  const { conversation, streams } = living();
  conversation.send("One");
  streams[0].breakOff(4);
  await conversation.stop();
  assert.equal(streams[0].left, true);
  assert.equal(conversation.running, false);
});

test("a tab that comes back takes up the stream after the last event", () => {
  const { conversation, streams } = living();
  conversation.send("One");
  streams[0].send(STARTED);
  streams[0].send({ type: "text_delta", text: "Ha" });
  conversation.leave();
  conversation.resume();
  assert.deepEqual(streams[1].what, { turnId: "t1", after: 2 });
  streams[1].send({ type: "text_delta", text: "lf" });
  assert.equal(conversation.turns[0].text, "Half");
  streams[0].send({ type: "text_delta", text: "late" });
  assert.equal(conversation.turns[0].text, "Half");
});

test("a conversation with a running turn is taken up from the beginning of that turn", async () => {
  const stored = { messages: [{ id: "m", role: "user", text: "Hi", turn_id: "t9" }], running_turn_id: "t9" };
  const { conversation, streams } = living({ stored });
  await conversation.open("c1");
  assert.deepEqual(streams[0].what, { turnId: "t9", after: 0 });
  assert.equal(conversation.running, true);
});

test("who is signed out gets the text back, and no turn stays", async () => {
  const { conversation, streams, told } = living();
  conversation.send("Precious words");
  await streams[0].refuse(401);
  assert.deepEqual(told.signedOut, ["Precious words"]);
  assert.deepEqual(conversation.turns, []);
});

test("who is signed out in the middle of an answer is told that it goes on", async () => {
  const { conversation, streams, told } = living();
  conversation.send("One");
  streams[0].send(STARTED);
  await streams[0].refuse(401, { error: "not_authenticated" });
  const [turn] = conversation.turns;
  assert.deepEqual([turn.phase, turn.error.retryable], ["error", false]);
  assert.match(turn.error.message, /goes on without you/);
  assert.deepEqual(told.signedOut, [""]);
});

test("a limit is said on the turn, which can be tried again", async () => {
  const { conversation, streams } = living();
  conversation.send("One");
  await streams[0].refuse(429, { error: "throttled", detail: "Too many.", retry_after: 12 });
  const [turn] = conversation.turns;
  assert.deepEqual(turn.error, { code: "throttled", message: "Too many.", retryable: true, retryAfter: 12 });
  conversation.again(turn);
  assert.equal(streams[1].what.message, "One");
  assert.equal("retry_of" in streams[1].what, false);
  assert.equal(conversation.turns.length, 1);
});

test("asking again names the turn that it repeats and takes its place", async () => {
  const { conversation, streams } = living();
  conversation.send("One");
  streams[0].send(STARTED);
  streams[0].send(COMPLETE);
  await streams[0].end();
  conversation.again(conversation.turns[0]);
  assert.equal(streams[1].what.retry_of, "t1");
  assert.equal("message" in streams[1].what, false);
  assert.deepEqual(conversation.turns.map((turn) => [turn.userText, turn.phase]), [["One", "running"]]);
});

test("a message that meets another tab's turn waits for that one", async () => {
  const stored = { messages: [{ id: "m", role: "user", text: "Other", turn_id: "t7" }], running_turn_id: "t7" };
  const { conversation, streams, told } = living({ stored });
  conversation.scope = { ...SCOPE, conversationId: "c1" };
  conversation.send("Mine");
  await streams[0].refuse(409, { error: "busy", turn_id: "t7" });
  await settled();
  assert.deepEqual(told.fetched, ["c1"]);
  assert.deepEqual(conversation.waiting, ["Mine"]);
  assert.equal(streams[1].what.turnId, "t7");
  streams[1].send({ type: "complete", payload: { message: "x" } });
  await streams[1].end();
  assert.equal(streams[2].what.message, "Mine");
});

test("a settled proposal shows on its turn", async () => {
  const { conversation, streams } = living();
  conversation.send("One");
  streams[0].send(STARTED);
  streams[0].send({ type: "complete", payload: { message: "", custom_payload: { id: "p1", type: "data_proposal", status: "pending", data: {} } } });
  await streams[0].end();
  conversation.settle("p1", { status: "applied", outcome: { change: 3 } });
  assert.deepEqual([conversation.turns[0].payload.status, conversation.turns[0].payload.outcome.change], ["applied", 3]);
});

test("a conversation that is fetched too slowly does not push away what was begun meanwhile", async () => {
  const { conversation, streams } = living({ stored: { messages: [{ id: "m", role: "user", text: "Old", turn_id: "t0" }], running_turn_id: null } });
  const opening = conversation.open("c-old");
  conversation.send("Quick");
  await opening;
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["Quick"]);
  assert.equal(streams.length, 1);
});

test("a conversation that has moved to another page goes on here as a new one", async () => {
  const { conversation, streams } = living();
  conversation.scope = { ...SCOPE, conversationId: "c1" };
  conversation.send("And now?");
  await streams[0].refuse(400, { error: "conversation_elsewhere", detail: "It belongs to another page." });
  await settled();
  assert.equal("conversation_id" in streams[1].what, false);
  assert.equal(streams[1].what.message, "And now?");
  assert.equal(conversation.turns.length, 1);
});

test("what waited through a reload goes out once the turn it waited for has ended, unless that failed", async () => {
  const error = { code: "timeout", message: "", retryable: true };
  for (const [state, sent] of [["complete", 1], ["error", 0]]) {
    const messages = [
      { id: "m", role: "user", text: "Hi", turn_id: "t" },
      { id: "n", role: "assistant", text: "Yes", turn_id: "t", state, error: state === "error" ? error : null },
    ];
    const { conversation, streams, store } = living({ stored: { messages, running_turn_id: null } });
    store.setItem("chat-waiting:c1", '["Later"]');
    await conversation.open("c1");
    assert.equal(streams.length, sent, state);
  }
});

test("an action that was carried out gives the assistant a turn, after the one that runs", async () => {
  const { conversation, streams } = living();
  conversation.send("One");
  streams[0].send(STARTED);
  conversation.report({ action: "flag_paper", data: { paper_id: 7 } });
  conversation.send("Two");
  assert.equal(streams.length, 1);
  streams[0].send(COMPLETE);
  await streams[0].end();
  const { what } = streams[1];
  assert.deepEqual([what.message, what.interaction_type, what.action], ["", "action_executed", { action: "flag_paper", data: { paper_id: 7 } }]);
  assert.equal(what.conversation_id, "c1");
  streams[1].send({ ...COMPLETE });
  await streams[1].end();
  assert.equal(streams[2].what.message, "Two");
});

test("a next step is begun under the id it has in all tabs, and is not the person's words", async () => {
  const { conversation, streams } = living();
  const action = { action: "next", data: { payload_id: "p1" } };
  conversation.report(action, { key: "u5", words: "Fill it" });
  const { client_turn_id: id, message, interaction_type: type } = streams[0].what;
  assert.deepEqual([id, message, type], ["u5", "", "action_executed"]);
  assert.deepEqual([conversation.turns[0].userText, conversation.turns[0].goesOn], ["Fill it", true]);
});

test("a next step that meets a running turn waits for it, and is never sent as a message", async () => {
  const { conversation, streams } = living({ stored: { messages: [{ id: "m", role: "user", text: "Hi", turn_id: "t0" }], running_turn_id: "t0" } });
  conversation.scope = { ...SCOPE, conversationId: "c1" };
  const action = { action: "next", data: { payload_id: "p1" } };
  conversation.report(action, { key: "u5", words: "Fill it" });
  await streams[0].refuse(409, { turn_id: "t0" });
  assert.deepEqual(conversation.waiting, []);
  streams[1].send({ ...COMPLETE, payload: { ...COMPLETE.payload, turn_id: "t0" } });
  await streams[1].end();
  assert.deepEqual([streams[2].what.action, streams[2].what.client_turn_id], [action, "u5"]);
});

test("earlier messages are put before those there are, until there are none", async () => {
  const page = (text, earlier) => ({ messages: [{ id: `u-${text}`, role: "user", text, turn_id: text }], running_turn_id: null, earlier });
  const stored = page("two", "u-two");
  const { conversation } = living({ stored });
  await conversation.open("c1");
  assert.equal(conversation.earlier, "u-two");
  Object.assign(stored, page("one", null));
  await conversation.readEarlier();
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["one", "two"]);
  assert.equal(conversation.earlier, "");
});

test("what the person thinks of an answer stands on its turn", async () => {
  const messages = [{ id: "u1", role: "user", text: "Hi", turn_id: "t1" }, { id: "m1", role: "assistant", text: "Hello", turn_id: "t1", state: "complete" }];
  const { conversation } = living({ stored: { messages, running_turn_id: null } });
  await conversation.open("c1");
  conversation.rate("m1", { rating: "down", reason: "No" });
  assert.deepEqual(conversation.turns[0].feedback, { rating: "down", reason: "No" });
});

const message = (id, role, parent, more = {}) => ({ id, role, text: `${role} ${id}`, turn_id: `t-${id}`, parent_id: parent, ...more });
const TWO = {
  running_turn_id: null,
  messages: [
    message("u1", "user", null), message("a1", "assistant", "u1", { turn_id: "t-u1" }),
    message("u2", "user", "a1"), message("a2", "assistant", "u2", { turn_id: "t-u2", custom_payload: { id: "p1", type: "data_proposal", status: "pending" } }),
  ],
};

test("a message that is edited stands beside the one it was, and what followed is gone from sight", async () => {
  const { conversation, streams } = living({ stored: TWO });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[1], "in other words");
  const { message: words, parent_message_id: parent, conversation_id: id } = streams[0].what;
  assert.deepEqual([words, parent, id], ["in other words", "a1", "c1"]);
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u1", "in other words"]);
});

test("the first message that is edited follows none, which is said", async () => {
  const { conversation, streams } = living({ stored: TWO });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[0], "otherwise");
  assert.equal(streams[0].what.parent_message_id, null);
  assert.equal(conversation.turns.length, 1);
});

test("an open proposal of what is set aside is settled as soon as the server has taken the message", async () => {
  const { conversation, streams, told } = living({ stored: TWO });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[1], "in other words");
  assert.deepEqual(told.superseded, []);
  streams[0].send(STARTED);
  assert.deepEqual(told.superseded, ["p1"]);
});

test("what was said just now is edited in its place, and so is what follows an answer that failed", async () => {
  const { conversation, streams } = living({ stored: TWO });
  conversation.send("Hello");
  streams[0].send(STARTED);
  streams[0].send(COMPLETE);
  await streams[0].end();
  conversation.send("More");
  streams[1].send({ ...STARTED, turn_id: "t-u2" });
  streams[1].send({ type: "error", code: "internal", message: "No." });
  await streams[1].end();
  await conversation.edit(conversation.turns[1], "Better");
  assert.equal(streams[2].what.parent_message_id, "m1");
});

test("a message that was refused is edited at the end of the conversation", async () => {
  const { conversation, streams } = living();
  conversation.send("Hello");
  await streams[0].refuse(429, { error: "too_many", detail: "Wait." });
  await conversation.edit(conversation.turns[0], "Hello again");
  assert.equal("parent_message_id" in streams[1].what, false);
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["Hello again"]);
});

test("trying again an edit that was refused keeps its place", async () => {
  const { conversation, streams } = living({ stored: TWO });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[1], "in other words");
  await streams[0].refuse(429, { error: "too_many", detail: "Wait." });
  conversation.again(conversation.turns[1]);
  assert.equal(streams[1].what.parent_message_id, "a1");
  assert.equal("retry_of" in streams[1].what, false);
});

test("a retry says nothing of the message before", async () => {
  const { conversation, streams } = living({ stored: TWO });
  await conversation.open("c1");
  conversation.again(conversation.turns[1]);
  assert.equal(streams[0].what.retry_of, "t-u2");
  assert.equal("parent_message_id" in streams[0].what, false);
});

test("while a turn runs nothing is edited", async () => {
  const { conversation, streams } = living({ stored: TWO });
  await conversation.open("c1");
  conversation.send("More");
  await conversation.edit(conversation.turns[0], "otherwise");
  assert.equal(streams.length, 1);
});
