// Edits that could not be saved: they count as what their cells hold, overwrite nothing unseen, and can be discarded.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held.mjs";
import { DONE, NAME, PAY, messages, press, row, writing } from "./writing.mjs";

const { emptyCells } = await import("../../../static/tables/cell_commands.js");
const { writeRows } = await import("../../../static/tables/range_writes.js");
const { figureParts } = await import("../../../static/tables/cell_figures.js");

const THE_ROW = { top: 0, bottom: 0 };

/** Writes cells whose requests do not reach the server. @param {[Column, any][]} edits */
async function unreached(...edits) {
  const all = writing();
  for (const [column, value] of edits) all.writer.write(all.tr, column, value);
  await settled();
  for (const request of all.asked) await request.lose();
  return all;
}

/** A name that was refused. @param {number} status @param {Record<string, any>} body */
async function refused(status, body) {
  const all = writing();
  all.writer.undoRedo.record("made", 4);
  all.writer.write(all.tr, NAME, "Apex");
  await settled();
  await all.asked[0].answer(status, { detail: "No.", ...body });
  await settled();
  return all;
}

test("selected cells are copied and added up with what is not saved yet", async () => {
  const { clipboard, grid, store } = await unreached([NAME, "Apex"], [PAY, 12]);
  assert.equal(clipboard.textOf(store.rows, [NAME]), "Apex");
  assert.match(figureParts(/** @type {any} */ (grid), store.rows, [PAY]).map((part) => /** @type {any} */ (part).text).join(), /Sum 12/);
});

test("a cell that is stored empty is emptied of what is not saved yet", async () => {
  const { asked, clipboard } = await unreached([PAY, 12]);
  await emptyCells(clipboard, { ...THE_ROW, left: 2, right: 2 });
  await settled();
  assert.deepEqual(asked.at(-1).body.rows, [{ id: 7, data: { c3: null }, expected: { c3: null } }]);
});

test("several cells that are written together do not overwrite what others stored under an unsaved edit", async () => {
  const { asked, clipboard, store } = await unreached([NAME, "Apex"]);
  store.update({ id: 7, version: 2, data: { c1: false, c2: "Bolt" } });
  await emptyCells(clipboard, { ...THE_ROW, left: 1, right: 1 });
  await settled();
  assert.equal(asked.at(-1).body.rows[0].expected.c2, "Acme");
});

test("an unsaved edit is given back to its cell when writing several cells together fails", async () => {
  const { asked, clipboard, leaves, tr, writer } = await unreached([NAME, "Apex"]);
  await emptyCells(clipboard, { ...THE_ROW, left: 0, right: 1 });
  await settled();
  await asked.at(-1).answer(422, { error: "invalid", detail: "No.", errors: [{ path: "rows[0].data.c2", detail: "No." }] });
  await settled();
  assert.deepEqual([writer.value(tr, NAME), writer.unsaved.length, leaves()], ["Apex", 1, false]);
});

test("an unsaved edit is given back to its cell when the value pasted over it does not fit", async () => {
  const { asked, tr, writer } = await unreached([PAY, 12], [NAME, "Apex"]);
  void writeRows(writer, [{ id: 7, data: { c2: "Bolt", c3: "lots" }, expected: { c2: "Acme", c3: null } }], "", { skipInvalid: true });
  await settled();
  await asked.at(-1).answer(200, { rows: [row({ c2: "Bolt" })], change: 11, skipped: [{ path: "rows[0].data.c3", detail: "No." }], skipped_count: 1 });
  await settled();
  assert.deepEqual([writer.value(tr, PAY), writer.value(tr, NAME)], [12, "Bolt"]);
});

test("undo discards the last unsaved edit, and undoes no older change", async () => {
  const { asked, tr, writer } = writing();
  writer.undoRedo.record("made", 4);
  writer.write(tr, NAME, "Apex");
  await settled();
  await asked[0].lose();
  await writer.undoRedo.undo();
  assert.deepEqual([writer.value(tr, NAME), writer.unsaved, writer.undoRedo.stack.nextUndo, asked.length], ["Acme", [], 4, 1]);
});

test("undo leaves an unsaved edit alone that is older than the last change", async () => {
  const { asked, tr, writer } = await unreached([NAME, "Apex"]);
  writer.undoRedo.record("made", 4);
  void writer.undoRedo.undo();
  await settled();
  assert.deepEqual([asked.at(-1).url, writer.value(tr, NAME)], ["/api/tables/5/changes/4/undo/", "Apex"]);
});

test("an unsaved edit that fails again by itself stays older than the changes made since", async () => {
  const { asked, grid, tr, writer } = await unreached([NAME, "Apex"]);
  writer.undoRedo.record("made", 4);
  grid.dispatchEvent(new Event("grid-reached"));
  await settled();
  await asked[1].lose();
  void writer.undoRedo.undo();
  await settled();
  assert.deepEqual([asked.at(-1).url, writer.value(tr, NAME)], ["/api/tables/5/changes/4/undo/", "Apex"]);
});

for (const [where, columns] of /** @type {[string, any][]} */ ([["over it", { left: 0, right: 1 }], ["in another cell", { left: 0, right: 0 }]])) {
  test(`undo, pressed while cells are written ${where}, leaves an older unsaved edit alone when they are refused`, async () => {
    const { asked, clipboard, store, tr, writer } = await refused(422, { error: "invalid" });
    store.update({ id: 7, version: 2, data: { c1: true, c2: "Acme" } });
    await emptyCells(clipboard, { ...THE_ROW, ...columns });
    void writer.undoRedo.undo();
    await settled();
    await asked[1].answer(422, { error: "invalid", detail: "No." });
    await settled();
    assert.deepEqual([writer.value(tr, NAME), asked.length], ["Apex", 2]);
  });
}

test("undo discards an unsaved edit when the change before it was undone in another way", async () => {
  const { asked, tr, writer } = writing();
  writer.undoRedo.record("made", 4);
  writer.undoRedo.record("made", 5);
  writer.write(tr, NAME, "Apex");
  await settled();
  await asked[0].lose();
  writer.undoRedo.record("forget", 5);
  void writer.undoRedo.undo();
  await settled();
  assert.deepEqual([writer.value(tr, NAME), writer.undoRedo.stack.nextUndo, asked.length], ["Acme", 4, 1]);
});

test("the top bar says that an unsaved edit was undone, not saved", async () => {
  const { writer } = await refused(422, { error: "invalid" });
  void writer.undoRedo.undo();
  await settled();
  assert.equal(writer.status.message, "Undone");
});

test("the Undo button can be pressed as long as there is an unsaved edit", async () => {
  const { asked, tr, writer } = writing();
  const button = { disabled: true };
  writer.undoRedo.undoButton = /** @type {any} */ (button);
  writer.write(tr, NAME, "Apex");
  await settled();
  await asked[0].lose();
  assert.equal(button.disabled, false);
  void writer.undoRedo.undo();
  await settled();
  assert.deepEqual([button.disabled, writer.value(tr, NAME)], [true, "Acme"]);
});

test("several unsaved edits can be discarded together", async () => {
  const { grid, leaves, tr, writer } = await unreached([NAME, "Apex"], [DONE, true]);
  await press("Discard all");
  assert.deepEqual([writer.value(tr, NAME), writer.value(tr, DONE), leaves(), writer.status.failed], ["Acme", false, true, false]);
  assert.deepEqual([messages(), grid.reloads], [[], 1]);
});

test("Show leads to the first unsaved edit whose cell is shown", async () => {
  const { grid } = await unreached([NAME, "Apex"], [DONE, true]);
  const focused = [];
  Object.assign(grid, { columns: [DONE], cursor: { put: (_tr, col) => focused.push(grid.columns[col].id) } });
  Object.assign(grid.window, { reveal: () => ({}) });
  Object.assign(grid.table, { focus: () => {} });
  await press("Show");
  assert.deepEqual(focused, ["c1"]);
});

test("an edit of a row that was deleted is given up, and what was typed is shown", async () => {
  const { asked, leaves, writer } = await refused(404, { error: "not_found" });
  await asked[1].answer(200, { rows: [] });
  await settled();
  assert.deepEqual([writer.unsaved, leaves(), writer.status.failed], [[], true, false]);
  assert.deepEqual(messages(), ["Not saved, because the row or column was deleted: Name “Apex”."]);
});

test("an edit in a table that is not found stays", async () => {
  const { asked, writer } = await refused(404, { error: "not_found" });
  await asked[1].answer(404, { error: "not_found" });
  await settled();
  assert.equal(writer.unsaved.length, 1);
});

test("an edit of a column that was deleted is given up, and what was typed is shown", async () => {
  const { grid, leaves, writer } = await refused(422, { error: "invalid" });
  grid.allColumns = [DONE];
  grid.dispatchEvent(new Event("grid-redrawn"));
  await settled();
  assert.deepEqual([writer.unsaved, leaves()], [[], true]);
  assert.deepEqual(messages(), ["Not saved, because the row or column was deleted: Name “Apex”."]);
});

test("an edit that was refused is sent again under another key", async () => {
  const { asked, writer } = await refused(422, { error: "invalid" });
  writer.retry(writer.unsaved[0]);
  await settled();
  assert.notEqual(asked[1].once, asked[0].once);
});

test("an edit whose first request is still being carried out is sent again later, under the same key", async () => {
  const { asked, grid, writer } = await refused(409, { error: "in_progress" });
  assert.equal(writer.unsaved[0].reason, "The first attempt is still running.");
  grid.dispatchEvent(new CustomEvent("grid-reached"));
  await settled();
  assert.equal(asked[1].once, asked[0].once);
});

test("an older answer that is sent again puts no older row back", async () => {
  const { asked, store, tr, writer } = await unreached([NAME, "Apex"]);
  writer.resend();
  await settled();
  store.update({ id: 7, version: 3, data: { c1: false, c2: "Bolt" } });
  await asked[1].answer(200, row({ c2: "Apex" }, 11));
  assert.equal(writer.value(tr, NAME), "Bolt");
});

test("after an edit is discarded that may have been stored, the rows are read again", async () => {
  const { grid, writer } = await unreached([NAME, "Apex"]);
  writer.discard("7", NAME);
  assert.equal(grid.reloads, 1);
});

test("the old value, typed over an edit that may have been stored, is sent", async () => {
  const { asked, tr, writer } = await unreached([NAME, "Apex"]);
  writer.write(tr, NAME, "Acme");
  await settled();
  assert.deepEqual([asked[1].body.data.c2, asked[1].body.expected.c2], ["Acme", "Acme"]);
});
