// Converting stored messages to turns.

import assert from "node:assert/strict";
import { test } from "node:test";

import { turnsFromMessages, isUnanswered } from "../../../static/chat/stored_turns.js";

const question = (id, turn) => ({ id, role: "user", text: `Ask ${id}`, turn_id: turn, created_at: "2026-01-01T10:00:00Z" });
const reply = (id, turn, more = {}) => ({
  id, role: "assistant", text: `Answer ${id}`, turn_id: turn, created_at: "2026-01-01T10:00:05Z", suggested_values: [],
  suggested_actions: [], tool_history: [], custom_payload: null, warning: "", state: "complete", error: null, ...more,
});

test("each question is a turn with its answer", () => {
  const turns = turnsFromMessages([question("1", "a"), reply("2", "a"), question("3", "b"), reply("4", "b")], null, "c");
  assert.deepEqual(turns.map((turn) => [turn.userText, turn.text, turn.phase]), [
    ["Ask 1", "Answer 2", "complete"], ["Ask 3", "Answer 4", "complete"],
  ]);
});

test("the running turn is empty until its stream, even if a part of its answer is stored", () => {
  for (const messages of [[question("1", "a")], [question("1", "a"), reply("2", "a")]]) {
    const [turn] = turnsFromMessages(messages, "a", "c");
    assert.deepEqual([turn.phase, turn.text, turn.lastSeq, turn.turnId], ["running", "", 0, "a"]);
  }
});

test("stopped and failed answers have their state", () => {
  const error = { code: "timeout", message: "Too long.", retryable: true };
  const turns = turnsFromMessages(
    [question("1", "a"), reply("2", "a", { state: "cancelled" }), question("3", "b"), reply("4", "b", { state: "error", error })],
    null, "c");
  assert.deepEqual(turns.map((turn) => turn.phase), ["cancelled", "error"]);
  assert.equal(turns[1].error.message, "Too long.");
});

test("a question whose turn failed without an answer has the error", () => {
  const error = { code: "internal", message: "", retryable: false };
  const [turn] = turnsFromMessages([{ ...question("1", "a"), state: "error", error }], null, "c");
  assert.equal(turn.phase, "error");
  assert.equal(turn.error.retryable, false);
});

test("an answer without a question is a separate turn", () => {
  const [turn] = turnsFromMessages([reply("1", "a")], null, "c");
  assert.deepEqual([turn.userText, turn.text], ["", "Answer 1"]);
});

test("a message that is answered again belongs to its new turn", () => {
  const [turn] = turnsFromMessages([question("1", "first")], "second", "c");
  assert.deepEqual([turn.phase, turn.turnId], ["running", "second"]);
});

test("a repeated answer has the id of its turn", () => {
  const [turn] = turnsFromMessages([question("1", "first"), reply("2", "second")], null, "c");
  assert.equal(turn.turnId, "second");
});

test("a question whose turn ended without an answer can be retried", () => {
  for (const turnId of ["a", null]) {
    const [turn] = turnsFromMessages([question("1", turnId)], null, "c");
    assert.deepEqual([turn.phase, turn.error.retryable, isUnanswered(turn)], ["error", true, true]);
  }
});

test("a question followed by others cannot be retried", () => {
  const [first, second] = turnsFromMessages([question("1", null), question("2", "b"), reply("3", "b")], null, "c");
  assert.deepEqual([first.phase, second.phase], ["complete", "complete"]);
});

test("an empty stopped answer is not missing", () => {
  const [turn] = turnsFromMessages([question("1", "a"), reply("2", "a", { text: "", state: "cancelled" })], null, "c");
  assert.deepEqual([turn.phase, isUnanswered(turn)], ["cancelled", false]);
});
