// Rows are shown at once with an estimate of their number, and the exact number when it is read.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held_requests.mjs";
import { createWriter } from "./writer_setup.mjs";

await import("../../../static/tables/exact_count.js");
const { GridFilters } = await import("../../../static/tables/grid_filters.js");
const { BLOCK } = await import("../../../static/tables/row_store.js");
const { ownChanges } = await import("../../../static/api.js");

const block = (number) => Array.from({ length: BLOCK }, (_, step) => ({ id: number * BLOCK + step + 1, version: 1, data: {} }));
const estimate = (value) => ({ value, exact: false });
const exact = (value) => ({ value, exact: true });

/** A grid of filtered rows whose number was estimated. */
function estimated() {
  const { grid, store, requests } = createWriter();
  const { reading } = grid;
  store.reset(block(0), { offset: 0, count: 12_000, isExact: false });
  /** What is shown after each change of the number of rows. @type {string[]} */
  const shown = [];
  const node = { textContent: "", attributes: {}, setAttribute: (name, value) => (node.attributes[name] = value) };
  const filters = { bar: { querySelector: () => node }, total: 100_000, grid };
  const showCounts = () => {
    GridFilters.prototype.showMatchCount.call(filters);
    shown.push(`${node.textContent} ${node.attributes["aria-busy"]}`);
  };
  Object.assign(grid, { query: { search: "", filter: "{}", sort: "" }, isNarrowed: true, showCounts, drafts: {} });
  Object.assign(grid.window, { measure: () => {}, scheduleDraw: () => {} });
  Object.assign(grid.cursor, { find: () => {} });
  showCounts();
  return { requests, reading, store, shown };
}

test("an estimate is replaced by the exact number, the only one that is announced", async () => {
  const { requests, reading, store, shown } = estimated();
  reading.countRows();
  await settled();
  assert.match(requests[0].url, /\?limit=1&count=exact&filter=/);
  await requests[0].answer(200, { rows: [], count: exact(12_345), next: null });
  assert.deepEqual(shown, ["about 12,000 of 100,000 true", "12,345 of 100,000 false"]);
  assert.equal(store.at(99).id, 100);
});

test("what needs the last row waits for the exact number", async () => {
  const { requests, reading, store } = estimated();
  /** @type {number[]} */
  const selected = [];
  reading.countRows();
  reading.whenCounted(() => selected.push(store.length));
  await settled();
  assert.deepEqual(selected, []);
  await requests[0].answer(200, { rows: [], count: exact(900), next: null });
  assert.deepEqual(selected, [900]);
  reading.whenCounted(() => selected.push(store.length));
  assert.deepEqual(selected, [900, 900]);
});

test("blocks are read without counting; the shown number does not change with other estimates", async () => {
  const { requests, reading, store, shown } = estimated();
  void reading.readBlock(1);
  await requests[0].answer(200, { rows: block(1), count: estimate(11_000), next: "…" });
  assert.match(requests[0].url, /count=estimate/);
  assert.match(requests[1].url, /count=exact/);
  assert.deepEqual([store.at(150).id, store.total, shown.length], [151, 12_000, 1]);
  await requests[1].answer(503, { detail: "Try later." });
  void reading.readBlock(2);
  await requests.at(-1).answer(200, { rows: block(2), count: estimate(11_000), next: "…" });
  // A count that failed is not repeated for every block.
  assert.deepEqual([store.isExact, requests.filter(({ url }) => url.includes("exact")).length], [false, requests.length - 2]);
});

test("a page behind the last row lowers an estimate, and more rows raise it", async () => {
  const { requests, reading, store } = estimated();
  void reading.readBlock(110);
  await requests[0].answer(200, { rows: [], count: estimate(12_000), next: null });
  assert.deepEqual([store.total, store.isExact], [11_000, false]);
  void reading.readBlock(109);
  await requests.at(-1).answer(200, { rows: block(109).slice(0, 50), count: exact(10_950), next: null });
  assert.deepEqual([store.total, store.isExact], [10_950, true]);
});

test("a count that does not include an own change is read again", async () => {
  const { requests, reading, store } = estimated();
  reading.countRows();
  await settled();
  const write = ownChanges.start();
  await requests[0].answer(200, { rows: [], count: exact(500), next: null });
  assert.equal(store.isExact, false);
  ownChanges.end(write);
  await settled();
  await requests[1].answer(200, { rows: [], count: exact(501), next: null });
  assert.deepEqual([store.total, store.isExact], [501, true]);
});
