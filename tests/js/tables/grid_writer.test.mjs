// Writing cells faster than the server responds: the last shown value counts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held_requests.mjs";
import { DONE, NAME, row, createWriter, pointers } from "./writer_setup.mjs";

test("a checkbox toggled twice while saving has its original state", async () => {
  const { requests, tr, writer } = createWriter();
  writer.write(tr, DONE, writer.value(tr, DONE) !== true);
  writer.write(tr, DONE, writer.value(tr, DONE) !== true);
  await settled();
  await requests[0].answer(200, row({ c1: true }, 11));
  assert.deepEqual(requests.map(({ body }) => [body.data.c1, body.expected.c1]), [[true, false], [false, true]]);
  await requests[1].answer(200, row({ c1: false }, 12));
  assert.equal(writer.value(tr, DONE), false);
});

test("a saved cell is not redrawn while a pointer is pressed, which would lose the click", async () => {
  const { grid, requests, tr, writer } = createWriter();
  let drawn = 0;
  grid.rowElement = () => void (drawn += 1);
  writer.write(tr, NAME, "Apex");
  await settled();
  pointers.dispatchEvent(new Event("pointerdown"));
  const before = drawn;
  await requests[0].answer(200, row({ c2: "Apex" }, 11));
  assert.equal(drawn, before);
  pointers.dispatchEvent(new Event("pointerup"));
  await new Promise((resolve) => { setTimeout(resolve); });
  assert.ok(drawn > before);
});

test("a cell shows the last typed value while it is saved", async () => {
  const { requests, tr, writer } = createWriter();
  writer.write(tr, NAME, "Apex");
  await settled();
  assert.equal(writer.value(tr, NAME), "Apex");
  writer.write(tr, NAME, "Bolt");
  await requests[0].answer(200, row({ c2: "Apex" }, 11));
  assert.equal(writer.value(tr, NAME), "Bolt");
  await requests[1].answer(200, row({ c2: "Bolt" }, 12));
  assert.equal(writer.value(tr, NAME), "Bolt");
});

test("a value after a refused one expects the value of the server", async () => {
  const { requests, tr, writer } = createWriter();
  writer.write(tr, NAME, "x".repeat(9));
  writer.write(tr, NAME, "Apex");
  await settled();
  await requests[0].answer(422, { error: "invalid", detail: "Too long.", errors: [] });
  assert.deepEqual([requests[1].body.data.c2, requests[1].body.expected.c2], ["Apex", "Acme"]);
});

test("Undo pressed before an edit is saved undoes only that edit", async () => {
  const { requests, tr, writer } = createWriter();
  writer.undoRedo.record("made", 4);
  writer.write(tr, NAME, "Apex");
  writer.undoRedo.undo();
  await settled();
  await requests[0].answer(200, row({ c2: "Apex" }, 11));
  assert.equal(requests[1].url, "/api/tables/5/changes/11/undo/");
});

test("Undo pressed before an edit is refused undoes nothing", async () => {
  const { requests, tr, writer } = createWriter();
  writer.undoRedo.record("made", 4);
  writer.write(tr, NAME, "Apex");
  writer.undoRedo.undo();
  await settled();
  await requests[0].answer(422, { error: "invalid", detail: "Too long.", errors: [] });
  assert.deepEqual([requests.length, writer.undoRedo.stack.nextUndo], [1, 4]);
});

/** Two changes and two undo commands, the first of which has been requested. */
async function undoTwoChanges() {
  const { requests, writer } = createWriter();
  writer.undoRedo.record("made", 4);
  writer.undoRedo.record("made", 5);
  writer.undoRedo.undo();
  writer.undoRedo.undo();
  await settled();
  return { requests, writer };
}

test("two quick Undo commands undo two changes, and two Redo commands redo both", async () => {
  const { requests, writer } = await undoTwoChanges();
  await requests[0].answer(200, {});
  await requests[1].answer(200, {});
  writer.undoRedo.redo();
  writer.undoRedo.redo();
  await settled();
  await requests[2].answer(200, {});
  await requests[3].answer(200, {});
  assert.deepEqual(requests.map(({ url }) => url.split("/changes/")[1]), ["5/undo/", "4/undo/", "4/redo/", "5/redo/"]);
});

test("an undo without effect is no failure, and the change before it is the next", async () => {
  const { requests, writer } = await undoTwoChanges();
  await requests[0].answer(409, { error: "nothing_left", detail: "Nothing is left." });
  assert.deepEqual([writer.succeeded, writer.status.failed, writer.status.message], [true, false, ""]);
  await requests[1].answer(200, {});
  assert.deepEqual(requests.map(({ url }) => url.split("/changes/")[1]), ["5/undo/", "4/undo/"]);
  assert.deepEqual([writer.undoRedo.stack.nextUndo, writer.undoRedo.stack.nextRedo], [undefined, 4]);
});

test("an edit that did not reach the server stays in its cell, and leaving the page shows a warning", async () => {
  const { requests, leaves, store, tr, writer } = createWriter();
  writer.write(tr, NAME, "Apex");
  await settled();
  await requests[0].lose();
  assert.deepEqual([writer.value(tr, NAME), store.get("7").data.c2, writer.unsaved.length], ["Apex", "Acme", 1]);
  assert.equal(leaves(), false);
  assert.equal(writer.status.failed, true);
});

test("edits that did not reach the server are sent again once, in order, with the same keys, after reconnecting", async () => {
  const { requests, grid, leaves, tr, writer } = createWriter();
  writer.write(tr, NAME, "Apex");
  writer.write(tr, DONE, true);
  await settled();
  await requests[0].lose();
  await requests[1].lose();
  grid.dispatchEvent(new Event("grid-reached"));
  grid.dispatchEvent(new Event("grid-reached"));
  await settled();
  await requests[2].answer(200, row({ c2: "Apex" }, 11));
  await requests[3].answer(200, row({ c1: true, c2: "Apex" }, 12));
  assert.deepEqual(requests.map(({ body }) => body.data), [{ c2: "Apex" }, { c1: true }, { c2: "Apex" }, { c1: true }]);
  assert.deepEqual(requests.slice(2).map(({ once }) => once), requests.slice(0, 2).map(({ once }) => once));
  assert.deepEqual([requests.length, writer.unsaved.length, leaves(), writer.status.failed], [4, 0, true, false]);
});

test("an edit that did not reach the server is sent after the next successful one", async () => {
  const { requests, tr, writer } = createWriter();
  writer.write(tr, NAME, "Apex");
  await settled();
  await requests[0].lose();
  writer.write(tr, DONE, true);
  await settled();
  await requests[1].answer(200, row({ c1: true }, 11));
  assert.deepEqual(requests[2].body.data, { c2: "Apex" });
});

test("a refused value stays in its cell, is not sent again automatically, and can be discarded", async () => {
  const { requests, grid, leaves, tr, writer } = createWriter();
  writer.write(tr, NAME, "x".repeat(9));
  await settled();
  await requests[0].answer(422, { error: "invalid", detail: "Too long.", errors: [] });
  grid.dispatchEvent(new Event("grid-reached"));
  await settled();
  assert.deepEqual([requests.length, writer.value(tr, NAME), writer.unsaved[0].failure], [1, "x".repeat(9), "invalid"]);
  assert.equal(writer.discard("7", NAME), true);
  assert.deepEqual([writer.value(tr, NAME), leaves(), writer.status.failed], ["Acme", true, false]);
});

test("a value stored by others below an unsaved edit is not overwritten before it was shown as a conflict", async () => {
  const { requests, store, tr, writer } = createWriter();
  writer.write(tr, NAME, "Apex");
  await settled();
  await requests[0].lose();
  store.update({ id: 7, version: 2, data: { c1: false, c2: "Bolt" } });
  writer.write(tr, NAME, "Apex Ltd");
  await settled();
  assert.equal(requests[1].body.expected.c2, "Acme");
  await requests[1].answer(409, { error: "conflict", detail: "Changed.", errors: [{ code: "cell_changed", detail: "Changed.", value: "Bolt" }] });
  assert.deepEqual([writer.value(tr, NAME), writer.unsaved[0].failure], ["Apex Ltd", "conflict"]);
  writer.retry(writer.unsaved[0]);
  await settled();
  assert.equal(requests[2].body.expected.c2, "Bolt");
});
