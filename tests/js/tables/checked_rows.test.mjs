// Checked rows when the view is filtered: rows outside it are unchecked, rows that are only not loaded are not.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held_requests.mjs";
import { messages, createWriter } from "./writer_setup.mjs";

const { RowSelection } = await import("../../../static/tables/grid_selection.js");
await import("../../../static/tables/checked_rows.js");

const row = (id) => ({ id, version: 1, data: { c2: `Row ${id}` } });

/** A selection over three rows, the first two of which are checked. */
function createSelection() {
  const { requests, grid, store } = createWriter();
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
  return { all: parts["[data-check-all]"], requests, grid, read, selection };
}

test("a row excluded by a search is unchecked, also after the search", async () => {
  const { all, requests, read, selection } = createSelection();
  void read({ search: "a" }, [1, 3], 2);
  assert.deepEqual([selection.numbers, all.checked, all.indeterminate], [[1], false, true]);
  await settled();
  assert.match(requests[0].url, /ids=2&search=a$/);
  await requests[0].answer(200, { rows: [] });
  await read({}, [1, 2, 3], 3);
  assert.deepEqual(selection.numbers, [1]);
});

test("a matching row that is not loaded is checked again when its match is known", async () => {
  const { requests, read, selection } = createSelection();
  void read({ search: "a" }, [1, 3], 500);
  assert.deepEqual(selection.numbers, [1]);
  await settled();
  await requests[0].answer(200, { rows: [row(2)] });
  assert.deepEqual(selection.numbers, [1, 2]);
});

test("unchecking too many rows that are not loaded is reported", async () => {
  const { requests, read, selection } = createSelection();
  selection.setMany(Array.from({ length: 1_002 }, (_, at) => String(at + 2)), true);
  await read({ search: "a" }, [1, 3], 500);
  await read({ search: "a" }, [1, 3], 500);
  assert.deepEqual([selection.numbers.sort(), requests.length, messages()], [[1, 3], 0, ["1,001 rows are no longer selected, because they may not match."]]);
});

test("rows stay checked during a review, which removes the search", async () => {
  const { requests, grid, read, selection } = createSelection();
  void read({ search: "a" }, [1, 2], 500);
  grid.review = {};
  selection.suspend();
  await read({}, [1, 3], 500);
  grid.review = null;
  selection.resume();
  void read({ search: "a" }, [1, 3], 500);
  assert.deepEqual(selection.numbers, [1, 2]);
  await settled();
  assert.match(requests[0].url, /ids=2&search=a$/);
});

test("the checkbox of the header is checked if all shown rows are", () => {
  const { all, grid, selection } = createSelection();
  grid.store.reset([1, 3].map(row), { offset: 0, count: 2 });
  selection.refresh();
  assert.deepEqual([all.checked, all.indeterminate], [false, true]);
  selection.setMany(["3"], true);
  selection.setMany(["2"], false);
  assert.equal(all.checked, true);
});
