// Pasting that adds rows, where the server's answer is lost: it can be sent again, and is written once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held.mjs";
import { messages, press, writing } from "./writing.mjs";

const { addRows } = await import("../../../static/tables/added_rows.js");
const { emptyCells } = await import("../../../static/tables/cell_commands.js");
const { writeRows } = await import("../../../static/tables/range_writes.js");

/** One cell and a new row are pasted. */
async function pasting() {
  const { asked, writer } = writing();
  void writeRows(writer, [{ id: 7, data: { c2: "Apex" }, expected: { c2: "Acme" } }], "Nothing was pasted.", { added: [{ c2: "Bolt" }] });
  await settled();
  return { asked, writer };
}
const STORED = { rows: [{ id: 7, version: 2, data: { c1: false, c2: "Apex" } }, { id: 8, version: 1, data: { c2: "Bolt" } }], change: 12, skipped_count: 0 };

test("a paste whose answer is lost is sent again with the same key and body, as often as that", async () => {
  const { asked, writer } = await pasting();
  await asked[0].lose();
  assert.equal(messages().at(-1), "It is not clear whether the cells were pasted. The server could not be reached.");
  assert.equal(writer.value(/** @type {any} */ ({ dataset: { row: "7" } }), { id: "c2" }), "Acme");
  await press("Retry");
  await asked[1].answer(504, null);
  await press("Retry");
  await asked[2].answer(409, { error: "in_progress", detail: "It is still running." });
  await press("Retry");
  await asked[3].answer(503, { error: "unavailable", detail: "The database does not answer." });
  await press("Retry");
  for (const { once, body } of asked) assert.deepEqual([once, body], [asked[0].once, asked[0].body]);
  await asked[4].answer(200, STORED);
  await settled();
  assert.deepEqual([messages(), writer.undoRedo.stack.nextUndo, writer.value(/** @type {any} */ ({ dataset: { row: "7" } }), { id: "c2" })], [[], 12, "Apex"]);
});

test("a paste that the server has refused is not sent again", async () => {
  const { asked } = await pasting();
  await asked[0].answer(503, { error: "busy", detail: "The server is busy." });
  await settled();
  assert.deepEqual(messages(), ["Nothing was pasted. The server is busy."]);
});

test("rows that are added alone are sent again with the same key, too", async () => {
  const { asked, grid, writer } = writing();
  void addRows(/** @type {any} */ (grid), [{ c2: "Bolt" }], { message: (count) => `Added ${count} row` });
  await settled();
  await asked[0].lose();
  assert.equal(messages().at(-1), "It is not clear whether the rows were added. The server could not be reached.");
  await press("Retry");
  assert.deepEqual([asked[1].once, asked[1].body], [asked[0].once, asked[0].body]);
  await asked[1].answer(200, { rows: [{ id: 8, version: 1, data: { c2: "Bolt" } }], change: 12 });
  await settled();
  assert.deepEqual([messages(), writer.undoRedo.stack.nextUndo], [["Added 1 row"], 12]);
});

test("where rows of a paste were not added, the cells that were not pasted are named by their lines in it, too", async () => {
  const { asked, grid, writer } = writing();
  const tr = /** @type {any} */ ({ dataset: { row: "new-1" } });
  Object.assign(grid.drafts, { newDraft: () => ({ data: {} }), insert: () => tr, updateBlankRows: () => {}, revealRequired: () => {} });
  grid.store.reset([{ id: 6, version: 1, data: {} }, ...grid.store.rows], { offset: 0, count: 2 });
  void writeRows(writer, [{ id: 7, data: { c3: "lots" }, expected: { c3: null } }], "", { skipInvalid: true, added: [{ c3: 1 }], numbers: [2] });
  await settled();
  const skipped = [{ path: "rows[0].data.c3", detail: "Pay: “lots” is not a number" }, { path: "rows[1].data.c2", code: "required", detail: "Name must have a value" }];
  // More were refused than are named.
  await asked[0].answer(200, { rows: [{ id: 7, version: 1, data: { c2: "Acme" } }], change: 12, skipped, skipped_count: 9, skipped_of_not_added: 5, not_added: [1] });
  await settled();
  assert.match(messages().at(-1), /^Pasted row 2 was not added.* 4 cells were not pasted\. Pasted row 1: Pay.* And 3 more\.$/);
});

test("cells that can be emptied are emptied, and the others are named and marked", async () => {
  const { asked, clipboard, grid, tr, writer } = writing();
  Object.assign(grid.ranges.figures, { known: () => [{ id: 7, version: 1, data: { c2: "Acme", c3: 5 } }] });
  void emptyCells(/** @type {any} */ (clipboard), { top: 0, left: 1, bottom: 0, right: 2 });
  await settled();
  assert.match(asked[0].url, /on_invalid=skip$/);
  const skipped = [{ path: "rows[0].data.c2", code: "required", detail: "Name must have a value." }];
  await asked[0].answer(200, { rows: [{ id: 7, version: 2, data: { c2: "Acme" } }], change: 12, skipped, skipped_count: 1, skipped_of_not_added: 0, not_added: [] });
  await settled();
  assert.deepEqual(messages(), ["1 cell was not cleared. Row 1: Name must have a value."]);
  assert.equal(writer.cellErrors.get("7 c2")?.words, "Not cleared. Name must have a value.");
  assert.deepEqual([writer.value(tr, { id: "c3" }), writer.undoRedo.stack.nextUndo], [null, 12]);
});

/** All that was to be emptied must have a value. */
async function refusedEmptying({ asked, clipboard, grid }) {
  Object.assign(grid.ranges.figures, { known: () => [{ id: 7, version: 1, data: { c2: "Acme" } }] });
  void emptyCells(/** @type {any} */ (clipboard), { top: 0, left: 1, bottom: 0, right: 1 });
  await settled();
  await asked.at(-1).answer(422, { error: "invalid", errors: [{ path: "rows[0].data.c2", code: "required", detail: "Name must have a value." }] });
  await settled();
}

test("where no cell can be emptied, nothing waits to be saved", async () => {
  const grids = writing();
  await refusedEmptying(grids);
  const { asked, leaves, writer } = grids;
  assert.deepEqual(messages(), ["Nothing was cleared. Row 1: Name must have a value."]);
  assert.deepEqual([writer.status.failed, writer.succeeded, leaves()], [false, false, true]);
  // An answer that was lost tells nothing of the kind.
  void writeRows(writer, [{ id: 7, data: { c3: 1 }, expected: { c3: null } }], "Nothing was pasted.");
  await settled();
  await asked[1].lose();
  assert.equal(writer.status.failed, true);
});

test("what is said of a write that was refused in part takes the place of what was said before", async () => {
  const grids = writing();
  await refusedEmptying(grids);
  const { asked, writer } = grids;
  for (const reason of ["Pay: “lots” is not a number", "Pay: “more” is not a number"]) {
    void writeRows(writer, [{ id: 7, data: { c1: true, c3: "" }, expected: { c1: false, c3: null } }], "Nothing was pasted.", { skipInvalid: true });
    await settled();
    await asked.at(-1).answer(200, { rows: [{ id: 7, version: 2, data: { c1: true } }], change: 12, skipped: [{ path: "rows[0].data.c3", detail: reason }], skipped_count: 1 });
    await settled();
    assert.deepEqual(messages(), [`1 cell was not pasted. Row 1: ${reason}`]);
  }
});
