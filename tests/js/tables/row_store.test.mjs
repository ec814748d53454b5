import assert from "node:assert/strict";
import { test } from "node:test";

import { BLOCK, RowStore } from "../../../static/tables/row_store.js";

const row = (id) => ({ id, version: 1, data: { a: id } });
const block = (number) => Array.from({ length: BLOCK }, (_, step) => row(number * BLOCK + step));

test("blocks are stored individually, without the rows between them", () => {
  const store = new RowStore(block(0), { offset: 0, count: 100_000 });
  store.setRows(block(500), { offset: 500 * BLOCK, count: 100_000 });
  assert.equal(store.at(50_007).id, 50_007);
  assert.equal(store.indexOf("50007"), 50_007);
  assert.equal(store.at(300), undefined);
  assert.deepEqual(store.missing({ first: 90, last: 110 }), [1]);
  assert.deepEqual(store.missing({ first: 50_000, last: 50_100 }), []);
  assert.deepEqual(store.missing({ first: 99_950, last: 100_050 }), [999]);
});
test("the last block is complete", () => {
  const store = new RowStore([row(1), row(2)], { offset: 0, count: 2 });
  assert.deepEqual(store.missing({ first: 0, last: 40 }), []);
});
test("a row moved between reads is stored at its new position only", () => {
  const store = new RowStore([row(1), row(2)], { offset: 0, count: 4 });
  store.setRows([row(2), row(3)], { offset: 2, count: 4 });
  assert.equal(store.indexOf(2), 2);
  assert.equal(store.at(1), undefined);
  assert.deepEqual(store.missing({ first: 0, last: 4 }), [0]);
});
test("a row at the position of another replaces it", () => {
  const store = new RowStore([row(1)], { offset: 0, count: 1 });
  store.setRows([row(9)], { offset: 0, count: 1 });
  assert.equal(store.get(1), undefined);
  assert.equal(store.indexOf(1), -1);
});
test("rows beyond the end are removed when the count decreases", () => {
  const store = new RowStore(block(0), { offset: 0, count: BLOCK });
  store.setRows([row(0)], { offset: 0, count: 1 });
  assert.equal(store.get(50), undefined);
});
test("the number of stored blocks is limited: those farthest from the view are removed", () => {
  const store = new RowStore([], { count: 100_000 });
  for (let number = 0; number < 300; number += 1) {
    store.setRows(block(number), { offset: number * BLOCK, count: 100_000 });
    store.evictFar({ first: number * BLOCK, last: number * BLOCK + 40 });
  }
  assert.ok(store.rows.length <= 12 * BLOCK);
  assert.equal(store.indexById.size, store.byIndex.size);
  assert.equal(store.at(299 * BLOCK).id, 299 * BLOCK);
  assert.equal(store.at(0), undefined);
});
test("an added row is counted and stored, and has a position after it is read", () => {
  const store = new RowStore([row(1)], { offset: 0, count: 1 });
  store.addUnplaced(row(9));
  assert.equal(store.count, 2);
  assert.equal(store.length, 1);
  assert.equal(store.get("9").data.a, 9);
  assert.equal(store.indexOf(9), -1);
  store.reset([row(1), row(9)], { offset: 0, count: 2 });
  assert.equal(store.count, 2);
  assert.equal(store.indexOf(9), 1);
});
test("an unknown row cannot be updated", () => assert.equal(new RowStore([]).update(row(1)), false));
test("an outdated response does not replace newer values", () => {
  const store = new RowStore([row(1), row(2)], { offset: 0, count: 2 });
  store.update({ id: 1, version: 2, data: { a: "new" } });
  store.setRows([row(1)], { offset: 0, count: 2 });
  assert.equal(store.get(1).data.a, "new");
  store.reset([row(2), row(1)], { offset: 0, count: 2 });
  assert.deepEqual([store.at(1).data.a, store.at(1).version], ["new", 2]);
  store.reset([{ id: 1, version: 3, data: { a: "newest" } }], { offset: 0, count: 1 });
  assert.equal(store.get(1).data.a, "newest");
});
test("written changes are applied before rows are read: changed, deleted, added at the end", () => {
  const store = new RowStore(block(0), { offset: 0, count: 250 });
  const added = [{ id: 900, version: 1, data: { a: "x" } }, { id: 901, version: 1, data: { a: "y" } }];
  store.applyChanges({ changed: new Map([[3, { b: 7 }], [5000, { b: 1 }]]), deleted: [0, 2, 40], added }, { atEnd: true });
  assert.equal(store.count, 249);
  assert.deepEqual([store.at(0).id, store.at(1).id, store.at(1).data.b, store.at(1).data.a], [1, 3, 7, 3]);
  assert.deepEqual([store.indexOf(39), store.indexOf(41), store.indexOf(99)], [37, 38, 96]);
  assert.equal(store.get(40), undefined);
  assert.deepEqual([store.indexOf(900), store.indexOf(901)], [247, 248]);
  assert.deepEqual(store.missing({ first: 0, last: 249 }), [0, 1, 2]);
  assert.equal(store.indexById.size, store.byIndex.size);
});
test("a row added to a sorted view is counted, and has a position after it is read", () => {
  const store = new RowStore(block(0), { offset: 0, count: 100 });
  store.applyChanges({ changed: new Map(), deleted: [], added: [{ id: 900, version: 1, data: {} }] }, { atEnd: false });
  assert.deepEqual([store.count, store.length, store.indexOf(900)], [101, 100, -1]);
});
test("deleting rows outside the view leaves no row beyond the end", () => {
  const store = new RowStore(block(0), { offset: 100, count: 200 });
  store.remove([5000, 5001]);
  assert.deepEqual([store.count, store.at(199), store.at(197).id], [198, undefined, 97]);
});
test("an added row is counted once, also if a response contains it", () => {
  const store = new RowStore(block(0), { offset: 0, count: 250 });
  store.addUnplaced(row(900));
  assert.equal(store.count, 251);
  store.setRows(block(1), { offset: BLOCK, count: 251 });
  assert.deepEqual([store.count, store.get(900).id], [251, 900]);
});
test("unmatched rows stay in their position and are not counted until rows are read again", () => {
  const store = new RowStore([row(1), row(2)], { offset: 0, count: 2 });
  store.addUnplaced(row(3));
  for (const id of ["2", "3"]) store.unmatched.add(id);
  assert.deepEqual([store.count, store.displayedCount, store.length, store.indexOf(2)], [1, 3, 2, 1]);
  store.reset([row(1)], { offset: 0, count: 1 });
  assert.deepEqual([store.count, store.displayedCount, store.unmatched.size], [1, 1, 0]);
});
