import assert from "node:assert/strict";
import test from "node:test";

import { UndoMemory } from "../../../static/tables/undo_memory.js";

/** @returns {any} the session storage of a tab */
function tab(entries = {}) {
  const held = new Map(Object.entries(entries));
  return { getItem: (key) => held.get(key) ?? null, setItem: (key, value) => held.set(key, value) };
}

test("each user and table has its own changes", () => {
  const store = tab();
  const mine = new UndoMemory(store, { readerId: "1", tableId: "7" });
  mine.write({ done: [3, 4], undone: [5] });
  assert.deepEqual(mine.read(), { done: [3, 4], undone: [5] });
  mine.record("made", 6);
  mine.record("made", undefined);
  assert.deepEqual(new UndoMemory(store, { readerId: "1", tableId: "7" }).read(), { done: [3, 4, 6], undone: [] });
  for (const whose of [{ readerId: "2", tableId: "7" }, { readerId: "1", tableId: "8" }]) {
    assert.deepEqual(new UndoMemory(store, whose).read(), { done: [], undone: [] });
  }
});

test("a change undone or redone on another page is the next to be redone or undone", () => {
  const memory = new UndoMemory(tab(), {});
  memory.write({ done: [3, 4], undone: [] });
  memory.record("undone", 4);
  assert.deepEqual(memory.read(), { done: [3], undone: [4] });
  memory.record("redone", 4);
  assert.deepEqual(memory.read(), { done: [3, 4], undone: [] });
});

test("the last hundred changes are stored, and invalid stored values are ignored", () => {
  const many = new UndoMemory(tab(), {});
  many.write({ done: Array.from({ length: 150 }, (_, at) => at), undone: [] });
  assert.deepEqual([many.read().done.length, many.read().done.at(-1)], [100, 149]);
  for (const text of ["[", "null", "[]", '{"done": "3", "undone": ["x", 2.5, 4]}']) {
    const read = new UndoMemory(tab({ "undo::": text }), {}).read();
    assert.deepEqual(read.done, []);
  }
});
