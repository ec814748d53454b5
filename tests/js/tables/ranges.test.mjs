import assert from "node:assert/strict";
import { test } from "node:test";

import { averageText, figuresOf } from "../../../static/tables/cell_figures.js";
import { repeatToFill } from "../../../static/tables/pasting.js";
import { columnsIn, contains, rectOf, rowsIn } from "../../../static/tables/range_figures.js";

const rect = { top: 2, bottom: 5, left: 1, right: 2 };

test("a range is the same from whichever corner it was begun", () => {
  assert.deepEqual(rectOf({ index: 5, col: 1 }, { index: 2, col: 2 }), rect);
  assert.deepEqual(rectOf({ index: 2, col: 2 }, { index: 5, col: 1 }), rect);
});
test("its corners are part of it", () => {
  assert.equal(rowsIn(rect), 4);
  assert.equal(columnsIn(rect), 2);
  assert.ok(contains(rect, { index: 2, col: 1 }) && contains(rect, { index: 5, col: 2 }));
  assert.ok(![{ index: 1, col: 1 }, { index: 6, col: 1 }, { index: 3, col: 0 }, { index: 3, col: 3 }].some((spot) => contains(rect, spot)));
});
test("one cell is spread over all that are selected", () => {
  assert.deepEqual(repeatToFill([["x"]], rect), [["x", "x"], ["x", "x"], ["x", "x"], ["x", "x"]]);
});
test("lines are repeated where they fit in whole times", () => {
  assert.deepEqual(repeatToFill([["a", "b"], ["c", "d"]], rect), [["a", "b"], ["c", "d"], ["a", "b"], ["c", "d"]]);
});
test("what does not fit in whole times is pasted as it is", () => {
  for (const cells of [[["a"], ["b"], ["c"]], [["a", "b", "c"]], [["a", "b"], ["c"]]]) assert.equal(repeatToFill(cells, rect), cells);
});
test("figures pass over whatever is no number", () => {
  assert.deepEqual(figuresOf([3, null, "7", true, 1, undefined, 2]), { numbers: 3, sum: 6, min: 1, max: 3 });
});
test("an average is rounded, and its digits are not grouped, as in the cells", () => {
  assert.deepEqual([2012, 2012.456, 1.23456789].map((value) => averageText(value, "en")), ["2012", "2012.46", "1.23457"]);
});
test("a sum keeps what a small number would lose beside a large one", () => {
  assert.equal(figuresOf([1e16, 1, 1, -1e16]).sum, 2);
  assert.equal(figuresOf(Array.from({ length: 10 }, () => 0.1)).sum, 1);
  assert.equal(figuresOf([1e308, 1e308]).sum, Infinity);
});
test("of no numbers there are no figures", () => assert.equal(figuresOf(["a", null]).numbers, 0));
