// Coming back to a page that was out of sight.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settledMeanwhile } from "../../../static/chat/catch_up.js";
import { newTurn } from "../../../static/chat/state.js";

const turn = (turnId, status) => ({
  ...newTurn({ key: turnId || "k", userText: "x" }), turnId, payload: status ? { id: `p-${turnId}`, status, outcome: { change: 1 } } : null,
});

test("a proposal settled in another tab is told with its outcome", () => {
  const settled = settledMeanwhile([turn("a"), turn("b", "pending")], [turn("a"), turn("b", "applied")]);
  assert.deepEqual(settled, [{ id: "p-b", status: "applied", outcome: { change: 1 } }]);
});

test("nothing new is nothing to tell", () => {
  assert.deepEqual(settledMeanwhile([turn("a"), turn("b", "pending")], [turn("a"), turn("b", "pending")]), []);
});

test("a message that never went out does not count", () => {
  assert.deepEqual(settledMeanwhile([turn("a"), turn("")], [turn("a")]), []);
});

test("turns of another tab mean that the conversation is to be read anew", () => {
  assert.equal(settledMeanwhile([turn("a")], [turn("a"), turn("b")]), null);
  assert.equal(settledMeanwhile([turn("a")], [turn("z")]), null);
});
