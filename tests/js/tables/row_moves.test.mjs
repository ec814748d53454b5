// Rows that are moved where the page does not know all of them, and where the server's answer is lost.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held.mjs";
import { messages, press, writing } from "./writing.mjs";

const { moveBeside, moveToEnd } = await import("../../../static/tables/row_moves.js");

test("rows at the end that are not loaded are moved below the last row that stays", async () => {
  const { asked, grid, store } = writing();
  store.place(store.rows, { offset: 0, count: 5 });
  Object.assign(grid, { asked: {} });
  void moveToEnd(/** @type {any} */ (grid), [8, 11], "bottom");
  await settled();
  assert.match(asked[0].url, /offset=2&limit=3/);
  await asked[0].answer(200, { rows: [9, 10, 11].map((id) => ({ id, data: {} })), count: 5 });
  await settled();
  assert.deepEqual(asked[1].body, { ids: [8, 11], after_row_id: 10 });
});

test("a move whose answer is lost can be sent again and is made once", async () => {
  const { asked, grid, writer } = writing();
  void moveBeside(/** @type {any} */ (grid), [8], { index: 0, side: "before" });
  await settled();
  await asked[0].lose();
  await settled();
  assert.match(messages().at(-1), /^The rows may have been moved or not\./);
  await press("Retry");
  assert.equal(asked[1].once, asked[0].once);
  await asked[1].answer(200, { change: 12 });
  await settled();
  assert.equal(writer.past.stack.nextUndo, 12);
});
