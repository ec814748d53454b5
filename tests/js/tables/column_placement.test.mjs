import assert from "node:assert/strict";
import { test } from "node:test";

import { placedByStep } from "../../../static/tables/column_actions.js";
import { columnDropPosition, placedBeside } from "../../../static/tables/column_drag.js";

const all = ["a", "b", "c", "d"];

test("a column is placed after its neighbor", () => assert.equal(placedBeside(all, "a", "c", "after"), "c"));
test("placing a column before its neighbor places it after the previous one", () => {
  assert.equal(placedBeside(all, "d", "b", "before"), "a");
});
test("a column placed before the first one is the first", () => assert.equal(placedBeside(all, "c", "a", "before"), null));
test("placing a column at its own position changes nothing", () => {
  assert.equal(placedBeside(all, "b", "a", "after"), undefined);
  assert.equal(placedBeside(all, "b", "c", "before"), undefined);
  assert.equal(placedBeside(all, "b", "b", "after"), undefined);
  assert.equal(placedBeside(all, "a", "b", "before"), undefined);
});
test("an unknown column is not moved", () => assert.equal(placedBeside(all, "x", "a", "before"), undefined));
test("every position can be reached, and repeating a move changes nothing", () => {
  for (const id of all) {
    for (const neighbour of all.filter((one) => one !== id)) {
      for (const side of ["before", "after"]) {
        const after = placedBeside(all, id, neighbour, side);
        const others = all.filter((one) => one !== id);
        if (after !== undefined) others.splice(after === null ? 0 : others.indexOf(after) + 1, 0, id);
        const moved = after === undefined ? all : others;
        assert.equal(moved.indexOf(id) - moved.indexOf(neighbour), side === "after" ? 1 : -1);
        assert.equal(placedBeside(moved, id, neighbour, side), undefined);
      }
    }
  }
});
test("a step passes the next visible column and hidden columns before it", () => {
  assert.equal(placedByStep(all, ["a", "d"], "a", 1), "d");
  assert.equal(placedByStep(all, ["a", "d"], "d", -1), null);
});
test("the last column cannot move further", () => {
  assert.equal(placedByStep(all, all, "d", 1), undefined);
  assert.equal(placedByStep(all, all, "a", -1), undefined);
});
test("a dropped column is placed on the nearer side of the header below it, or after the last column", () => {
  const heads = [{ id: "a", start: 0, end: 100 }, { id: "b", start: 100, end: 200 }];
  assert.deepEqual(columnDropPosition(heads, 20), { neighbour: "a", side: "before" });
  assert.deepEqual(columnDropPosition(heads, 80), { neighbour: "a", side: "after" });
  assert.deepEqual(columnDropPosition(heads, 120), { neighbour: "b", side: "before" });
  assert.deepEqual(columnDropPosition(heads, 900), { neighbour: "b", side: "after" });
  assert.equal(columnDropPosition([], 5), null);
});
