// Stored messages as turns.

import assert from "node:assert/strict";
import { test } from "node:test";

import { turnsFromMessages, isUnanswered } from "../../../static/chat/stored_turns.js";

const asked = (id, turn) => ({ id, role: "user", text: `Ask ${id}`, turn_id: turn, created_at: "2026-01-01T10:00:00Z" });
const answered = (id, turn, more = {}) => ({
  id, role: "assistant", text: `Answer ${id}`, turn_id: turn, created_at: "2026-01-01T10:00:05Z", suggested_values: [],
  suggested_actions: [], tool_history: [], custom_payload: null, warning: "", state: "complete", error: null, ...more,
});

test("each question stands with its answer", () => {
  const turns = turnsFromMessages([asked("1", "a"), answered("2", "a"), asked("3", "b"), answered("4", "b")], null, "c");
  assert.deepEqual(turns.map((turn) => [turn.userText, turn.text, turn.phase]), [
    ["Ask 1", "Answer 2", "complete"], ["Ask 3", "Answer 4", "complete"],
  ]);
});

test("the running turn is empty and waits for its stream, even where part of its answer is stored", () => {
  for (const messages of [[asked("1", "a")], [asked("1", "a"), answered("2", "a")]]) {
    const [turn] = turnsFromMessages(messages, "a", "c");
    assert.deepEqual([turn.phase, turn.text, turn.lastSeq, turn.turnId], ["running", "", 0, "a"]);
  }
});

test("an answer that was stopped or failed says so", () => {
  const error = { code: "timeout", message: "Too long.", retryable: true };
  const turns = turnsFromMessages(
    [asked("1", "a"), answered("2", "a", { state: "cancelled" }), asked("3", "b"), answered("4", "b", { state: "error", error })],
    null, "c");
  assert.deepEqual(turns.map((turn) => turn.phase), ["cancelled", "error"]);
  assert.equal(turns[1].error.message, "Too long.");
});

test("a question whose turn failed before any answer carries the error itself", () => {
  const error = { code: "internal", message: "", retryable: false };
  const [turn] = turnsFromMessages([{ ...asked("1", "a"), state: "error", error }], null, "c");
  assert.equal(turn.phase, "error");
  assert.equal(turn.error.retryable, false);
});

test("an answer without a question stands alone", () => {
  const [turn] = turnsFromMessages([answered("1", "a")], null, "c");
  assert.deepEqual([turn.userText, turn.text], ["", "Answer 1"]);
});

test("a message that is being answered again is taken up by its new turn", () => {
  const [turn] = turnsFromMessages([asked("1", "first")], "second", "c");
  assert.deepEqual([turn.phase, turn.turnId], ["running", "second"]);
});

test("an answer given again is known by the turn that gave it", () => {
  const [turn] = turnsFromMessages([asked("1", "first"), answered("2", "second")], null, "c");
  assert.equal(turn.turnId, "second");
});

test("a question whose turn is over and left no answer can be asked again", () => {
  for (const turnId of ["a", null]) {
    const [turn] = turnsFromMessages([asked("1", turnId)], null, "c");
    assert.deepEqual([turn.phase, turn.error.retryable, isUnanswered(turn)], ["error", true, true]);
  }
});

test("a question that others follow was answered elsewhere, or nobody was to answer it", () => {
  const [first, second] = turnsFromMessages([asked("1", null), asked("2", "b"), answered("3", "b")], null, "c");
  assert.deepEqual([first.phase, second.phase], ["complete", "complete"]);
});

test("an answer of which nothing came is no lost one", () => {
  const [turn] = turnsFromMessages([asked("1", "a"), answered("2", "a", { text: "", state: "cancelled" })], null, "c");
  assert.deepEqual([turn.phase, isUnanswered(turn)], ["cancelled", false]);
});
