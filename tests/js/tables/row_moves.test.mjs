// Moving rows that are not all loaded, and moves with a lost response.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held_requests.mjs";
import { NAME, messages, offers, press, row, createWriter } from "./writer_setup.mjs";

const { moveBeside, moveToEnd } = await import("../../../static/tables/row_moves.js");

test("rows that are not loaded are moved to the end, below the last row that stays", async () => {
  const { requests, grid, store } = createWriter();
  store.setRows(store.rows, { offset: 0, count: 5 });
  Object.assign(grid, { query: {} });
  void moveToEnd(/** @type {any} */ (grid), [8, 11], "bottom");
  await settled();
  assert.match(requests[0].url, /offset=2&limit=3/);
  await requests[0].answer(200, { rows: [9, 10, 11].map((id) => ({ id, data: {} })), count: { value: 5, exact: true } });
  await settled();
  assert.deepEqual(requests[1].body, { ids: [8, 11], after_row_id: 10 });
});

test("a move with a lost response can be sent again and is made once", async () => {
  const { requests, grid, writer } = createWriter();
  void moveBeside(/** @type {any} */ (grid), [8], { index: 0, side: "before" });
  await settled();
  await requests[0].lose();
  await settled();
  assert.match(messages().at(-1), /^It is not clear whether the rows were moved\./);
  await press("Retry");
  assert.equal(requests[1].once, requests[0].once);
  await requests[1].answer(200, { change: 12 });
  await settled();
  assert.equal(writer.undoRedo.stack.nextUndo, 12);
});

/** Move row 8, with this response. @param {number} status @param {Record<string, any>} body */
async function moveWithResponse(status, body) {
  const all = createWriter();
  const move = (ids) => void moveBeside(/** @type {any} */ (all.grid), ids, { index: 0, side: "before" });
  move([8]);
  await settled();
  await all.requests[0].answer(status, body);
  await settled();
  return { ...all, move };
}

for (const [status, body, message] of /** @type {[number, any, string][]} */ ([
  [502, {}, "It is not clear whether the rows were moved. The server did not answer as expected."],
  [409, { error: "in_progress", detail: "Ask again." }, "It is not clear whether the rows were moved. The first attempt is still running."],
  [503, { error: "unavailable", detail: "Busy." }, "It is not clear whether the rows were moved. Busy."],
  [503, { error: "busy", detail: "Busy." }, "Nothing was moved. Busy."],
  [503, { error: "too_costly", detail: "Too long." }, "Nothing was moved. Too long."],
])) {
  test(`a move with the response ${status} ${body.error ?? ""} can be sent again only if it may have been made`, async () => {
    await moveWithResponse(status, body);
    assert.deepEqual([messages(), offers("Retry")], [[message], message.startsWith("It is not clear")]);
  });
}

test("a lost move cannot be sent again after another move", async () => {
  const { move } = await moveWithResponse(502, {});
  move([9]);
  await settled();
  assert.deepEqual(messages(), []);
});

test("a lost move cannot be sent again after another change in this tab", async () => {
  const { requests, tr, writer } = await moveWithResponse(502, {});
  assert.equal(offers("Retry"), true);
  writer.write(tr, NAME, "Apex");
  await settled();
  await requests[1].answer(200, row({ c2: "Apex" }, 13));
  assert.deepEqual(messages(), []);
});

test("a lost move cannot be sent again if another one is waiting", async () => {
  const { requests, grid } = createWriter();
  for (const id of [8, 9]) void moveBeside(/** @type {any} */ (grid), [id], { index: 0, side: "before" });
  await settled();
  await requests[0].answer(502, {});
  await settled();
  assert.deepEqual([messages().length, offers("Retry"), requests[1].body.ids], [1, false, [9]]);
});
