import assert from "node:assert/strict";
import { test } from "node:test";

import { UndoStack } from "../../../static/tables/undo_memory.js";
import { nextSort, pageQuery, readPageQuery, rowsUrl, sortDirection, sortKeys, sortNumber, sortText, withSortKey } from "../../../static/tables/view_state.js";
import "./declared_types.mjs";

test("a new change clears the undone changes", () => {
  const stack = new UndoStack();
  stack.record("made", 1);
  stack.record("made", 2);
  stack.record("undone", 2);
  assert.deepEqual([stack.nextUndo, stack.nextRedo], [1, 2]);
  stack.record("made", 3);
  assert.deepEqual([stack.nextUndo, stack.nextRedo], [3, undefined]);
});
test("a change undone out of order is the next to be redone, before those undone earlier", () => {
  const stack = new UndoStack({ done: [1, 2], undone: [3] });
  stack.record("undone", 1);
  assert.deepEqual([stack.done, stack.undone], [[2], [3, 1]]);
  stack.record("redone", 1);
  assert.deepEqual([stack.done, stack.undone], [[2, 1], [3]]);
});
test("a change without effect is not undone", () => {
  const stack = new UndoStack();
  stack.record("made", null);
  assert.equal(stack.nextUndo, undefined);
});
test("a removed change is neither undone nor redone", () => {
  const stack = new UndoStack();
  stack.record("made", 1);
  stack.record("forget", 1);
  assert.equal(stack.nextUndo, undefined);
});

test("the view is stored in the URL", () => {
  const view = { search: "a & b", sort: "-col_x", filter: '{"and":[]}' };
  assert.deepEqual(readPageQuery(pageQuery(view)), view);
  assert.equal(pageQuery({ search: "", sort: "", filter: "" }), "");
});
test("rows are requested with column ids", () => {
  const address = rowsUrl(5, { search: "x", sort: "", filter: "" }, { offset: 100, limit: 50 });
  assert.equal(address, "/api/tables/5/rows/?keys=id&offset=100&limit=50&count=estimate&search=x");
});
test("a header sorts ascending, descending, then not at all", () => {
  assert.equal(nextSort("", "c"), "c");
  assert.equal(nextSort("c", "c"), "-c");
  assert.equal(nextSort("-c", "c"), "");
  assert.equal(sortDirection("-c", "c"), "descending");
});
test("another header is added to the sort order: ascending, descending, then removed", () => {
  assert.equal(withSortKey("a", "b"), "a,b");
  assert.equal(withSortKey("a,b", "b"), "a,-b");
  assert.equal(withSortKey("a,-b", "b"), "a");
  assert.equal(withSortKey("a,-b", "a"), "-a,-b");
  assert.equal(nextSort("a,-b", "b"), "b");
});
test("the number of sort columns is limited to the maximum of the server", () => {
  const most = Array.from({ length: 10 }, (_, place) => `c${place}`).join(",");
  assert.equal(withSortKey(most, "x"), most);
});
test("each of several sort columns has its position", () => {
  assert.deepEqual(["a", "b", "c"].map((id) => sortNumber("a,-b", id)), [1, 2, 0]);
  assert.equal(sortNumber("a", "a"), 0);
  assert.equal(sortDirection("a,-b", "b"), "descending");
  assert.equal(sortText(sortKeys("a,-b")), "a,-b");
});
test("an invalid filter is ignored", () => assert.equal(readPageQuery("?filter=%7B&sort=a").filter, ""));
