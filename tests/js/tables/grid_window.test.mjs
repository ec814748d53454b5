// Rows take their order on the page once nobody scrolls, but never under a pointer that is held down.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = new EventTarget();
const { press } = await import("../../../static/element.js");
const { GridWindow } = await import("../../../static/tables/grid_window.js");

/** A window whose three rows stand on the page in another order than they are seen. */
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

test("once nobody scrolls, rows stand on the page as they are seen", () => {
  const { shown, rows } = scrolled();
  shown.sortElements();
  assert.deepEqual(rows, ["first", "second", "third"]);
});

test("rows are not re-ordered under a pointer that is held, and are once it is let go", async () => {
  const { shown, rows } = scrolled();
  document.dispatchEvent(new Event("pointerdown"));
  shown.sortElements();
  assert.deepEqual(rows, ["third", "first", "second"]);
  document.dispatchEvent(new Event("pointerup"));
  await press.released();
  assert.deepEqual(rows, ["first", "second", "third"]);
});
