// The checked rows, as sent to the page and to the assistant.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.HTMLElement ??= /** @type {any} */ (class {});
const { RowSelection } = await import("../../../static/tables/grid_selection.js");

test("the assistant gets the checked rows during a review", () => {
  const part = { addEventListener: () => {}, querySelector: () => part };
  const grid = { review: null, store: { rows: [] }, view: {}, rowsBody: { ...part, rows: [] }, querySelector: () => part, dispatchEvent: () => {} };
  const selection = new RowSelection(/** @type {any} */ (grid));
  selection.setMany(["11", "12", "13"], true);

  selection.suspend();
  selection.uncheck(["12"]);
  assert.deepEqual([selection.numbers, selection.contextIds], [[], [11, 13]]);

  selection.resume();
  assert.deepEqual([selection.numbers, selection.contextIds], [[11, 13], [11, 13]]);
});
