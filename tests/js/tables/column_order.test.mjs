import assert from "node:assert/strict";
import { test } from "node:test";

import { dropPlace, placedBeside, placedByStep } from "../../../static/tables/grid_head.js";

const all = ["a", "b", "c", "d"];

test("a column goes after its neighbour", () => assert.equal(placedBeside(all, "a", "c", "after"), "c"));
test("a column goes before its neighbour, which is after the one before that", () => {
  assert.equal(placedBeside(all, "d", "b", "before"), "a");
});
test("before the first one is the front", () => assert.equal(placedBeside(all, "c", "a", "before"), null));
test("where it stands already nothing changes", () => {
  assert.equal(placedBeside(all, "b", "a", "after"), undefined);
  assert.equal(placedBeside(all, "b", "c", "before"), undefined);
  assert.equal(placedBeside(all, "b", "b", "after"), undefined);
  assert.equal(placedBeside(all, "a", "b", "before"), undefined);
});
test("a column that is gone goes nowhere", () => assert.equal(placedBeside(all, "x", "a", "before"), undefined));
test("every place can be reached, and asking for it twice changes nothing", () => {
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
test("a step passes the next one that is seen, and the hidden ones between", () => {
  assert.equal(placedByStep(all, ["a", "d"], "a", 1), "d");
  assert.equal(placedByStep(all, ["a", "d"], "d", -1), null);
});
test("at the end there is no further step", () => {
  assert.equal(placedByStep(all, all, "d", 1), undefined);
  assert.equal(placedByStep(all, all, "a", -1), undefined);
});
test("what is dropped stands on the nearer side of the head under it, and beyond the last one after that", () => {
  const heads = [{ id: "a", start: 0, end: 100 }, { id: "b", start: 100, end: 200 }];
  assert.deepEqual(dropPlace(heads, 20), { neighbour: "a", side: "before" });
  assert.deepEqual(dropPlace(heads, 80), { neighbour: "a", side: "after" });
  assert.deepEqual(dropPlace(heads, 120), { neighbour: "b", side: "before" });
  assert.deepEqual(dropPlace(heads, 900), { neighbour: "b", side: "after" });
  assert.equal(dropPlace([], 5), null);
});
