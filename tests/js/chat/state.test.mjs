// The reducer, which computes the state of a turn from its events.

import assert from "node:assert/strict";
import { test } from "node:test";

import { newTurn, reduce } from "../../../static/chat/state.js";

function after(...events) {
  return events.reduce(
    (turn, event, at) => reduce(turn, { seq: at + 1, event }), newTurn({ key: "k", userText: "Hello" }));
}
const STARTED = { type: "status", message: "Thinking", turn_id: "t1", conversation_id: "c1" };
const TOOL = { type: "tool_start", tool: "search_rows", input: { query: "x" }, tool_use_id: "u1" };
const TOOL_DONE = {
  type: "tool_complete", tool: "search_rows", tool_use_id: "u1", index: 0, is_error: false, duration_ms: 310,
};

test("the first status sets the turn and its conversation", () => {
  const turn = after(STARTED);
  assert.equal(turn.turnId, "t1");
  assert.equal(turn.conversationId, "c1");
  assert.equal(turn.status, "Thinking");
  assert.equal(turn.phase, "running");
});

test("deltas are appended to the text and clear the status", () => {
  const turn = after(STARTED, { type: "text_delta", text: "Hel" }, { type: "text_delta", text: "lo" });
  assert.equal(turn.text, "Hello");
  assert.equal(turn.status, "");
});

test("a tool starts, reports progress and finishes", () => {
  const progress = { type: "tool_progress", tool_use_id: "u1", stage: "Reading", message: "9 of 24", progress: 0.4 };
  const running = after(STARTED, TOOL, progress).tools[0];
  assert.deepEqual([running.state, running.message, running.progress], ["running", "9 of 24", 0.4]);
  const done = after(STARTED, TOOL, progress, TOOL_DONE).tools[0];
  assert.deepEqual([done.state, done.index, done.durationMs], ["done", 0, 310]);
});

test("concurrent tools are distinguished by their ids", () => {
  const turn = after(STARTED, TOOL, { ...TOOL, tool_use_id: "u2" }, { ...TOOL_DONE, tool_use_id: "u2", is_error: true });
  assert.deepEqual(turn.tools.map((tool) => tool.state), ["running", "failed"]);
});

test("an event of an unknown type only changes the position in the stream", () => {
  const before = after(STARTED);
  const turn = reduce(before, { seq: 2, event: { type: "hologram", text: "x" } });
  assert.deepEqual(turn, { ...before, lastSeq: 2 });
});

test("property names of all objects are no event types", () => {
  const before = after(STARTED);
  assert.deepEqual(reduce(before, { seq: 2, event: { type: "constructor" } }), { ...before, lastSeq: 2 });
});

test("a repeated event is ignored", () => {
  const turn = after(STARTED, { type: "text_delta", text: "a" });
  assert.equal(reduce(turn, { seq: 2, event: { type: "text_delta", text: "a" } }), turn);
});

test("events after the end are ignored", () => {
  const turn = after(STARTED, { type: "cancelled" });
  assert.equal(reduce(turn, { seq: 9, event: { type: "text_delta", text: "late" } }), turn);
});

test("the final message replaces the streamed text and tools", () => {
  const turn = after(STARTED, TOOL, TOOL_DONE, { type: "text_delta", text: "[[tool:0]]Two" }, {
    type: "complete",
    payload: {
      message: "[[tool:0]]Two rows", message_id: "m1", suggested_values: [{ label: "a", value: "b" }],
      tool_history: [
        { tool_name: "search_rows", input: { query: "x" }, output: "2 rows", is_error: false, undo: { table_id: 1, change_id: 2 } },
      ],
    },
  });
  assert.equal(turn.phase, "complete");
  assert.equal(turn.text, "[[tool:0]]Two rows");
  assert.deepEqual(turn.tools[0].undo, { table_id: 1, change_id: 2 });
  assert.equal(turn.tools[0].durationMs, 310);
  assert.equal(turn.suggestedValues.length, 1);
});

test("a write of a tool undone by the user is still undone when the turn ends", () => {
  const undo = { table_id: 1, change_id: 2 };
  const turn = after(STARTED, TOOL, { ...TOOL_DONE, undo });
  const undone = { ...turn, tools: turn.tools.map((tool) => ({ ...tool, undo: { ...undo, undone: true } })) };
  const tool_history = [{ tool_name: "search_rows", input: {}, output: "2 rows", is_error: false, undo }];
  const ended = reduce(undone, { seq: 9, event: { type: "complete", payload: { message: "[[tool:0]]Done", tool_history } } });
  assert.deepEqual(ended.tools[0].undo, { ...undo, undone: true });
});

test("a tool history for display is no payload", () => {
  const turn = after(STARTED, { type: "complete", payload: { message: "", custom_payload: { type: "tool_history", data: [] } } });
  assert.equal(turn.payload, null);
});

test("a tool still running at the end is shown as stopped", () => {
  for (const type of ["cancelled", "error", "complete"]) {
    const turn = after(STARTED, TOOL, { type, payload: {}, message: "x", code: "timeout" });
    assert.equal(turn.tools[0].state, "stopped", type);
  }
});

test("text before an error is not removed", () => {
  const turn = after(STARTED, { type: "text_delta", text: "Half" }, { type: "error", code: "timeout", message: "Too long.", retry_after: 4, message_id: "m1" });
  assert.equal(turn.messageId, "m1");
  assert.equal(turn.text, "Half");
  assert.deepEqual(turn.error, { code: "timeout", message: "Too long.", retryable: true, retryAfter: 4 });
});

test("a proposal is counted only while it is streamed", () => {
  const arriving = after(STARTED, { type: "payload_progress", payload_type: "data_proposal", operations: [{}], count: 7 });
  assert.deepEqual(arriving.incoming, { payloadType: "data_proposal", count: 7 });
  assert.equal(reduce(arriving, { seq: 3, event: { type: "complete", payload: { message: "" } } }).incoming, null);
});

test("a streamed proposal is removed and counted again when the next model call starts", () => {
  const arriving = { type: "payload_progress", payload_type: "data_proposal", operations: [{}], count: 1 };
  assert.deepEqual(after(STARTED, arriving).incoming, { payloadType: "data_proposal", count: 1 });
  const corrected = after(STARTED, arriving, { type: "status", message: "Correcting the proposal…" });
  assert.deepEqual([corrected.incoming, corrected.status], [null, "Correcting the proposal…"]);
});

test("an unreadable proposal is stored as its raw text", () => {
  const turn = after(STARTED, { type: "complete", payload: { message: "It could not be read.", unreadable: "{'a': 1}" } });
  assert.equal(turn.unreadable, "{'a': 1}");
});
