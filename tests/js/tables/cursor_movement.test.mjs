import assert from "node:assert/strict";
import { test } from "node:test";

import { nextPosition } from "../../../static/tables/grid_geometry.js";

const size = { rows: 10, cols: 4, page: 5, first: -1 };
const from = { row: 3, col: 1 };

const cases = [
  ["up", { key: "ArrowUp" }, { row: 2, col: 1 }],
  ["to the first row with Ctrl", { key: "ArrowUp", ctrl: true }, { row: 0, col: 1 }],
  ["down", { key: "ArrowDown" }, { row: 4, col: 1 }],
  ["left", { key: "ArrowLeft" }, { row: 3, col: 0 }],
  ["right", { key: "ArrowRight" }, { row: 3, col: 2 }],
  ["to the first cell of the row", { key: "Home" }, { row: 3, col: 0 }],
  ["to the last cell of all with Ctrl", { key: "End", ctrl: true }, { row: 9, col: 3 }],
  ["a page down", { key: "PageDown" }, { row: 8, col: 1 }],
  ["a page up, but not above the first row", { key: "PageUp" }, { row: 0, col: 1 }],
  ["to the next cell with Tab", { key: "Tab" }, { row: 3, col: 2 }],
];
for (const [name, pressed, to] of cases) test(`the cursor moves ${name}`, () => assert.deepEqual(nextPosition(from, pressed, size), to));

test("Tab at the end of a row moves to the next row", () => {
  assert.deepEqual(nextPosition({ row: 3, col: 3 }, { key: "Tab" }, size), { row: 4, col: 0 });
});
test("Tab in the last cell leaves the grid", () => assert.equal(nextPosition({ row: 9, col: 3 }, { key: "Tab" }, size), null));
test("Shift and Tab in the first cell leaves the grid", () => {
  assert.equal(nextPosition({ row: 0, col: 0 }, { key: "Tab", shift: true }, size), null);
});
test("the gutter is before the first cell", () => {
  assert.deepEqual(nextPosition({ row: 3, col: 0 }, { key: "ArrowLeft" }, size), { row: 3, col: -1 });
});
test("other keys do not move the cursor", () => assert.equal(nextPosition(from, { key: "x" }, size), null));
test("the cursor does not move in an empty grid", () => assert.equal(nextPosition(from, { key: "ArrowDown" }, { ...size, rows: 0 }), null));
