// The nodes of rows are put into order after scrolling, but not while a pointer is pressed.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = new EventTarget();
const { press } = await import("../../../static/element.js");
const { GridWindow } = await import("../../../static/tables/grid_window.js");

/** A window whose three rows are in the page in another order than shown. */
function scrolled() {
  const rows = ["third", "first", "second"];
  const insertBefore = (row, next) => {
    rows.splice(rows.indexOf(row), 1);
    rows.splice(next === null ? rows.length : rows.indexOf(next), 0, row);
  };
  const body = { rows, insertBefore };
  const slots = new Map([["third", 2], ["first", 0], ["second", 1]]);
  const shown = Object.assign(Object.create(GridWindow.prototype), { grid: { editor: { isOpen: false } }, body, slots });
  return { shown, rows };
}

test("after scrolling, the nodes of rows are in the shown order", () => {
  const { shown, rows } = scrolled();
  shown.sortElements();
  assert.deepEqual(rows, ["first", "second", "third"]);
});

test("rows are not reordered while a pointer is pressed, but after it is released", async () => {
  const { shown, rows } = scrolled();
  document.dispatchEvent(new Event("pointerdown"));
  shown.sortElements();
  assert.deepEqual(rows, ["third", "first", "second"]);
  document.dispatchEvent(new Event("pointerup"));
  await press.released();
  assert.deepEqual(rows, ["first", "second", "third"]);
});

test("rows get another height when the style of the grid has one, for example with another font size", () => {
  const heights = ["2.25rem", "2.75rem"];
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => heights[0], fontSize: "16px" });
  const grid = { table: { dataset: {} }, filters: { total: 3 }, store: { total: 3, length: 3 } };
  const shown = Object.assign(Object.create(GridWindow.prototype), { grid, body: { style: {} }, slots: new Map(), notes: new Map() });
  const updated = () => {
    const isChanged = shown.updateRowHeight();
    shown.measure();
    return [isChanged, shown.body.style.height];
  };
  assert.deepEqual([updated(), updated()], [[true, "108px"], [false, "108px"]]);
  heights.shift();
  assert.deepEqual(updated(), [true, "132px"]);
});
