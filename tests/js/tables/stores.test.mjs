import assert from "node:assert/strict";
import { test } from "node:test";

import { UndoStack } from "../../../static/tables/undo_memory.js";
import { nextSort, pageQuery, readPageQuery, rowsUrl, sortDirection, sortKeys, sortNumber, sortText, withSortKey } from "../../../static/tables/view_state.js";

test("a new change makes what was undone unreachable", () => {
  const stack = new UndoStack();
  stack.record("made", 1);
  stack.record("made", 2);
  stack.record("undone", 2);
  assert.deepEqual([stack.nextUndo, stack.nextRedo], [1, 2]);
  stack.record("made", 3);
  assert.deepEqual([stack.nextUndo, stack.nextRedo], [3, undefined]);
});
test("a change that was undone out of turn is the next to be redone, and before what was undone earlier", () => {
  const stack = new UndoStack({ done: [1, 2], undone: [3] });
  stack.record("undone", 1);
  assert.deepEqual([stack.done, stack.undone], [[2], [3, 1]]);
  stack.record("redone", 1);
  assert.deepEqual([stack.done, stack.undone], [[2, 1], [3]]);
});
test("what changed nothing is not undone", () => {
  const stack = new UndoStack();
  stack.record("made", null);
  assert.equal(stack.nextUndo, undefined);
});
test("a forgotten change is neither undone nor redone", () => {
  const stack = new UndoStack();
  stack.record("made", 1);
  stack.record("forget", 1);
  assert.equal(stack.nextUndo, undefined);
});

test("the view survives in the address", () => {
  const view = { search: "a & b", sort: "-col_x", filter: '{"and":[]}' };
  assert.deepEqual(readPageQuery(pageQuery(view)), view);
  assert.equal(pageQuery({ search: "", sort: "", filter: "" }), "");
});
test("rows are asked for by column id", () => {
  const address = rowsUrl(5, { search: "x", sort: "", filter: "" }, { offset: 100, limit: 50 });
  assert.equal(address, "/api/tables/5/rows/?keys=id&offset=100&limit=50&search=x");
});
test("a head sorts upwards, downwards, then not at all", () => {
  assert.equal(nextSort("", "c"), "c");
  assert.equal(nextSort("c", "c"), "-c");
  assert.equal(nextSort("-c", "c"), "");
  assert.equal(sortDirection("-c", "c"), "descending");
});
test("a further head is sorted by as well: upwards, downwards, then not any more", () => {
  assert.equal(withSortKey("a", "b"), "a,b");
  assert.equal(withSortKey("a,b", "b"), "a,-b");
  assert.equal(withSortKey("a,-b", "b"), "a");
  assert.equal(withSortKey("a,-b", "a"), "-a,-b");
  assert.equal(nextSort("a,-b", "b"), "b");
});
test("more columns than the server takes are not sorted by", () => {
  const most = Array.from({ length: 10 }, (_, place) => `c${place}`).join(",");
  assert.equal(withSortKey(most, "x"), most);
});
test("of several columns each has its place", () => {
  assert.deepEqual(["a", "b", "c"].map((id) => sortNumber("a,-b", id)), [1, 2, 0]);
  assert.equal(sortNumber("a", "a"), 0);
  assert.equal(sortDirection("a,-b", "b"), "descending");
  assert.equal(sortText(sortKeys("a,-b")), "a,-b");
});
test("a filter that cannot be read is none", () => assert.equal(readPageQuery("?filter=%7B&sort=a").filter, ""));
