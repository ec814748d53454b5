// A conversation with a server whose streams the test controls.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readWaiting } from "../../../static/chat/message_queue.js";
import { settled } from "../held_requests.mjs";
import { COMPLETE, SCOPE, STARTED, openConversation } from "./controlled_conversation.mjs";

test("the first message starts a conversation, which has its id from then on", async () => {
  const { conversation, streams, calls } = openConversation();
  conversation.send("Hello");
  assert.equal("conversation_id" in streams[0].what, false);
  streams[0].send(STARTED);
  streams[0].send(COMPLETE);
  await streams[0].end();
  assert.deepEqual(calls.named, ["c1"]);
  conversation.send("More");
  assert.equal(streams[1].what.conversation_id, "c1");
  assert.notEqual(streams[1].what.client_turn_id, streams[0].what.client_turn_id);
});

test("a message sent during a turn waits and is sent after it", async () => {
  const { conversation, streams, store } = openConversation();
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

test("a waiting message can be withdrawn", () => {
  const { conversation, streams } = openConversation();
  conversation.send("One");
  streams[0].send(STARTED);
  conversation.send("Two");
  assert.equal(conversation.withdraw(0), "Two");
  assert.deepEqual(conversation.waiting, []);
});

test("waiting messages are not sent after a failed turn until the user retries", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("One");
  streams[0].send(STARTED);
  conversation.send("Two");
  streams[0].send({ type: "error", code: "timeout", message: "Too long." });
  await streams[0].end();
  assert.equal(streams.length, 1);
  conversation.sendWaiting();
  assert.equal(streams[1].what.message, "Two");
});

test("stopping before the turn has an id cancels it as soon as it has one", async () => {
  const { conversation, streams, calls } = openConversation();
  conversation.send("One");
  await conversation.stop();
  assert.deepEqual(calls.cancelled, []);
  streams[0].send(STARTED);
  assert.deepEqual(calls.cancelled, ["t1"]);
  streams[0].send({ type: "cancelled" });
  await streams[0].end();
  assert.equal(conversation.turns[0].phase, "cancelled");
  assert.equal(conversation.running, false);
});

test("the reason why a running turn cannot be followed is shown until it can be", () => {
  const { conversation, streams } = openConversation();
  conversation.send("One");
  streams[0].breakOff(5, "Close a tab.");
  assert.deepEqual(conversation.broken, { seconds: 5, reason: "Close a tab." });
  streams[0].goOn();
  assert.equal(conversation.broken, null);
});

test("stopping a turn that did not reach the server ends it locally", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("One");
  streams[0].breakOff(4);
  await conversation.stop();
  assert.equal(streams[0].left, true);
  assert.equal(conversation.running, false);
});

test("a visible tab resumes the stream after the last event", () => {
  const { conversation, streams } = openConversation();
  conversation.send("One");
  streams[0].send(STARTED);
  streams[0].send({ type: "text_delta", text: "Ha" });
  conversation.disconnect();
  conversation.reconnect();
  assert.deepEqual(streams[1].what, { turnId: "t1", after: 2 });
  streams[1].send({ type: "text_delta", text: "lf" });
  assert.equal(conversation.turns[0].text, "Half");
  streams[0].send({ type: "text_delta", text: "late" });
  assert.equal(conversation.turns[0].text, "Half");
});

test("a conversation with a running turn is followed from the start of that turn", async () => {
  const stored = { messages: [{ id: "m", role: "user", text: "Hi", turn_id: "t9" }], running_turn_id: "t9" };
  const { conversation, streams } = openConversation({ stored });
  await conversation.open("c1");
  assert.deepEqual(streams[0].what, { turnId: "t9", after: 0 });
  assert.equal(conversation.running, true);
});

test("a message refused after sign-out is returned as text without a turn", async () => {
  const { conversation, streams, calls } = openConversation();
  conversation.send("Precious words");
  await streams[0].refuse(401);
  assert.deepEqual(calls.signedOut, ["Precious words"]);
  assert.deepEqual(conversation.turns, []);
});

test("a sign-out during an answer is reported, and the turn stays open", async () => {
  const { conversation, streams, calls } = openConversation();
  conversation.send("One");
  streams[0].send(STARTED);
  await streams[0].refuse(401, { error: "not_authenticated" });
  const [turn] = conversation.turns;
  assert.deepEqual([turn.phase, turn.error.retryable], ["error", false]);
  assert.match(turn.error.message, /The answer continues/);
  assert.deepEqual(calls.signedOut, [""]);
});

test("a reached limit is shown on the turn, which can be retried", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("One");
  await streams[0].refuse(429, { error: "throttled", detail: "Too many.", retry_after: 12 });
  const [turn] = conversation.turns;
  assert.deepEqual(turn.error, { code: "throttled", message: "Too many.", retryable: true, retryAfter: 12 });
  conversation.retry(turn);
  assert.equal(streams[1].what.message, "One");
  assert.equal("retry_of" in streams[1].what, false);
  assert.equal(conversation.turns.length, 1);
});

test("a retry names the repeated turn and replaces it", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("One");
  streams[0].send(STARTED);
  streams[0].send(COMPLETE);
  await streams[0].end();
  conversation.retry(conversation.turns[0]);
  assert.equal(streams[1].what.retry_of, "t1");
  assert.equal("message" in streams[1].what, false);
  assert.deepEqual(conversation.turns.map((turn) => [turn.userText, turn.phase]), [["One", "running"]]);
});

test("a message sent during the turn of another tab waits for it", async () => {
  const stored = { messages: [{ id: "m", role: "user", text: "Other", turn_id: "t7" }], running_turn_id: "t7" };
  const { conversation, streams, calls } = openConversation({ stored });
  conversation.scope = { ...SCOPE, conversationId: "c1" };
  conversation.send("Mine");
  await streams[0].refuse(409, { error: "busy", turn_id: "t7" });
  await settled();
  assert.deepEqual(calls.fetched, ["c1"]);
  assert.deepEqual(conversation.waiting, ["Mine"]);
  assert.equal(streams[1].what.turnId, "t7");
  streams[1].send({ type: "complete", payload: { message: "x" } });
  await streams[1].end();
  assert.equal(streams[2].what.message, "Mine");
});

test("the outcome of a proposal is shown on its turn", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("One");
  streams[0].send(STARTED);
  streams[0].send({ type: "complete", payload: { message: "", custom_payload: { id: "p1", type: "data_proposal", status: "pending", data: {} } } });
  await streams[0].end();
  conversation.updatePayload("p1", { status: "applied", outcome: { change: 3 } });
  assert.deepEqual([conversation.turns[0].payload.status, conversation.turns[0].payload.outcome.change], ["applied", 3]);
});

test("a slow response with a conversation does not replace a turn started meanwhile", async () => {
  const { conversation, streams } = openConversation({ stored: { messages: [{ id: "m", role: "user", text: "Old", turn_id: "t0" }], running_turn_id: null } });
  const opening = conversation.open("c-old");
  conversation.send("Quick");
  await opening;
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["Quick"]);
  assert.equal(streams.length, 1);
});

test("a message to a conversation moved to another page starts a new conversation", async () => {
  const { conversation, streams } = openConversation();
  conversation.scope = { ...SCOPE, conversationId: "c1" };
  conversation.send("And now?");
  await streams[0].refuse(400, { error: "conversation_elsewhere", detail: "It belongs to another page." });
  await settled();
  assert.equal("conversation_id" in streams[1].what, false);
  assert.equal(streams[1].what.message, "And now?");
  assert.equal(conversation.turns.length, 1);
});

test("messages that waited through a reload are sent after the running turn, unless it failed", async () => {
  const error = { code: "timeout", message: "", retryable: true };
  for (const [state, sent] of [["complete", 1], ["error", 0]]) {
    const messages = [
      { id: "m", role: "user", text: "Hi", turn_id: "t" },
      { id: "n", role: "assistant", text: "Yes", turn_id: "t", state, error: state === "error" ? error : null },
    ];
    const { conversation, streams, store } = openConversation({ stored: { messages, running_turn_id: null } });
    store.setItem("chat-waiting:c1", '["Later"]');
    await conversation.open("c1");
    assert.equal(streams.length, sent, state);
  }
});

test("an executed action starts a turn after the running one", async () => {
  const { conversation, streams } = openConversation();
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

test("a next step is started under an id shared by all tabs, and is not a message of the user", async () => {
  const { conversation, streams } = openConversation();
  const action = { action: "next", data: { payload_id: "p1" } };
  conversation.report(action, { key: "u5", words: "Fill it" });
  const { client_turn_id: id, message, interaction_type: type } = streams[0].what;
  assert.deepEqual([id, message, type], ["u5", "", "action_executed"]);
  assert.deepEqual([conversation.turns[0].userText, conversation.turns[0].isContinued], ["Fill it", true]);
});

test("a next step waits for a running turn and is never sent as a message", async () => {
  const { conversation, streams } = openConversation({ stored: { messages: [{ id: "m", role: "user", text: "Hi", turn_id: "t0" }], running_turn_id: "t0" } });
  conversation.scope = { ...SCOPE, conversationId: "c1" };
  const action = { action: "next", data: { payload_id: "p1" } };
  conversation.report(action, { key: "u5", words: "Fill it" });
  await streams[0].refuse(409, { turn_id: "t0" });
  assert.deepEqual(conversation.waiting, []);
  streams[1].send({ ...COMPLETE, payload: { ...COMPLETE.payload, turn_id: "t0" } });
  await streams[1].end();
  assert.deepEqual([streams[2].what.action, streams[2].what.client_turn_id], [action, "u5"]);
});
