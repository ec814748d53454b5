// What is read, said again and thought of in a conversation that is there already.

import assert from "node:assert/strict";
import { test } from "node:test";

import { COMPLETE, STARTED, living, settled } from "./living.mjs";

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
