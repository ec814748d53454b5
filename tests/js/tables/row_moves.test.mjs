// Rows that are moved where the page does not know all of them, and where the server's answer is lost.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held.mjs";
import { NAME, messages, offers, press, row, writing } from "./writing.mjs";

const { moveBeside, moveToEnd } = await import("../../../static/tables/row_moves.js");

test("rows at the end that are not loaded are moved below the last row that stays", async () => {
  const { asked, grid, store } = writing();
  store.setRows(store.rows, { offset: 0, count: 5 });
  Object.assign(grid, { query: {} });
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
  assert.match(messages().at(-1), /^It is not clear whether the rows were moved\./);
  await press("Retry");
  assert.equal(asked[1].once, asked[0].once);
  await asked[1].answer(200, { change: 12 });
  await settled();
  assert.equal(writer.undoRedo.stack.nextUndo, 12);
});

/** Row 8 moved, and the server's answer. @param {number} status @param {Record<string, any>} body */
async function moved(status, body) {
  const all = writing();
  const move = (ids) => void moveBeside(/** @type {any} */ (all.grid), ids, { index: 0, side: "before" });
  move([8]);
  await settled();
  await all.asked[0].answer(status, body);
  await settled();
  return { ...all, move };
}

for (const [status, body, said] of /** @type {[number, any, string][]} */ ([
  [502, {}, "It is not clear whether the rows were moved. The server did not answer as expected."],
  [409, { error: "in_progress", detail: "Ask again." }, "It is not clear whether the rows were moved. The first attempt is still running."],
  [503, { error: "unavailable", detail: "Busy." }, "It is not clear whether the rows were moved. Busy."],
  [503, { error: "busy", detail: "Busy." }, "Nothing was moved. Busy."],
  [503, { error: "too_costly", detail: "Too long." }, "Nothing was moved. Too long."],
])) {
  test(`a move that is answered ${status} ${body.error ?? ""} may be sent again only if it may have been made`, async () => {
    await moved(status, body);
    assert.deepEqual([messages(), offers("Retry")], [[said], said.startsWith("It is not clear")]);
  });
}

test("a lost move cannot be sent again after another move", async () => {
  const { move } = await moved(502, {});
  move([9]);
  await settled();
  assert.deepEqual(messages(), []);
});

test("a lost move cannot be sent again once another change was made in this tab", async () => {
  const { asked, tr, writer } = await moved(502, {});
  assert.equal(offers("Retry"), true);
  writer.write(tr, NAME, "Apex");
  await settled();
  await asked[1].answer(200, row({ c2: "Apex" }, 13));
  assert.deepEqual(messages(), []);
});

test("a lost move that others wait for cannot be sent again", async () => {
  const { asked, grid } = writing();
  for (const id of [8, 9]) void moveBeside(/** @type {any} */ (grid), [id], { index: 0, side: "before" });
  await settled();
  await asked[0].answer(502, {});
  await settled();
  assert.deepEqual([messages().length, offers("Retry"), asked[1].body.ids], [1, false, [9]]);
});
