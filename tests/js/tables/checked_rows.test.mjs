// Checked rows when the view is narrowed: what is left out of it is no longer checked, what only lies far away still is.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held.mjs";
import { messages, writing } from "./writing.mjs";

const { RowSelection } = await import("../../../static/tables/grid_selection.js");
await import("../../../static/tables/checked_rows.js");

const row = (id) => ({ id, version: 1, data: { c2: `Row ${id}` } });

/** Three rows, of which the first two are checked. */
function checking() {
  const { asked, grid, store } = writing();
  const part = () => ({ querySelector: part, addEventListener: () => {}, checked: false, indeterminate: false });
  const parts = { "[data-selbar]": part(), "[data-check-all]": part() };
  const view = { search: "", sort: "", filter: "" };
  Object.assign(grid, { view, review: null, querySelector: (name) => parts[name], rowsBody: { rows: [], addEventListener: () => {} } });
  const selection = new RowSelection(/** @type {any} */ (grid));
  /** @param {{search?: string}} how @param {number[]} ids  the rows that are read @param {number} count  how many there are */
  const read = (how, ids, count) => {
    grid.reading.shown = { ...view, ...how };
    store.reset(ids.map(row), { offset: 0, count });
    return selection.rowsRead();
  };
  store.reset([1, 2, 3].map(row), { offset: 0, count: 3 });
  selection.setMany(["1", "2"], true);
  return { all: parts["[data-check-all]"], asked, grid, read, selection };
}

test("a row that a search leaves out is no longer checked, nor after the search", async () => {
  const { all, asked, read, selection } = checking();
  void read({ search: "a" }, [1, 3], 2);
  assert.deepEqual([selection.numbers, all.checked, all.indeterminate], [[1], false, true]);
  await settled();
  assert.match(asked[0].url, /ids=2&search=a$/);
  await asked[0].answer(200, { rows: [] });
  await read({}, [1, 2, 3], 3);
  assert.deepEqual(selection.numbers, [1]);
});

test("a row that matches and lies far away is checked again once that is known", async () => {
  const { asked, read, selection } = checking();
  void read({ search: "a" }, [1, 3], 500);
  assert.deepEqual(selection.numbers, [1]);
  await settled();
  await asked[0].answer(200, { rows: [row(2)] });
  assert.deepEqual(selection.numbers, [1, 2]);
});

test("of too many rows that are not loaded it says that they are no longer checked", async () => {
  const { asked, read, selection } = checking();
  selection.setMany(Array.from({ length: 1_002 }, (_, at) => String(at + 2)), true);
  await read({ search: "a" }, [1, 3], 500);
  await read({ search: "a" }, [1, 3], 500);
  assert.deepEqual([selection.numbers.sort(), asked.length, messages()], [[1, 3], 0, ["1,001 rows are no longer selected, because they may not match."]]);
});

test("rows stay checked through a review, for which the search is left out", async () => {
  const { asked, grid, read, selection } = checking();
  void read({ search: "a" }, [1, 2], 500);
  grid.review = {};
  selection.suspend();
  await read({}, [1, 3], 500);
  grid.review = null;
  selection.resume();
  void read({ search: "a" }, [1, 3], 500);
  assert.deepEqual(selection.numbers, [1, 2]);
  await settled();
  assert.match(asked[0].url, /ids=2&search=a$/);
});

test("the head's check box is checked where all rows that are shown are", () => {
  const { all, grid, selection } = checking();
  grid.store.reset([1, 3].map(row), { offset: 0, count: 2 });
  selection.refresh();
  assert.deepEqual([all.checked, all.indeterminate], [false, true]);
  selection.setMany(["3"], true);
  selection.setMany(["2"], false);
  assert.equal(all.checked, true);
});
