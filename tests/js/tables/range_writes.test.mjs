// Pastes with new rows whose response is lost can be sent again and are written once.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held_requests.mjs";
import { DONE, NAME, PAY, messages, offers, press, createWriter } from "./writer_setup.mjs";

await import("./declared_types.mjs");
const { addRows } = await import("../../../static/tables/added_rows.js");
const { emptyCells, fillFrom } = await import("../../../static/tables/cell_commands.js");
const { pasteInto } = await import("../../../static/tables/pasting.js");
const { addFilledRows } = await import("../../../static/tables/row_commands.js");
const { writeRows } = await import("../../../static/tables/range_writes.js");

/** Paste one cell and a new row. */
async function paste() {
  const { requests, writer } = createWriter();
  void writeRows(writer, [{ id: 7, data: { c2: "Apex" }, expected: { c2: "Acme" } }], "Nothing was pasted.", { added: [{ c2: "Bolt" }] });
  await settled();
  return { requests, writer };
}
const STORED = { rows: [{ id: 7, version: 2, data: { c1: false, c2: "Apex" } }, { id: 8, version: 1, data: { c2: "Bolt" } }], change: 12, skipped_count: 0 };

test("a paste with a lost response is sent again with the same key and body, any number of times", async () => {
  const { requests, writer } = await paste();
  await requests[0].lose();
  assert.equal(messages().at(-1), "It is not clear whether the cells were pasted. The server could not be reached.");
  assert.equal(writer.value(/** @type {any} */ ({ dataset: { row: "7" } }), { id: "c2" }), "Acme");
  await press("Retry");
  await requests[1].answer(504, null);
  await press("Retry");
  await requests[2].answer(409, { error: "in_progress", detail: "It is still running." });
  await press("Retry");
  await requests[3].answer(503, { error: "unavailable", detail: "The database does not answer." });
  await press("Retry");
  for (const { once, body } of requests) assert.deepEqual([once, body], [requests[0].once, requests[0].body]);
  await requests[4].answer(200, STORED);
  await settled();
  assert.deepEqual([messages(), writer.undoRedo.stack.nextUndo, writer.value(/** @type {any} */ ({ dataset: { row: "7" } }), { id: "c2" })], [[], 12, "Apex"]);
});

test("a refused paste is not sent again", async () => {
  const { requests } = await paste();
  await requests[0].answer(503, { error: "busy", detail: "The server is busy." });
  await settled();
  assert.deepEqual(messages(), ["Nothing was pasted. The server is busy."]);
});

test("added rows are sent again with the same key", async () => {
  const { requests, grid, writer } = createWriter();
  void addRows(/** @type {any} */ (grid), [{ c2: "Bolt" }], { message: (count) => `Added ${count} row` });
  await settled();
  await requests[0].lose();
  assert.equal(messages().at(-1), "It is not clear whether the rows were added. The server could not be reached.");
  await press("Retry");
  assert.deepEqual([requests[1].once, requests[1].body], [requests[0].once, requests[0].body]);
  await requests[1].answer(200, { rows: [{ id: 8, version: 1, data: { c2: "Bolt" } }], change: 12 });
  await settled();
  assert.deepEqual([messages(), writer.undoRedo.stack.nextUndo], [["Added 1 row"], 12]);
});

test("pasted rows with a skipped cell have one message, which can undo them", async () => {
  const { requests, grid } = createWriter();
  const message = (/** @type {number} */ count) => `Added ${count} row`;
  void addRows(/** @type {any} */ (grid), [{ c2: "Bolt", c3: "lots" }], { message, skipInvalid: true, numbers: [1] });
  await settled();
  const skipped = [{ path: "rows[0].data.c3", detail: "Pay: “lots” is not a number" }];
  await requests[0].answer(200, { rows: [{ id: 8, version: 1, data: { c2: "Bolt" } }], change: 12, skipped, skipped_count: 1 });
  await settled();
  assert.deepEqual([messages(), offers("Undo")], [["1 cell was not pasted. Pay: “lots” is not a number"], true]);
});

test("if rows of a paste were not added, skipped cells are named by their lines", async () => {
  const { requests, grid, writer } = createWriter();
  const tr = /** @type {any} */ ({ dataset: { row: "new-1" } });
  Object.assign(grid.drafts, { newDraft: () => ({ data: {} }), insert: () => tr, updateBlankRows: () => {}, revealRequired: () => {} });
  grid.store.reset([{ id: 6, version: 1, data: {} }, ...grid.store.rows], { offset: 0, count: 2 });
  void writeRows(writer, [{ id: 7, data: { c3: "lots" }, expected: { c3: null } }], "", { skipInvalid: true, added: [{ c3: 1 }], numbers: [2] });
  await settled();
  const skipped = [{ path: "rows[0].data.c3", detail: "Pay: “lots” is not a number" }, { path: "rows[1].data.c2", code: "required", detail: "Name must have a value" }];
  // More cells were refused than are listed.
  await requests[0].answer(200, { rows: [{ id: 7, version: 1, data: { c2: "Acme" } }], change: 12, skipped, skipped_count: 9, skipped_of_not_added: 5, not_added: [1] });
  await settled();
  assert.match(messages().at(-1), /^Pasted row 2 was not added.* 4 cells were not pasted\. Pasted row 1: Pay.* And 3 more\.$/);
});

test("clearable cells are cleared, and the others are listed and marked", async () => {
  const { requests, clipboard, grid, tr, writer } = createWriter();
  Object.assign(grid.ranges.figures, { known: () => [{ id: 7, version: 1, data: { c2: "Acme", c3: 5 } }] });
  void emptyCells(/** @type {any} */ (clipboard), { top: 0, left: 1, bottom: 0, right: 2 });
  await settled();
  assert.match(requests[0].url, /on_invalid=skip$/);
  const skipped = [{ path: "rows[0].data.c2", code: "required", detail: "Name must have a value." }];
  await requests[0].answer(200, { rows: [{ id: 7, version: 2, data: { c2: "Acme" } }], change: 12, skipped, skipped_count: 1, skipped_of_not_added: 0, not_added: [] });
  await settled();
  assert.deepEqual(messages(), ["1 cell was not cleared. Row 1: Name must have a value."]);
  assert.equal(writer.cellErrors.get("7 c2")?.words, "Not cleared. Name must have a value.");
  assert.deepEqual([writer.value(tr, { id: "c3" }), writer.undoRedo.stack.nextUndo], [null, 12]);
});

/** Clear cells that are all required. */
async function refuseClearing({ requests, clipboard, grid }) {
  Object.assign(grid.ranges.figures, { known: () => [{ id: 7, version: 1, data: { c2: "Acme" } }] });
  void emptyCells(/** @type {any} */ (clipboard), { top: 0, left: 1, bottom: 0, right: 1 });
  await settled();
  await requests.at(-1).answer(422, { error: "invalid", errors: [{ path: "rows[0].data.c2", code: "required", detail: "Name must have a value." }] });
  await settled();
}

test("if no cell can be cleared, nothing is unsaved", async () => {
  const grids = createWriter();
  await refuseClearing(grids);
  const { requests, leaves, writer } = grids;
  assert.deepEqual(messages(), ["Nothing was cleared. Row 1: Name must have a value."]);
  assert.deepEqual([writer.status.failed, writer.succeeded, leaves()], [false, false, true]);
  // A lost response has no such reason.
  void writeRows(writer, [{ id: 7, data: { c3: 1 }, expected: { c3: null } }], "Nothing was pasted.");
  await settled();
  await requests[1].lose();
  assert.equal(writer.status.failed, true);
});

test("the message about a partly refused write replaces the previous one", async () => {
  const grids = createWriter();
  await refuseClearing(grids);
  const { requests, writer } = grids;
  for (const reason of ["Pay: “lots” is not a number", "Pay: “more” is not a number"]) {
    void writeRows(writer, [{ id: 7, data: { c1: true, c3: "" }, expected: { c1: false, c3: null } }], "Nothing was pasted.", { skipInvalid: true });
    await settled();
    await requests.at(-1).answer(200, { rows: [{ id: 7, version: 2, data: { c1: true } }], change: 12, skipped: [{ path: "rows[0].data.c3", detail: reason }], skipped_count: 1 });
    await settled();
    assert.deepEqual(messages(), [`1 cell was not pasted. Row 1: ${reason}`]);
  }
});

test("commands on several cells skip read-only columns, without moving the others", async () => {
  const cells = { top: 0, left: 0, bottom: 0, right: 3 };
  const wide = async (/** @type {(grids: any) => any} */ run) => {
    const { requests, clipboard, grid } = createWriter();
    const columns = [DONE, { id: "c4", name: "Added", type: "created_at" }, NAME, PAY];
    const stored = [7, 8].map((id) => ({ id, version: 1, data: { c1: id === 7, c2: `Acme ${id}`, c3: id, c4: "2026-01-05T10:30Z" } }));
    grid.store.reset(stored, { offset: 0, count: 2 });
    Object.assign(grid.drafts, { blankRows: [] });
    Object.assign(grid.window, { rowAt: () => ({ dataset: { row: "7" } }) });
    Object.assign(grid.ranges, { select: () => {} });
    Object.assign(grid, { columns, allColumns: columns, ownerOf: () => grid.writer });
    Object.assign(grid.ranges.figures, { known: (/** @type {Rect} */ { top, bottom }) => stored.slice(top, bottom + 1) });
    await run({ clipboard, grid });
    await settled();
    return requests.map(({ body }) => body.rows.map((/** @type {any} */ row) => row.data ?? row));
  };
  const note = "Read-only columns were skipped.";
  assert.deepEqual(await wide(({ clipboard }) => void emptyCells(clipboard, cells)), [[{ c1: null, c2: null, c3: null }]]);
  assert.deepEqual(messages(), [note]);
  assert.deepEqual(await wide(({ clipboard }) => void fillFrom(clipboard, cells, { ...cells, top: 1, bottom: 1 })), [[{ c1: true, c2: "Acme 7", c3: 7 }]]);
  assert.deepEqual(messages(), [note]);
  const held = { rect: cells, ids: [7], columns: "c1,c4,c2,c3", total: 2, review: undefined, redrawn: false };
  assert.deepEqual(await wide(({ grid }) => pasteInto(grid, "yes\tJan 5\tBolt\t5", held)), [[{ c1: true, c2: "Bolt", c3: 5 }]]);
  assert.deepEqual(messages(), [note]);
  assert.deepEqual(await wide(({ grid }) => void addFilledRows(grid, cells, 1)), [[{ c1: true, c2: "Acme 7", c3: 7 }]]);
  assert.deepEqual(messages(), [note]);
  assert.deepEqual(await wide(({ clipboard }) => void emptyCells(clipboard, { ...cells, left: 1, right: 1 })), []);
  assert.deepEqual(messages(), ["Values of “Added” cannot be edited."]);
});

test("files that were copied in the grid are pasted as files of the same row, and other text is not", async () => {
  const FILES = { id: "c4", name: "Files", type: "attachment" };
  const [mine, yours] = ["a", "b"].map((id) => [{ id, name: "bill.pdf", size: 1, type: "application/pdf" }]);
  const stored = [{ id: 7, version: 1, data: { c2: "Acme", c4: mine } }, { id: 8, version: 1, data: { c2: "Bolt", c4: yours } }, { id: 9, version: 1, data: { c2: "" } }, { id: 10, version: 1, data: { c2: "" } }];
  const paste = async (/** @type {(copied: string) => string} */ change) => {
    const { requests, clipboard, grid } = createWriter();
    const columns = [NAME, FILES];
    grid.store.reset(stored, { offset: 0, count: 4 });
    Object.assign(grid.drafts, { blankRows: [] });
    Object.assign(grid.window, { rowAt: () => ({ dataset: { row: "9" } }) });
    Object.assign(grid.ranges, { select: () => {} });
    Object.assign(grid, { columns, allColumns: columns, ownerOf: () => grid.writer });
    Object.assign(grid.ranges.figures, { known: (/** @type {Rect} */ { top, bottom }) => stored.slice(top, bottom + 1) });
    const text = change(clipboard.textOf(stored.slice(0, 2), columns));
    pasteInto(/** @type {any} */ (grid), text, { rect: { top: 2, bottom: 3, left: 0, right: 1 }, ids: [9, 10], columns: "c2,c4", total: 4, review: undefined, redrawn: false });
    await settled();
    return requests.map(({ body }) => body.rows.map((/** @type {any} */ row) => row.data));
  };
  assert.deepEqual(await paste((copied) => copied.replaceAll("\n", "\r\n")), [[{ c2: "Acme", c4: mine }, { c2: "Bolt", c4: yours }]]);
  assert.deepEqual(await paste(() => "Crux\tbill.pdf\nDyno\tbill.pdf"), [[{ c2: "Crux" }, { c2: "Dyno" }]]);
});

test("a cut cell is copied and cleared, but checked rows are only copied", async () => {
  const { clipboard, grid, store, tr, writer } = createWriter();
  /** @type {any[]} */
  const done = [];
  const event = { clipboardData: { setData: (/** @type {string} */ _type, /** @type {string} */ text) => done.push(text) }, preventDefault: () => {} };
  const cursor = { current: { tr, column: NAME }, set: (/** @type {any} */ value) => done.push(value) };
  Object.assign(grid, { cursor, ownerOf: () => writer, ranges: { rect: null }, selection: { ids: new Set() } });
  await clipboard.cut(/** @type {any} */ (event));
  Object.assign(grid, { selection: { ids: new Set([7]), rows: () => store.rows } });
  await clipboard.cut(/** @type {any} */ (event));
  assert.deepEqual(done, ["Acme", null, "false\tAcme\t"]);
});
