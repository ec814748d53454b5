// New rows that are not saved yet: what was typed into them is undone before the changes that came before it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held.mjs";
import { NAME, writing } from "./writing.mjs";

const { GridDrafts } = await import("../../../static/tables/new_rows.js");

/** A new row that was opened before a change was applied, and was refused after an edit. */
async function refusedAfterChange() {
  const { asked, grid, writer } = writing();
  const part = { addEventListener: () => {}, rows: [], querySelectorAll: () => [] };
  Object.assign(grid, { querySelector: () => part, draftsBody: part, review: null });
  const drafts = new GridDrafts(/** @type {any} */ (grid));
  Object.assign(grid, { drafts });
  const key = drafts.register({ ...drafts.newDraft(), data: { c3: "lots" }, reasons: new Map([["c2", "No."]]) });
  writer.undoRedo.record("made", 4);
  drafts.write(/** @type {any} */ ({ dataset: { row: key }, querySelector: () => null }), NAME, "Apex");
  await settled();
  await asked[0].answer(422, { error: "invalid", detail: "No." });
  await settled();
  return { asked, draft: drafts.drafts.get(key), drafts, writer };
}

test("undo takes back the edit of a new row that was refused, then the change before it", async () => {
  const { asked, draft, writer } = await refusedAfterChange();
  await writer.undoRedo.undo();
  assert.deepEqual([draft.data, Boolean(draft.changed), draft.reasons.get("c2"), asked.length], [{ c3: "lots" }, false, "No.", 1]);
  void writer.undoRedo.undo();
  await settled();
  assert.match(asked[1].url, /changes\/4\/undo\/$/);
});

test("a change that came after the edit of a new row is undone first", async () => {
  const { asked, draft, writer } = await refusedAfterChange();
  writer.undoRedo.record("made", 5);
  void writer.undoRedo.undo();
  await settled();
  assert.match(asked[1].url, /changes\/5\/undo\/$/);
  assert.equal(draft.data.c2, "Apex");
});
