// What is read, said again and thought of in a conversation that is there already.

import assert from "node:assert/strict";
import { test } from "node:test";

import { catchUp } from "../../../static/chat/tab_sync.js";
import { readEarlier, showBranch } from "../../../static/chat/stored_turns.js";
import { settled } from "../held.mjs";
import { COMPLETE, STARTED, living } from "./living.mjs";

test("earlier messages are put before those there are, until there are none", async () => {
  const page = (text, earlier) => ({ messages: [{ id: `u-${text}`, role: "user", text, turn_id: text }], running_turn_id: null, earlier });
  const stored = page("two", "u-two");
  const { conversation } = living({ stored });
  await conversation.open("c1");
  assert.equal(conversation.earlier, "u-two");
  Object.assign(stored, page("one", null));
  await readEarlier(conversation);
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
  conversation.retry(conversation.turns[1]);
  assert.equal(streams[1].what.parent_message_id, "a1");
  assert.equal("retry_of" in streams[1].what, false);
});

test("a retry says nothing of the message before", async () => {
  const { conversation, streams } = living({ stored: TWO });
  await conversation.open("c1");
  conversation.retry(conversation.turns[1]);
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

const versions = (...ids) => ({ beside: ids });
const LATER = {
  running_turn_id: null, tip: "a2",
  messages: [message("u2", "user", null, versions("u1", "u2")), message("a2", "assistant", "u2", { turn_id: "t-u2" })],
};
const BEFORE = {
  running_turn_id: null, tip: "a2",
  messages: [message("u1", "user", null, versions("u1", "u2")), message("a1", "assistant", "u1", { turn_id: "t-u1" })],
};

/** A conversation whose older branch is looked at. */
async function lookingAtBefore() {
  const stored = { ...LATER };
  const opened = living({ stored });
  await opened.conversation.open("c1");
  Object.assign(stored, BEFORE);
  await showBranch(opened.conversation, "u1");
  return { ...opened, stored };
}

test("an older branch can be looked at, and each message knows what stands beside it", async () => {
  const { conversation } = await lookingAtBefore();
  const places = conversation.turns.map(({ userText, questionId, questionVersions }) => [userText, questionId, questionVersions]);
  assert.deepEqual(places, [["user u1", "u1", ["u1", "u2"]]]);
  assert.equal(conversation.branch.last, "a1");
});

test("what is said while an older branch is looked at follows its last message, and then that is the one", async () => {
  const { conversation, streams } = await lookingAtBefore();
  conversation.send("go on from here");
  assert.equal(streams[0].what.parent_message_id, "a1");
  streams[0].send(STARTED);
  assert.equal(conversation.branch.last, "");
  streams[0].send(COMPLETE);
  await streams[0].end();
  conversation.send("and on");
  assert.equal("parent_message_id" in streams[1].what, false);
});

test("answering an older question again is a retry like any other", async () => {
  const { conversation, streams } = await lookingAtBefore();
  conversation.retry(conversation.turns[0]);
  assert.equal(streams[0].what.retry_of, "t-u1");
  assert.equal("parent_message_id" in streams[0].what, false);
});

test("back at the latest branch nothing is aside", async () => {
  const { conversation, stored } = await lookingAtBefore();
  Object.assign(stored, LATER);
  await showBranch(conversation, "u2");
  assert.equal(conversation.branch.last, "");
});

test("a turn that began in another tab is followed in place of the older branch", async () => {
  const stored = { ...LATER };
  const { conversation, streams } = living({ stored });
  await conversation.open("c1");
  Object.assign(stored, { running_turn_id: "t9" });
  await showBranch(conversation, "u1");
  assert.equal(streams[0].what.turnId, "t9");
});

test("while a turn runs no other branch is looked at", async () => {
  const { conversation, told } = living({ stored: LATER });
  await conversation.open("c1");
  conversation.send("More");
  await showBranch(conversation, "u1");
  assert.deepEqual(told.fetched, ["c1"]);
});

test("an answer that stands in another's place knows it as soon as it has ended", async () => {
  const stored = { ...TWO };
  const { conversation, streams } = living({ stored });
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

test("a proposal that was open on the latest branch is settled when the conversation goes on from an older one", async () => {
  const stored = { ...TWO, tip: "a2" };
  const { conversation, streams, told } = living({ stored });
  await conversation.open("c1");
  Object.assign(stored, { messages: BEFORE.messages });
  await showBranch(conversation, "u1");
  conversation.send("go on from here");
  assert.deepEqual(told.superseded, []);
  streams[0].send(STARTED);
  assert.deepEqual(told.superseded, ["p1"]);
});

/** Answers that come when the test says so: `answers[n](answer)`. */
function slowly(conversation) {
  const answers = [];
  conversation.server.messages = () => new Promise((resolve) => { answers.push(resolve); });
  return answers;
}

test("of two branches that were asked for one after the other the last is shown, whichever came first", async () => {
  const { conversation } = living({ stored: LATER });
  await conversation.open("c1");
  const answers = slowly(conversation);
  const shown = [showBranch(conversation, "u2"), showBranch(conversation, "u1")];
  answers[1](BEFORE);
  answers[0](LATER);
  await Promise.all(shown);
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u1"]);
});

test("a branch that was asked for is shown although an opinion has come in meanwhile", async () => {
  const { conversation } = living({ stored: LATER });
  await conversation.open("c1");
  const answers = slowly(conversation);
  const shown = showBranch(conversation, "u1");
  conversation.rate("a2", { rating: "up", reason: "" });
  answers[0](BEFORE);
  await shown;
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u1"]);
});

test("what is said before another branch has come is not pushed aside by it", async () => {
  const { conversation, streams } = living({ stored: LATER });
  await conversation.open("c1");
  const answers = slowly(conversation);
  const shown = showBranch(conversation, "u1");
  conversation.send("go on");
  streams[0].send(STARTED);
  streams[0].send(COMPLETE);
  await streams[0].end();
  answers[0](BEFORE);
  await shown;
  assert.deepEqual(conversation.turns.map((turn) => turn.userText), ["user u2", "go on"]);
});

test("news that were asked for before another branch is looked at do not push it aside", async () => {
  const { conversation } = living({ stored: LATER });
  await conversation.open("c1");
  const answers = slowly(conversation);
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
