import assert from "node:assert/strict";
import { test } from "node:test";

import { Geometry, MAX_ROWS, assignSlots, longestIncreasing } from "../../../static/tables/grid_geometry.js";

/** Reproducible pseudorandom numbers. @param {number} seed */
function* numbers(seed) {
  let state = seed;
  while (true) {
    state = (state * 1664525 + 1013904223) % 4294967296;
    yield state / 4294967296;
  }
}

/** @param {Iterator<number>} random @param {number} most */
const upTo = (random, most) => Math.floor(random.next().value * (most + 1));

/** @param {Iterator<number>} random */
function anyGeometry(random) {
  const count = upTo(random, upTo(random, 1) ? 200 : 600_000);
  const notes = new Map(Array.from({ length: upTo(random, 20) }, () => [upTo(random, count), 1 + upTo(random, 60)]));
  return new Geometry({ count, rowHeight: 20 + upTo(random, 30), notes });
}

test("each row starts where the previous row and its note end", () => {
  const geometry = new Geometry({ count: 4, rowHeight: 10, notes: new Map([[1, 5], [3, 7], [9, 100]]) });
  assert.deepEqual([0, 1, 2, 3, 4].map((index) => geometry.topOf(index)), [0, 10, 25, 35, 52]);
  assert.equal(geometry.height, 52);
});

test("the window of any scroll position covers the visible rows and few others", () => {
  const random = numbers(7);
  for (let round = 0; round < 2000; round += 1) {
    const geometry = anyGeometry(random);
    const view = { top: upTo(random, geometry.height + 2000) - 1000, height: upTo(random, 1200), overscan: upTo(random, 20) };
    const { first, last } = geometry.windowAt(view);
    assert.ok(first >= 0 && last <= geometry.count && first <= last);
    assert.ok(last - first <= view.height / geometry.rowHeight + 2 * view.overscan + 2);
    for (const y of [view.top, view.top + view.height / 2, view.top + view.height]) {
      if (y < 0 || y >= geometry.height) continue;
      const index = geometry.indexAt(y);
      assert.ok(geometry.topOf(index) <= y && y < geometry.topOf(index + 1));
      assert.ok(index >= first && index < last);
    }
  }
});

test("a grid without rows has no window", () => {
  const geometry = new Geometry({ count: 0, rowHeight: 36 });
  assert.deepEqual(geometry.windowAt({ top: 0, height: 800, overscan: 8 }), { first: 0, last: 0 });
  assert.equal(geometry.height, 0);
});

test("above the maximum scroll height, only the first rows are shown", () => {
  const geometry = new Geometry({ count: 3_000_000, rowHeight: 36 });
  assert.equal(geometry.count, MAX_ROWS);
  assert.equal(geometry.windowAt({ top: 1e12, height: 800, overscan: 8 }).last, MAX_ROWS);
});

test("recycling never draws an index twice, moves no remaining row, and is limited to the visible rows", () => {
  const random = numbers(11);
  let names = 0;
  const slots = new Map();
  for (let round = 0; round < 3000; round += 1) {
    const first = upTo(random, 400);
    const last = first + upTo(random, 40);
    const pinned = Array.from({ length: upTo(random, 2) }, () => upTo(random, 440));
    const before = new Map(slots);
    const { moves, missing, spare } = assignSlots(slots, { first, last }, pinned);
    for (const [slot, index] of moves) slots.set(slot, index);
    for (const index of missing) slots.set(`slot ${(names += 1)}`, index);
    for (const slot of spare) slots.delete(slot);
    const shown = [...slots.values()];
    assert.equal(new Set(shown).size, shown.length);
    for (let index = first; index < last; index += 1) assert.ok(shown.includes(index));
    for (const index of pinned) if ([...before.values()].includes(index)) assert.ok(shown.includes(index));
    for (const [slot, index] of before) if (index >= first && index < last) assert.equal(slots.get(slot), index);
    assert.ok(shown.length <= last - first + pinned.length);
  }
});

/** @param {number[]} left @returns {number} the length of the longest increasing subsequence */
function mostRising([first, ...rest], above = -Infinity) {
  if (first === undefined) return 0;
  const without = mostRising(rest, above);
  return first > above ? Math.max(without, 1 + mostRising(rest, first)) : without;
}

test("reordering rows moves as few of them as possible", () => {
  const random = numbers(23);
  for (let round = 0; round < 500; round += 1) {
    const shuffled = Array.from({ length: upTo(random, 9) }, (_, step) => step * 3)
      .map((number) => [random.next().value, number]).sort(([one], [other]) => one - other).map(([, number]) => number);
    const stay = longestIncreasing(shuffled);
    const left = shuffled.filter((number) => stay.has(number));
    assert.deepEqual(left, [...left].sort((one, other) => one - other));
    assert.equal(left.length, mostRising(shuffled));
  }
  assert.deepEqual([...longestIncreasing([11, 12, 3, 4, 5])].sort(), [3, 4, 5]);
});
