// Catching up when a hidden page becomes visible.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LATEST_BRANCH, turnsFromMessages } from "../../../static/chat/stored_turns.js";
import { catchUp, settledSince } from "../../../static/chat/tab_sync.js";
import { newTurn } from "../../../static/chat/state.js";

const turn = (turnId, status) => ({
  ...newTurn({ key: turnId || "k", userText: "x" }), turnId, payload: status ? { id: `p-${turnId}`, status, outcome: { change: 1 } } : null,
});

test("a proposal decided in another tab is reported with its outcome", () => {
  const settled = settledSince([turn("a"), turn("b", "pending")], [turn("a"), turn("b", "applied")]);
  assert.deepEqual(settled, [{ id: "p-b", status: "applied", outcome: { change: 1 } }]);
});

test("an unchanged conversation is not reported", () => {
  assert.deepEqual(settledSince([turn("a"), turn("b", "pending")], [turn("a"), turn("b", "pending")]), []);
});

test("an unsent message is ignored", () => {
  assert.deepEqual(settledSince([turn("a"), turn("")], [turn("a")]), []);
});

test("turns of another tab require reading the conversation again", () => {
  assert.equal(settledSince([turn("a")], [turn("a"), turn("b")]), null);
  assert.equal(settledSince([turn("a")], [turn("z")]), null);
});

test("only the last turns of a long conversation are compared", () => {
  const ours = [turn("a"), turn("b"), turn("c", "pending")];
  assert.deepEqual(settledSince(ours, [turn("b"), turn("c", "applied")], true), [{ id: "p-c", status: "applied", outcome: { change: 1 } }]);
  assert.equal(settledSince(ours, [turn("c"), turn("d")], true), null);
  assert.equal(settledSince(ours, [turn("b"), turn("c", "applied")]), null);
});

test("a stored answer that was missing requires reading the conversation again, a still missing one does not", () => {
  const question = { id: "u1", role: "user", text: "Hi", turn_id: "t1" };
  const lost = turnsFromMessages([question], null, "c1");
  const answered = turnsFromMessages([question, { id: "m1", role: "assistant", text: "Hello", turn_id: "t1", state: "complete" }], null, "c1");
  assert.equal(settledSince(lost, answered), null);
  assert.equal(settledSince(answered, lost), null);
  assert.deepEqual(settledSince(lost, lost), []);
});

test("imported messages before the first turn of this conversation are not new", () => {
  const imported = [
    { id: "u0", role: "user", text: "Hi", turn_id: null }, { id: "m0", role: "assistant", text: "Hello", turn_id: null, state: "complete" },
    { id: "u1", role: "user", text: "And?", turn_id: "t1" }, { id: "m1", role: "assistant", text: "Yes", turn_id: "t1", state: "complete" },
  ];
  const turns = turnsFromMessages(imported, null, "c1");
  assert.deepEqual(settledSince([...turns, turn("")], turns), []);
});

test("a rating from another tab is shown", async () => {
  const messages = [
    { id: "u1", role: "user", text: "Hi", turn_id: "t1" },
    { id: "m1", role: "assistant", text: "Hello", turn_id: "t1", state: "complete", feedback: { rating: "up", reason: "" } },
  ];
  const rated = [];
  await catchUp(
    {
      scope: { conversationId: "c1" }, running: false, turns: [{ ...turn("t1"), messageId: "m1", feedback: null }],
      branch: LATEST_BRANCH, server: { messages: async () => ({ messages, running_turn_id: null }) }, rate: (id, feedback) => rated.push([id, feedback]),
    },
    { onSettled() {}, onTurns() { assert.fail("the turns are the same"); } });
  assert.deepEqual(rated, [["m1", { rating: "up", reason: "" }]]);
});
