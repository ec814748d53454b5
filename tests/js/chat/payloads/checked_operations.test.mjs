import assert from "node:assert/strict";
import { test } from "node:test";

import { CheckedOperations } from "../../../../static/chat/payloads/proposal.js";

const operation = (index, action, state = "ok", more = {}) => ({ index, action, state, old: {}, new: {}, notes: [], ...more });

test("operations start checked, except conflicts and errors", () => {
  const checked = new CheckedOperations([
    operation(0, "add"), operation(1, "add", "warning"), operation(2, "update", "conflict"), operation(3, "add", "error"),
  ]);
  assert.deepEqual(checked.chosen, [0, 1]);
});
test("all checked operations are sent as the word all", () => assert.equal(new CheckedOperations([operation(0, "add")]).chosen, "all"));
test("an error cannot be checked", () => {
  const checked = new CheckedOperations([operation(0, "add", "error")]);
  checked.set(0, true);
  assert.equal(checked.selected, 0);
});
test("a conflict can be checked individually, and then overwrites", () => {
  const checked = new CheckedOperations([operation(0, "update", "conflict"), operation(1, "add")]);
  checked.setAll(true);
  assert.deepEqual(checked.overwrites, []);
  checked.set(0, true);
  assert.deepEqual(checked.overwrites, [0]);
});
test("an operation on a deleted row cannot be checked", () => {
  const checked = new CheckedOperations([operation(0, "update", "conflict", { notes: [{ code: "row_missing", detail: "" }] })]);
  checked.set(0, true);
  assert.equal(checked.selected, 0);
});
test("all operations of a kind are checked and unchecked together", () => {
  const checked = new CheckedOperations([operation(0, "add"), operation(1, "add"), operation(2, "delete")]);
  assert.equal(checked.toggleKind("add"), false);
  assert.deepEqual(checked.chosen, [2]);
  assert.equal(checked.toggleKind("add"), true);
  assert.equal(checked.chosen, "all");
});
test("a new preview does not change the decisions of the user", () => {
  const checked = new CheckedOperations([operation(0, "add"), operation(1, "add")]);
  checked.set(0, false);
  checked.update([operation(0, "add", "warning"), operation(1, "add")]);
  assert.deepEqual(checked.chosen, [1]);
});
test("a corrected operation is checked when it can be applied", () => {
  const checked = new CheckedOperations([operation(0, "add", "error")]);
  checked.update([operation(0, "add")]);
  assert.equal(checked.selected, 1);
});
test("an operation that becomes a conflict is unchecked", () => {
  const checked = new CheckedOperations([operation(0, "update")]);
  checked.update([operation(0, "update", "conflict")]);
  assert.equal(checked.selected, 0);
});
test("a checked conflict is unchecked when its current value changes", () => {
  const conflict = (old) => operation(0, "update", "conflict", { old: { status: old } });
  const checked = new CheckedOperations([conflict("Offer")]);
  checked.set(0, true);
  checked.update([conflict("Offer")]);
  assert.equal(checked.selected, 1);
  checked.update([conflict(null)]);
  assert.equal(checked.selected, 0);
});
test("unchecking an added column unchecks changes to it, and checking a change checks the column", () => {
  const checked = new CheckedOperations([operation(0, "add", "ok", { column_id: "x" }), operation(1, "reorder", "ok", { column_id: "x" })]);
  checked.set(0, false);
  assert.equal(checked.selected, 0);
  checked.set(1, true);
  assert.equal(checked.chosen, "all");
});
test("operations are counted by action and by state", () => {
  const { counts } = new CheckedOperations([operation(0, "add"), operation(1, "add", "error"), operation(2, "delete", "warning")]);
  assert.deepEqual(counts, { ok: 1, warning: 1, conflict: 0, error: 1, add: 2, delete: 1 });
});
