// Unsaved edits: they count as the values of their cells, overwrite no unseen value, and can be discarded.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held_requests.mjs";
import { DONE, NAME, PAY, messages, press, row, createWriter } from "./writer_setup.mjs";

await import("./declared_types.mjs");
const { emptyCells } = await import("../../../static/tables/cell_commands.js");
const { writeRows } = await import("../../../static/tables/range_writes.js");
await import("../../../static/tables/undo_conflicts.js");
const { figureParts } = await import("../../../static/tables/cell_figures.js");

const THE_ROW = { top: 0, bottom: 0 };

/** Write cells whose requests do not reach the server. @param {[Column, any][]} edits */
async function writeOffline(...edits) {
  const all = createWriter();
  for (const [column, value] of edits) all.writer.write(all.tr, column, value);
  await settled();
  for (const request of all.requests) await request.lose();
  return all;
}

/** Write a name that is refused. @param {number} status @param {Record<string, any>} body */
async function writeRefused(status, body) {
  const all = createWriter();
  all.writer.undoRedo.record("made", 4);
  all.writer.write(all.tr, NAME, "Apex");
  await settled();
  await all.requests[0].answer(status, { detail: "No.", ...body });
  await settled();
  return all;
}

test("selected cells are copied and summed with unsaved edits", async () => {
  const { clipboard, grid, store } = await writeOffline([NAME, "Apex"], [PAY, 12]);
  assert.equal(clipboard.textOf(store.rows, [NAME]), "Apex");
  assert.match(figureParts(/** @type {any} */ (grid), store.rows, [PAY]).map((part) => /** @type {any} */ (part).text).join(), /Sum 12/);
});

test("only numbers are summed, not the ids of people", () => {
  const { grid, store } = createWriter();
  store.rows[0].data.c4 = 3;
  assert.deepEqual(figureParts(/** @type {any} */ (grid), store.rows, [/** @type {any} */ ({ id: "c4", name: "Lead", type: "person" })]), []);
});

test("clearing a cell that is stored empty clears its unsaved edit", async () => {
  const { requests, clipboard } = await writeOffline([PAY, 12]);
  await emptyCells(clipboard, { ...THE_ROW, left: 2, right: 2 });
  await settled();
  assert.deepEqual(requests.at(-1).body.rows, [{ id: 7, data: { c3: null }, expected: { c3: null } }]);
});

test("writing several cells does not overwrite a value stored by others below an unsaved edit", async () => {
  const { requests, clipboard, store } = await writeOffline([NAME, "Apex"]);
  store.update({ id: 7, version: 2, data: { c1: false, c2: "Bolt" } });
  await emptyCells(clipboard, { ...THE_ROW, left: 1, right: 1 });
  await settled();
  assert.equal(requests.at(-1).body.rows[0].expected.c2, "Acme");
});

test("an unsaved edit is restored when writing several cells fails", async () => {
  const { requests, clipboard, leaves, tr, writer } = await writeOffline([NAME, "Apex"]);
  await emptyCells(clipboard, { ...THE_ROW, left: 0, right: 1 });
  await settled();
  await requests.at(-1).answer(422, { error: "invalid", detail: "No.", errors: [{ path: "rows[0].data.c2", detail: "No." }] });
  await settled();
  assert.deepEqual([writer.value(tr, NAME), writer.unsaved.length, leaves()], ["Apex", 1, false]);
});

test("an unsaved edit is restored when the value pasted over it is invalid", async () => {
  const { requests, tr, writer } = await writeOffline([PAY, 12], [NAME, "Apex"]);
  void writeRows(writer, [{ id: 7, data: { c2: "Bolt", c3: "lots" }, expected: { c2: "Acme", c3: null } }], "", { skipInvalid: true });
  await settled();
  await requests.at(-1).answer(200, { rows: [row({ c2: "Bolt" })], change: 11, skipped: [{ path: "rows[0].data.c3", detail: "No." }], skipped_count: 1 });
  await settled();
  assert.deepEqual([writer.value(tr, PAY), writer.value(tr, NAME)], [12, "Bolt"]);
});

test("undo discards the last unsaved edit without undoing an older change", async () => {
  const { requests, tr, writer } = createWriter();
  writer.undoRedo.record("made", 4);
  writer.write(tr, NAME, "Apex");
  await settled();
  await requests[0].lose();
  await writer.undoRedo.undo();
  assert.deepEqual([writer.value(tr, NAME), writer.unsaved, writer.undoRedo.stack.nextUndo, requests.length], ["Acme", [], 4, 1]);
});

test("undo does not discard an unsaved edit older than the last change", async () => {
  const { requests, tr, writer } = await writeOffline([NAME, "Apex"]);
  writer.undoRedo.record("made", 4);
  void writer.undoRedo.undo();
  await settled();
  assert.deepEqual([requests.at(-1).url, writer.value(tr, NAME)], ["/api/tables/5/changes/4/undo/", "Apex"]);
});

test("an unsaved edit that fails again is still older than changes made since", async () => {
  const { requests, grid, tr, writer } = await writeOffline([NAME, "Apex"]);
  writer.undoRedo.record("made", 4);
  grid.dispatchEvent(new Event("grid-reached"));
  await settled();
  await requests[1].lose();
  void writer.undoRedo.undo();
  await settled();
  assert.deepEqual([requests.at(-1).url, writer.value(tr, NAME)], ["/api/tables/5/changes/4/undo/", "Apex"]);
});

for (const [where, columns] of /** @type {[string, any][]} */ ([["over it", { left: 0, right: 1 }], ["in another cell", { left: 0, right: 0 }]])) {
  test(`undo pressed while cells are written ${where} does not discard an older unsaved edit when they are refused`, async () => {
    const { requests, clipboard, store, tr, writer } = await writeRefused(422, { error: "invalid" });
    store.update({ id: 7, version: 2, data: { c1: true, c2: "Acme" } });
    await emptyCells(clipboard, { ...THE_ROW, ...columns });
    void writer.undoRedo.undo();
    await settled();
    await requests[1].answer(422, { error: "invalid", detail: "No." });
    await settled();
    assert.deepEqual([writer.value(tr, NAME), requests.length], ["Apex", 2]);
  });
}

test("undo discards an unsaved edit when the change before it was undone elsewhere", async () => {
  const { requests, tr, writer } = createWriter();
  writer.undoRedo.record("made", 4);
  writer.undoRedo.record("made", 5);
  writer.write(tr, NAME, "Apex");
  await settled();
  await requests[0].lose();
  writer.undoRedo.record("forget", 5);
  void writer.undoRedo.undo();
  await settled();
  assert.deepEqual([writer.value(tr, NAME), writer.undoRedo.stack.nextUndo, requests.length], ["Acme", 4, 1]);
});

test("the status reports an unsaved edit as undone and not as saved", async () => {
  const { writer } = await writeRefused(422, { error: "invalid" });
  void writer.undoRedo.undo();
  await settled();
  assert.equal(writer.status.message, "Undone");
});

test("a refused undo leaves nothing unsaved", async () => {
  const { requests, writer } = createWriter();
  writer.undoRedo.record("made", 4);
  void writer.undoRedo.undo();
  await settled();
  await requests[0].answer(422, { error: "required", detail: "Name must have a value." });
  await settled();
  assert.deepEqual([messages(), writer.status.failed], [["Undo failed. Name must have a value."], false]);
});

test("the Undo button is enabled while there is an unsaved edit", async () => {
  const { requests, tr, writer } = createWriter();
  const button = { disabled: true };
  writer.undoRedo.undoButton = /** @type {any} */ (button);
  writer.write(tr, NAME, "Apex");
  await settled();
  await requests[0].lose();
  assert.equal(button.disabled, false);
  void writer.undoRedo.undo();
  await settled();
  assert.deepEqual([button.disabled, writer.value(tr, NAME)], [true, "Acme"]);
});

test("several unsaved edits can be discarded together", async () => {
  const { grid, leaves, tr, writer } = await writeOffline([NAME, "Apex"], [DONE, true]);
  await press("Discard all");
  assert.deepEqual([writer.value(tr, NAME), writer.value(tr, DONE), leaves(), writer.status.failed], ["Acme", false, true, false]);
  assert.deepEqual([messages(), grid.reloads], [[], 1]);
});

test("Show moves to the first unsaved edit in a shown cell", async () => {
  const { grid } = await writeOffline([NAME, "Apex"], [DONE, true]);
  const focused = [];
  Object.assign(grid, { columns: [DONE], cursor: { put: (_tr, col) => focused.push(grid.columns[col].id) } });
  Object.assign(grid.window, { reveal: () => ({}) });
  Object.assign(grid.table, { focus: () => {} });
  await press("Show");
  assert.deepEqual(focused, ["c1"]);
});

test("an edit of a deleted row is discarded, and its text is shown", async () => {
  const { requests, leaves, writer } = await writeRefused(404, { error: "not_found" });
  await requests[1].answer(200, { rows: [] });
  await settled();
  assert.deepEqual([writer.unsaved, leaves(), writer.status.failed], [[], true, false]);
  assert.deepEqual(messages(), ["Not saved, because the row or column was deleted: Name “Apex”."]);
});

test("an edit in a table that is not found is not discarded", async () => {
  const { requests, writer } = await writeRefused(404, { error: "not_found" });
  await requests[1].answer(404, { error: "not_found" });
  await settled();
  assert.equal(writer.unsaved.length, 1);
});

test("an edit of a deleted column is discarded, and its text is shown", async () => {
  const { grid, leaves, writer } = await writeRefused(422, { error: "invalid" });
  grid.allColumns = [DONE];
  grid.dispatchEvent(new Event("grid-redrawn"));
  await settled();
  assert.deepEqual([writer.unsaved, leaves()], [[], true]);
  assert.deepEqual(messages(), ["Not saved, because the row or column was deleted: Name “Apex”."]);
});

test("a refused edit is sent again with another key", async () => {
  const { requests, writer } = await writeRefused(422, { error: "invalid" });
  writer.retry(writer.unsaved[0]);
  await settled();
  assert.notEqual(requests[1].once, requests[0].once);
});

test("an edit whose first request is still running is sent again later with the same key", async () => {
  const { requests, grid, writer } = await writeRefused(409, { error: "in_progress" });
  assert.equal(writer.unsaved[0].reason, "The first attempt is still running.");
  grid.dispatchEvent(new CustomEvent("grid-reached"));
  await settled();
  assert.equal(requests[1].once, requests[0].once);
});

test("a repeated older response does not restore an older row", async () => {
  const { requests, store, tr, writer } = await writeOffline([NAME, "Apex"]);
  writer.resend();
  await settled();
  store.update({ id: 7, version: 3, data: { c1: false, c2: "Bolt" } });
  await requests[1].answer(200, row({ c2: "Apex" }, 11));
  assert.equal(writer.value(tr, NAME), "Bolt");
});

test("rows are read again after discarding an edit that may have been stored", async () => {
  const { grid, writer } = await writeOffline([NAME, "Apex"]);
  writer.discard("7", NAME);
  assert.equal(grid.reloads, 1);
});

test("the original value is sent when typed over an edit that may have been stored", async () => {
  const { requests, tr, writer } = await writeOffline([NAME, "Apex"]);
  writer.write(tr, NAME, "Acme");
  await settled();
  assert.deepEqual([requests[1].body.data.c2, requests[1].body.expected.c2], ["Acme", "Acme"]);
});
