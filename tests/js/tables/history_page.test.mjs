// An undo on the history page becomes the last step of this tab: once, and only for its own table.

import assert from "node:assert/strict";
import { test } from "node:test";

const held = new Map();
globalThis.sessionStorage = /** @type {any} */ ({ getItem: (key) => held.get(key) ?? null, setItem: (key, value) => held.set(key, String(value)) });
let pages = 0;

/** @param {string} undoStep  in the message on the page of table 7 @returns {Promise<any>} the stored steps of this tab */
async function shown(undoStep) {
  globalThis.document = /** @type {any} */ ({ querySelectorAll: () => [{ dataset: { readerId: "1", tableId: "7", undoStep } }] });
  await import(`../../../static/tables/history_page.js?${(pages += 1)}`);
  return JSON.parse(held.get("undo:1:7") ?? "null");
}

test("a step is recorded once, also when the page is rendered again, and not for another table", async () => {
  assert.equal(await shown("undone 4 8 12"), null);
  assert.deepEqual(await shown("undone 3 7 12"), { done: [], undone: [3] });
  assert.deepEqual(await shown("redone 3 7 13"), { done: [3], undone: [] });
  assert.deepEqual(await shown("undone 3 7 12"), { done: [3], undone: [] });
});
