// The bar that finds rows leads the cursor to where the last key asked for.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { settled } from "../held.mjs";
import { writing } from "./writing.mjs";

globalThis.CSS = /** @type {any} */ ({});
globalThis.MutationObserver = /** @type {any} */ (class {});
const { FindBar } = await import("../../../static/tables/find_bar.js");

beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => mock.timers.reset());

/** The bar over five rows, of which the first is known, with words in it. */
function finding() {
  const { asked, grid, store } = writing();
  store.setRows(store.rows, { offset: 0, count: 5 });
  /** Rows that the cursor was led to. @type {number[]} */
  const led = [];
  /** And to which columns. @type {number[]} */
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
  /** Enter in the field with the number of a row. @param {number} number */
  const goTo = async (number) => {
    bar.open(true);
    bar.number.value = String(number);
    void bar.goToRow();
    await settled();
  };
  return { asked, bar, cols, goTo, led };
}

test("a row that is read goes under the cursor although the words are looked for meanwhile", async () => {
  const { asked, goTo, led } = finding();
  await goTo(4);
  mock.timers.tick(1000);
  await settled();
  assert.deepEqual(asked.map(({ url }) => url.includes("/find/")), [false, true]);
  await asked[0].answer(200, { rows: [{ id: 9, data: {} }], count: 5 });
  assert.deepEqual(led, [3]);
});

test("the cursor is led to the last row that was asked for, whichever is read first", async () => {
  const { asked, goTo, led } = finding();
  await goTo(4);
  await goTo(5);
  await asked[1].answer(200, { rows: [{ id: 10, data: {} }], count: 5 });
  await asked[0].answer(200, { rows: [{ id: 9, data: {} }], count: 5 });
  assert.deepEqual(led, [4]);
});

test("words that are typed while a row is read lead the cursor to their match", async () => {
  const { asked, bar, goTo, led } = finding();
  await goTo(4);
  bar.scheduleRead(true);
  mock.timers.tick(1000);
  await settled();
  await asked[0].answer(200, { rows: [{ id: 9, data: {} }], count: 5 });
  await asked[1].answer(200, { found: [{ index: 0, id: 7 }], count: 1 });
  assert.deepEqual(led, [0]);
});

test("the cursor is led to the cell with one of the words, which is no checkbox", async () => {
  const { asked, bar, cols, goTo } = finding();
  bar.field.value = "TRUE STRASSE";
  await goTo(4);
  await asked[0].answer(200, { rows: [{ id: 9, data: { c1: true, c2: "Straße" } }], count: 5 });
  assert.deepEqual(cols, [1]);
});
