import assert from "node:assert/strict";
import { test } from "node:test";

import { RowStore } from "../../../static/tables/row_store.js";
import { UndoStack } from "../../../static/tables/undo_stack.js";
import { nextSort, pageQuery, readPageQuery, rowsAddress, sortDirection } from "../../../static/tables/view_state.js";

const row = (id) => ({ id, version: 1, data: { a: id } });

test("a store knows whether there is more to read", () => {
  const store = new RowStore([row(1), row(2)], { offset: 0, count: 3 });
  assert.ok(store.hasMore);
  store.append([row(3)]);
  assert.ok(!store.hasMore);
});
test("a row that moved while pages were read is kept once", () => {
  const store = new RowStore([row(1), row(2)], { offset: 0, count: 4 });
  assert.deepEqual(store.append([row(2), row(3)]).map((one) => one.id), [3]);
});
test("a row that was just added is known, and read again with its page", () => {
  const store = new RowStore([row(1)], { offset: 0, count: 3 });
  store.know(row(9));
  assert.equal(store.count, 4);
  assert.equal(store.get("9").data.a, 9);
  assert.equal(store.append([row(9)]).length, 1);
});
test("an unknown row cannot be put", () => assert.equal(new RowStore([]).put(row(1)), false));

test("a new change makes what was undone unreachable", () => {
  const stack = new UndoStack();
  stack.made(1);
  stack.made(2);
  stack.tookBack();
  assert.deepEqual([stack.nextUndo, stack.nextRedo], [1, 2]);
  stack.made(3);
  assert.deepEqual([stack.nextUndo, stack.nextRedo], [3, undefined]);
});
test("what changed nothing is not undone", () => {
  const stack = new UndoStack();
  stack.made(null);
  assert.equal(stack.nextUndo, undefined);
});
test("a forgotten change is neither undone nor redone", () => {
  const stack = new UndoStack();
  stack.made(1);
  stack.forget(1);
  assert.equal(stack.nextUndo, undefined);
});

test("the view survives in the address", () => {
  const view = { search: "a & b", sort: "-col_x", filter: '{"and":[]}' };
  assert.deepEqual(readPageQuery(pageQuery(view)), view);
  assert.equal(pageQuery({ search: "", sort: "", filter: "" }), "");
});
test("rows are asked for by column id", () => {
  const address = rowsAddress(5, { search: "x", sort: "", filter: "" }, { offset: 100, limit: 50 });
  assert.equal(address, "/api/tables/5/rows/?keys=id&offset=100&limit=50&search=x");
});
test("a head sorts upwards, downwards, then not at all", () => {
  assert.equal(nextSort("", "c"), "c");
  assert.equal(nextSort("c", "c"), "-c");
  assert.equal(nextSort("-c", "c"), "");
  assert.equal(sortDirection("-c", "c"), "descending");
});
