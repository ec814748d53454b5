// Writing cells faster than the server answers: what was seen last is what counts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held.mjs";
import { DONE, NAME, row, writing } from "./writing.mjs";

test("a box that is turned over twice, faster than it is saved, stands as it did before", async () => {
  const { asked, tr, writer } = writing();
  writer.write(tr, DONE, writer.value(tr, DONE) !== true);
  writer.write(tr, DONE, writer.value(tr, DONE) !== true);
  await settled();
  await asked[0].answer(200, row({ c1: true }, 11));
  assert.deepEqual(asked.map(({ body }) => [body.data.c1, body.expected.c1]), [[true, false], [false, true]]);
  await asked[1].answer(200, row({ c1: false }, 12));
  assert.equal(writer.value(tr, DONE), false);
});

test("a cell shows what was typed into it last while that is saved", async () => {
  const { asked, tr, writer } = writing();
  writer.write(tr, NAME, "Apex");
  await settled();
  assert.equal(writer.value(tr, NAME), "Apex");
  writer.write(tr, NAME, "Bolt");
  await asked[0].answer(200, row({ c2: "Apex" }, 11));
  assert.equal(writer.value(tr, NAME), "Bolt");
  await asked[1].answer(200, row({ c2: "Bolt" }, 12));
  assert.equal(writer.value(tr, NAME), "Bolt");
});

test("a value that follows a refused one is written over what the server holds", async () => {
  const { asked, tr, writer } = writing();
  writer.write(tr, NAME, "x".repeat(9));
  writer.write(tr, NAME, "Apex");
  await settled();
  await asked[0].answer(422, { error: "invalid", detail: "Too long.", errors: [] });
  assert.deepEqual([asked[1].body.data.c2, asked[1].body.expected.c2], ["Apex", "Acme"]);
});

test("Undo, pressed before the edit is saved, takes back that edit and none before it", async () => {
  const { asked, tr, writer } = writing();
  writer.undoRedo.record("made", 4);
  writer.write(tr, NAME, "Apex");
  writer.undoRedo.undo();
  await settled();
  await asked[0].answer(200, row({ c2: "Apex" }, 11));
  assert.equal(asked[1].url, "/api/tables/5/changes/11/undo/");
});

test("Undo, pressed before the edit is refused, takes back nothing", async () => {
  const { asked, tr, writer } = writing();
  writer.undoRedo.record("made", 4);
  writer.write(tr, NAME, "Apex");
  writer.undoRedo.undo();
  await settled();
  await asked[0].answer(422, { error: "invalid", detail: "Too long.", errors: [] });
  assert.deepEqual([asked.length, writer.undoRedo.stack.nextUndo], [1, 4]);
});

/** Two changes, and the wish to take both back, of which the first is asked for. */
async function undoingTwo() {
  const { asked, writer } = writing();
  writer.undoRedo.record("made", 4);
  writer.undoRedo.record("made", 5);
  writer.undoRedo.undo();
  writer.undoRedo.undo();
  await settled();
  return { asked, writer };
}

test("Undo twice, faster than it is answered, takes back two changes; Redo twice brings both back", async () => {
  const { asked, writer } = await undoingTwo();
  await asked[0].answer(200, {});
  await asked[1].answer(200, {});
  writer.undoRedo.redo();
  writer.undoRedo.redo();
  await settled();
  await asked[2].answer(200, {});
  await asked[3].answer(200, {});
  assert.deepEqual(asked.map(({ url }) => url.split("/changes/")[1]), ["5/undo/", "4/undo/", "4/redo/", "5/redo/"]);
});

test("an undo that finds nothing to take back is no failure: nothing is said of saving, and the change before it is next", async () => {
  const { asked, writer } = await undoingTwo();
  await asked[0].answer(409, { error: "nothing_left", detail: "Nothing is left." });
  assert.deepEqual([writer.succeeded, writer.status.failed, writer.status.message], [true, false, ""]);
  await asked[1].answer(200, {});
  assert.deepEqual(asked.map(({ url }) => url.split("/changes/")[1]), ["5/undo/", "4/undo/"]);
  assert.deepEqual([writer.undoRedo.stack.nextUndo, writer.undoRedo.stack.nextRedo], [undefined, 4]);
});

test("an edit that did not reach the server stays in its cell, and leaving the page is asked about", async () => {
  const { asked, leaves, store, tr, writer } = writing();
  writer.write(tr, NAME, "Apex");
  await settled();
  await asked[0].lose();
  assert.deepEqual([writer.value(tr, NAME), store.get("7").data.c2, writer.unsaved.length], ["Apex", "Acme", 1]);
  assert.equal(leaves(), false);
  assert.equal(writer.status.failed, true);
});

test("edits that did not reach the server are sent again once, in order, with the same keys, when it can be reached", async () => {
  const { asked, grid, leaves, tr, writer } = writing();
  writer.write(tr, NAME, "Apex");
  writer.write(tr, DONE, true);
  await settled();
  await asked[0].lose();
  await asked[1].lose();
  grid.dispatchEvent(new Event("grid-reached"));
  grid.dispatchEvent(new Event("grid-reached"));
  await settled();
  await asked[2].answer(200, row({ c2: "Apex" }, 11));
  await asked[3].answer(200, row({ c1: true, c2: "Apex" }, 12));
  assert.deepEqual(asked.map(({ body }) => body.data), [{ c2: "Apex" }, { c1: true }, { c2: "Apex" }, { c1: true }]);
  assert.deepEqual(asked.slice(2).map(({ once }) => once), asked.slice(0, 2).map(({ once }) => once));
  assert.deepEqual([asked.length, writer.unsaved.length, leaves(), writer.status.failed], [4, 0, true, false]);
});

test("an edit that did not reach the server follows the next one that does", async () => {
  const { asked, tr, writer } = writing();
  writer.write(tr, NAME, "Apex");
  await settled();
  await asked[0].lose();
  writer.write(tr, DONE, true);
  await settled();
  await asked[1].answer(200, row({ c1: true }, 11));
  assert.deepEqual(asked[2].body.data, { c2: "Apex" });
});

test("a value that was refused stays, is not sent again by itself, and can be discarded", async () => {
  const { asked, grid, leaves, tr, writer } = writing();
  writer.write(tr, NAME, "x".repeat(9));
  await settled();
  await asked[0].answer(422, { error: "invalid", detail: "Too long.", errors: [] });
  grid.dispatchEvent(new Event("grid-reached"));
  await settled();
  assert.deepEqual([asked.length, writer.value(tr, NAME), writer.unsaved[0].failure], [1, "x".repeat(9), "invalid"]);
  assert.equal(writer.discard("7", NAME), true);
  assert.deepEqual([writer.value(tr, NAME), leaves(), writer.status.failed], ["Acme", true, false]);
});

test("what others stored while a cell showed what was typed is not overwritten unseen, and after a conflict only what was shown", async () => {
  const { asked, store, tr, writer } = writing();
  writer.write(tr, NAME, "Apex");
  await settled();
  await asked[0].lose();
  store.update({ id: 7, version: 2, data: { c1: false, c2: "Bolt" } });
  writer.write(tr, NAME, "Apex Ltd");
  await settled();
  assert.equal(asked[1].body.expected.c2, "Acme");
  await asked[1].answer(409, { error: "conflict", detail: "Changed.", errors: [{ code: "cell_changed", detail: "Changed.", value: "Bolt" }] });
  assert.deepEqual([writer.value(tr, NAME), writer.unsaved[0].failure], ["Apex Ltd", "conflict"]);
  writer.retry(writer.unsaved[0]);
  await settled();
  assert.equal(asked[2].body.expected.c2, "Bolt");
});
