// Stored conversations: older messages, edited messages, branches and ratings.

import assert from "node:assert/strict";
import { test } from "node:test";

import { catchUp } from "../../../static/chat/tab_sync.js";
import { readEarlier, showBranch } from "../../../static/chat/older_messages.js";
import { settled } from "../held_requests.mjs";
import { COMPLETE, STARTED, openConversation } from "./controlled_conversation.mjs";

test("earlier messages are inserted before the loaded ones until all are loaded", async () => {
  const page = (text, earlier) => ({ messages: [{ id: `u-${text}`, role: "user", text, turn_id: text }], running_turn_id: null, earlier });
  const stored = page("two", "u-two");
  const { conversation } = openConversation({ stored });
  await conversation.open("c1");
  assert.equal(conversation.earlier, "u-two");
  Object.assign(stored, page("one", null));
  await readEarlier(conversation);
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["one", "two"]);
  assert.equal(conversation.earlier, "");
});

test("a rating is shown on the turn of its answer", async () => {
  const messages = [{ id: "u1", role: "user", text: "Hi", turn_id: "t1" }, { id: "m1", role: "assistant", text: "Hello", turn_id: "t1", state: "complete" }];
  const { conversation } = openConversation({ stored: { messages, running_turn_id: null } });
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

test("an edited message is a version of the original, and later turns are hidden", async () => {
  const { conversation, streams } = openConversation({ stored: TWO });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[1], "in other words");
  const { message: words, parent_message_id: parent, conversation_id: id } = streams[0].what;
  assert.deepEqual([words, parent, id], ["in other words", "a1", "c1"]);
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u1", "in other words"]);
});

test("an edited first message is sent with an explicit empty parent", async () => {
  const { conversation, streams } = openConversation({ stored: TWO });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[0], "otherwise");
  assert.equal(streams[0].what.parent_message_id, null);
  assert.equal(conversation.turns.length, 1);
});

test("an open proposal of the replaced branch is superseded when the server has accepted the message", async () => {
  const { conversation, streams, calls } = openConversation({ stored: TWO });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[1], "in other words");
  assert.deepEqual(calls.superseded, []);
  streams[0].send(STARTED);
  assert.deepEqual(calls.superseded, ["p1"]);
});

test("a message just sent, and one after a failed answer, is edited in its position", async () => {
  const { conversation, streams } = openConversation({ stored: TWO });
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

test("a refused message is edited at the end of the conversation", async () => {
  const { conversation, streams } = openConversation();
  conversation.send("Hello");
  await streams[0].refuse(429, { error: "too_many", detail: "Wait." });
  await conversation.edit(conversation.turns[0], "Hello again");
  assert.equal("parent_message_id" in streams[1].what, false);
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["Hello again"]);
});

test("retrying a refused edit does not change its position", async () => {
  const { conversation, streams } = openConversation({ stored: TWO });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[1], "in other words");
  await streams[0].refuse(429, { error: "too_many", detail: "Wait." });
  conversation.retry(conversation.turns[1]);
  assert.equal(streams[1].what.parent_message_id, "a1");
  assert.equal("retry_of" in streams[1].what, false);
});

test("a retry does not send the parent message", async () => {
  const { conversation, streams } = openConversation({ stored: TWO });
  await conversation.open("c1");
  conversation.retry(conversation.turns[1]);
  assert.equal(streams[0].what.retry_of, "t-u2");
  assert.equal("parent_message_id" in streams[0].what, false);
});

test("messages cannot be edited while a turn is running", async () => {
  const { conversation, streams } = openConversation({ stored: TWO });
  await conversation.open("c1");
  conversation.send("More");
  await conversation.edit(conversation.turns[0], "otherwise");
  assert.equal(streams.length, 1);
});

const versions = (...ids) => ({ beside: ids });
const LATER = {
  running_turn_id: null, tip: "a2",
  messages: [message("u2", "user", null, versions("u1", "u2")), message("a2", "assistant", "u2", { turn_id: "t-u2" })],
};
const BEFORE = {
  running_turn_id: null, tip: "a2",
  messages: [message("u1", "user", null, versions("u1", "u2")), message("a1", "assistant", "u1", { turn_id: "t-u1" })],
};

/** A conversation in which the older branch is selected. */
async function openOlderBranch() {
  const stored = { ...LATER };
  const opened = openConversation({ stored });
  await opened.conversation.open("c1");
  Object.assign(stored, BEFORE);
  await showBranch(opened.conversation, "u1");
  return { ...opened, stored };
}

test("an older branch can be selected, and each message has its versions", async () => {
  const { conversation } = await openOlderBranch();
  const places = conversation.turns.map(({ userText, questionId, questionVersions }) => [userText, questionId, questionVersions]);
  assert.deepEqual(places, [["user u1", "u1", ["u1", "u2"]]]);
  assert.equal(conversation.branch.last, "a1");
});

test("a message sent in an older branch follows its last message and makes it the latest branch", async () => {
  const { conversation, streams } = await openOlderBranch();
  conversation.send("go on from here");
  assert.equal(streams[0].what.parent_message_id, "a1");
  streams[0].send(STARTED);
  assert.equal(conversation.branch.last, "");
  streams[0].send(COMPLETE);
  await streams[0].end();
  conversation.send("and on");
  assert.equal("parent_message_id" in streams[1].what, false);
});

test("retrying an older message is an ordinary retry", async () => {
  const { conversation, streams } = await openOlderBranch();
  conversation.retry(conversation.turns[0]);
  assert.equal(streams[0].what.retry_of, "t-u1");
  assert.equal("parent_message_id" in streams[0].what, false);
});

test("after selecting the latest branch no other branch is shown", async () => {
  const { conversation, stored } = await openOlderBranch();
  Object.assign(stored, LATER);
  await showBranch(conversation, "u2");
  assert.equal(conversation.branch.last, "");
});

test("a turn started in another tab is followed instead of the older branch", async () => {
  const stored = { ...LATER };
  const { conversation, streams } = openConversation({ stored });
  await conversation.open("c1");
  Object.assign(stored, { running_turn_id: "t9" });
  await showBranch(conversation, "u1");
  assert.equal(streams[0].what.turnId, "t9");
});

test("no other branch can be selected while a turn is running", async () => {
  const { conversation, calls } = openConversation({ stored: LATER });
  await conversation.open("c1");
  conversation.send("More");
  await showBranch(conversation, "u1");
  assert.deepEqual(calls.fetched, ["c1"]);
});

test("a retried answer has its versions as soon as it is complete", async () => {
  const stored = { ...TWO };
  const { conversation, streams } = openConversation({ stored });
  await conversation.open("c1");
  await conversation.edit(conversation.turns[1], "in other words");
  streams[0].send({ ...STARTED, turn_id: "t-u3" });
  const question = message("u3", "user", "a1", versions("u2", "u3"));
  Object.assign(stored, { messages: [...TWO.messages.slice(0, 2), question, message("a3", "assistant", "u3", { turn_id: "t-u3" })] });
  streams[0].send({ type: "complete", payload: { message: "Done", turn_id: "t-u3", message_id: "a3" } });
  await streams[0].end();
  await settled();
  assert.deepEqual([conversation.turns[1].questionId, conversation.turns[1].questionVersions], ["u3", ["u2", "u3"]]);
});

test("an open proposal of the latest branch is superseded when an older branch is continued", async () => {
  const stored = { ...TWO, tip: "a2" };
  const { conversation, streams, calls } = openConversation({ stored });
  await conversation.open("c1");
  Object.assign(stored, { messages: BEFORE.messages });
  await showBranch(conversation, "u1");
  conversation.send("go on from here");
  assert.deepEqual(calls.superseded, []);
  streams[0].send(STARTED);
  assert.deepEqual(calls.superseded, ["p1"]);
});

/** Hold the responses with messages back until the test sends them: `answers[n](answer)`. */
function holdMessages(conversation) {
  const answers = [];
  conversation.server.messages = () => new Promise((resolve) => { answers.push(resolve); });
  return answers;
}

test("of two requested branches the last is shown, whichever arrives first", async () => {
  const { conversation } = openConversation({ stored: LATER });
  await conversation.open("c1");
  const answers = holdMessages(conversation);
  const shown = [showBranch(conversation, "u2"), showBranch(conversation, "u1")];
  answers[1](BEFORE);
  answers[0](LATER);
  await Promise.all(shown);
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u1"]);
});

test("a requested branch is shown although a rating has arrived meanwhile", async () => {
  const { conversation } = openConversation({ stored: LATER });
  await conversation.open("c1");
  const answers = holdMessages(conversation);
  const shown = showBranch(conversation, "u1");
  conversation.rate("a2", { rating: "up", reason: "" });
  answers[0](BEFORE);
  await shown;
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u1"]);
});

test("a message sent before another branch arrives is not replaced by it", async () => {
  const { conversation, streams } = openConversation({ stored: LATER });
  await conversation.open("c1");
  const answers = holdMessages(conversation);
  const shown = showBranch(conversation, "u1");
  conversation.send("go on");
  streams[0].send(STARTED);
  streams[0].send(COMPLETE);
  await streams[0].end();
  answers[0](BEFORE);
  await shown;
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u2", "go on"]);
});

test("an update requested before another branch was selected does not replace it", async () => {
  const { conversation } = openConversation({ stored: LATER });
  await conversation.open("c1");
  const answers = holdMessages(conversation);
  const caught = catchUp(conversation, { onSettled() {}, onTurns() { assert.fail("the person looks at another branch now"); } });
  const shown = showBranch(conversation, "u1");
  answers[1](BEFORE);
  await shown;
  answers[0](LATER);
  await settled();
  answers[2](BEFORE);
  await caught;
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u1"]);
});
