import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { averageText, figuresOf } from "../../../static/tables/cell_figures.js";
import { repeatToFill } from "../../../static/tables/pasting.js";
import { columnsIn, contains, rectOf, rowsIn } from "../../../static/tables/grid_geometry.js";

const rect = { top: 2, bottom: 5, left: 1, right: 2 };

test("a range does not depend on its starting corner", () => {
  assert.deepEqual(rectOf({ index: 5, col: 1 }, { index: 2, col: 2 }), rect);
  assert.deepEqual(rectOf({ index: 2, col: 2 }, { index: 5, col: 1 }), rect);
});
test("the corners are part of a range", () => {
  assert.equal(rowsIn(rect), 4);
  assert.equal(columnsIn(rect), 2);
  assert.ok(contains(rect, { index: 2, col: 1 }) && contains(rect, { index: 5, col: 2 }));
  assert.ok(![{ index: 1, col: 1 }, { index: 6, col: 1 }, { index: 3, col: 0 }, { index: 3, col: 3 }].some((spot) => contains(rect, spot)));
});
test("one cell is repeated in all selected cells", () => {
  assert.deepEqual(repeatToFill([["x"]], rect), [["x", "x"], ["x", "x"], ["x", "x"], ["x", "x"]]);
});
test("lines are repeated if the selection is a multiple of them", () => {
  assert.deepEqual(repeatToFill([["a", "b"], ["c", "d"]], rect), [["a", "b"], ["c", "d"], ["a", "b"], ["c", "d"]]);
});
test("lines are pasted once if the selection is no multiple of them", () => {
  for (const cells of [[["a"], ["b"], ["c"]], [["a", "b", "c"]], [["a", "b"], ["c"]]]) assert.equal(repeatToFill(cells, rect), cells);
});
test("statistics ignore values that are no numbers", () => {
  assert.deepEqual(figuresOf([3, null, "7", true, 1, undefined, 2]), { numbers: 3, sum: 6, average: 2, min: 1, max: 3 });
});
test("an average is rounded and not grouped, as in cells", () => {
  assert.deepEqual([2012, 2012.456, 1.23456789].map((value) => averageText(value, "en")), ["2012", "2012.46", "1.23457"]);
});
for (const [numbers, sum, average] of JSON.parse(readFileSync(new URL("sum_vectors.json", import.meta.url), "utf8"))) {
  test(`sum and average are those of the server: ${numbers}`, () => {
    const found = figuresOf(numbers);
    assert.deepEqual([found.sum, found.average], [sum ?? Infinity, average]);
  });
}
test("without numbers there are no statistics", () => assert.equal(figuresOf(["a", null]).numbers, 0));
