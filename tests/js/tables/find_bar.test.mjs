// The find bar moves the cursor to the last requested row.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { settled } from "../held_requests.mjs";
import { createWriter } from "./writer_setup.mjs";

globalThis.CSS = /** @type {any} */ ({});
globalThis.MutationObserver = /** @type {any} */ (class {});
await import("./declared_types.mjs");
const { FindBar } = await import("../../../static/tables/find_bar.js");

beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => mock.timers.reset());

/** A find bar with search words over five rows, the first of which is loaded. */
function createFindBar() {
  const { requests, grid, store } = createWriter();
  store.setRows(store.rows, { offset: 0, count: 5 });
  /** Rows that the cursor was moved to. @type {number[]} */
  const led = [];
  /** Columns that the cursor was moved to. @type {number[]} */
  const cols = [];
  Object.assign(grid, { query: {}, scroller: { before: (bar) => document.append(bar) } });
  const put = (tr, col) => {
    led.push(tr.index);
    cols.push(col);
  };
  Object.assign(grid.cursor, { col: 0, index: 0, put });
  Object.assign(grid.ranges, { clear: () => {} });
  Object.assign(grid.window, { reveal: (index) => ({ index }) });
  const bar = new FindBar(/** @type {any} */ (grid));
  bar.field.value = "acme";
  /** Press Enter in the field with a row number. @param {number} number */
  const goTo = async (number) => {
    bar.open(true);
    bar.number.value = String(number);
    void bar.goToRow();
    await settled();
  };
  return { requests, bar, cols, goTo, led };
}

test("the cursor moves to a loaded row although a search is started meanwhile", async () => {
  const { requests, goTo, led } = createFindBar();
  await goTo(4);
  mock.timers.tick(1000);
  await settled();
  assert.deepEqual(requests.map(({ url }) => url.includes("/find/")), [false, true]);
  await requests[0].answer(200, { rows: [{ id: 9, data: {} }], count: { value: 5, exact: true } });
  assert.deepEqual(led, [3]);
});

test("the cursor moves to the last requested row, whichever is loaded first", async () => {
  const { requests, goTo, led } = createFindBar();
  await goTo(4);
  await goTo(5);
  await requests[1].answer(200, { rows: [{ id: 10, data: {} }], count: { value: 5, exact: true } });
  await requests[0].answer(200, { rows: [{ id: 9, data: {} }], count: { value: 5, exact: true } });
  assert.deepEqual(led, [4]);
});

test("a search typed while a row is loading moves the cursor to its match", async () => {
  const { requests, bar, goTo, led } = createFindBar();
  await goTo(4);
  bar.scheduleRead(true);
  mock.timers.tick(1000);
  await settled();
  await requests[0].answer(200, { rows: [{ id: 9, data: {} }], count: { value: 5, exact: true } });
  await requests[1].answer(200, { found: [{ index: 0, id: 7 }], count: 1 });
  assert.deepEqual(led, [0]);
});

test("the cursor moves to a cell with one of the words that is no checkbox", async () => {
  const { requests, bar, cols, goTo } = createFindBar();
  bar.field.value = "TRUE STRASSE";
  await goTo(4);
  await requests[0].answer(200, { rows: [{ id: 9, data: { c1: true, c2: "Straße" } }], count: { value: 5, exact: true } });
  assert.deepEqual(cols, [1]);
});
