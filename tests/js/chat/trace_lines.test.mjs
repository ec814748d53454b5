// The texts of a trace.

import assert from "node:assert/strict";
import { test } from "node:test";

import { steps, totals } from "../../../static/chat/trace_lines.js";

const CALL = { kind: "answer", usage: { input_tokens: 1000, output_tokens: 20 }, retries: 0, began_ms: 0, first_token_ms: 500, ended_ms: 1000 };
const TRACE = {
  state: "complete", ended_ms: 4000, model: "m", usage: { input_tokens: 2000, output_tokens: 40, cache_read_tokens: 900 },
  calls: [CALL, { ...CALL, kind: "repair", retries: 2, began_ms: 2000, ended_ms: 4000 }],
  tools: [{ tool_name: "get_rows", began_ms: 1000, duration_ms: 1000 }],
};

test("steps are in their order, each at its time in the turn", () => {
  const found = steps(TRACE);
  assert.deepEqual(found.map((step) => step.title), ["Model call 1", "Get rows", "Repair 2, after 2 retries"]);
  assert.deepEqual(found.map((step) => [step.start, step.width]), [[0, 25], [25, 25], [50, 50]]);
  assert.deepEqual(found.map((step) => step.isTool), [false, true, false]);
});

test("a step without duration is visible, and an interrupted step lasts until the end", () => {
  const [tool, call] = steps({ ...TRACE, calls: [{ ...CALL, began_ms: 3000, ended_ms: null }], tools: [{ tool_name: "x", began_ms: 0, duration_ms: 0 }] });
  assert.equal(tool.width, 1);
  assert.deepEqual([call.start, call.width], [75, 25]);
});

test("the totals include the cost only if it is known", () => {
  const names = (trace) => totals(trace).map(([name]) => name);
  assert.equal(names(TRACE).includes("Cost"), false);
  assert.deepEqual(totals({ ...TRACE, cost: "0.031200" }).at(-1), ["Cost", "$0.0312"]);
  assert.deepEqual(Object.fromEntries(totals(TRACE))["First word"], "0.5 s");
});

test("a turn without a model call has totals", () => {
  const empty = { state: "error", ended_ms: null, calls: [], tools: [], usage: {}, model: null };
  assert.deepEqual(steps(empty), []);
  assert.equal(Object.fromEntries(totals(empty))["Tokens in"], "–");
});
