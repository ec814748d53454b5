// Writing cells faster than the server answers: what was seen last is what counts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { RowStore } from "../../../static/tables/row_store.js";
import { heldRequests, settled } from "../held.mjs";

/** A page on which nothing is to be seen. */
class Bare extends EventTarget {
  dataset = {};
  cookie = "";
  append() {}
  remove() {}
  setAttribute() {}
  querySelector() { return null; }
  getElementById() { return null; }
  createElement() { return new Bare(); }
  createElementNS() { return new Bare(); }
  get documentElement() { return new Bare(); }
}
globalThis.document = /** @type {any} */ (new Bare());
globalThis.addEventListener ??= () => {};
globalThis.sessionStorage ??= /** @type {any} */ ({ getItem: () => null, setItem: () => {} });
const { GridWriter } = await import("../../../static/tables/grid_writer.js");

const DONE = { id: "c1", name: "Done", type: "boolean" };
const NAME = { id: "c2", name: "Name", type: "text" };

/** A writer over one row, whose requests the test answers: `asked[n].answer(status, body)`. */
function writing() {
  const asked = heldRequests();
  const store = new RowStore([{ id: 7, version: 1, data: { c1: false, c2: "Acme" } }]);
  const grid = Object.assign(new EventTarget(), {
    tableId: "5", dataset: {}, store, columns: [DONE, NAME], mayEdit: true, rowElement: () => undefined, reload: async () => {},
  });
  const writer = new GridWriter(/** @type {any} */ (grid));
  const tr = /** @type {any} */ ({ dataset: { row: "7" } });
  return { asked, store, tr, writer };
}
const row = (data, change) => ({ id: 7, version: 2, data: { c1: false, c2: "Acme", ...data }, change });

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
  writer.past.made(4);
  writer.write(tr, NAME, "Apex");
  writer.past.undo();
  await settled();
  await asked[0].answer(200, row({ c2: "Apex" }, 11));
  assert.equal(asked[1].url, "/api/tables/5/changes/11/undo/");
});

test("Undo, pressed before the edit is refused, takes back nothing", async () => {
  const { asked, tr, writer } = writing();
  writer.past.made(4);
  writer.write(tr, NAME, "Apex");
  writer.past.undo();
  await settled();
  await asked[0].answer(422, { error: "invalid", detail: "Too long.", errors: [] });
  assert.deepEqual([asked.length, writer.past.stack.nextUndo], [1, 4]);
});

/** Two changes, and the wish to take both back, of which the first is asked for. */
async function undoingTwo() {
  const { asked, writer } = writing();
  writer.past.made(4);
  writer.past.made(5);
  writer.past.undo();
  writer.past.undo();
  await settled();
  return { asked, writer };
}

test("Undo twice, faster than it is answered, takes back two changes; Redo twice brings both back", async () => {
  const { asked, writer } = await undoingTwo();
  await asked[0].answer(200, {});
  await asked[1].answer(200, {});
  writer.past.redo();
  writer.past.redo();
  await settled();
  await asked[2].answer(200, {});
  await asked[3].answer(200, {});
  assert.deepEqual(asked.map(({ url }) => url.split("/changes/")[1]), ["5/undo/", "4/undo/", "4/redo/", "5/redo/"]);
});

test("an undo that finds nothing to take back is no failure: nothing is said of saving, and the change before it is next", async () => {
  const { asked, writer } = await undoingTwo();
  await asked[0].answer(409, { error: "nothing_left", detail: "Nothing is left." });
  assert.deepEqual([writer.well, writer.status.failed, writer.status.word], [true, false, ""]);
  await asked[1].answer(200, {});
  assert.deepEqual(asked.map(({ url }) => url.split("/changes/")[1]), ["5/undo/", "4/undo/"]);
  assert.deepEqual([writer.past.stack.nextUndo, writer.past.stack.nextRedo], [undefined, 4]);
});
