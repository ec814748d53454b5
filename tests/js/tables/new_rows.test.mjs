// Edits of unsaved new rows are undone in order with the saved changes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held_requests.mjs";
import { NAME, createWriter } from "./writer_setup.mjs";

const { GridDrafts } = await import("../../../static/tables/new_rows.js");

/** A new row that was added before a change was applied, and was refused after an edit. */
async function refusedAfterChange() {
  const { requests, grid, writer } = createWriter();
  const part = { addEventListener: () => {}, rows: [], querySelectorAll: () => [] };
  Object.assign(grid, { querySelector: () => part, draftsBody: part, review: null });
  const drafts = new GridDrafts(/** @type {any} */ (grid));
  Object.assign(grid, { drafts });
  const key = drafts.register({ ...drafts.newDraft(), data: { c3: "lots" }, reasons: new Map([["c2", "No."]]) });
  writer.undoRedo.record("made", 4);
  drafts.write(/** @type {any} */ ({ dataset: { row: key }, querySelector: () => null }), NAME, "Apex");
  await settled();
  await requests[0].answer(422, { error: "invalid", detail: "No." });
  await settled();
  return { requests, draft: drafts.drafts.get(key), drafts, writer };
}

test("undo reverts the edit of a refused new row, then the change before it", async () => {
  const { requests, draft, writer } = await refusedAfterChange();
  await writer.undoRedo.undo();
  assert.deepEqual([draft.data, Boolean(draft.changed), draft.reasons.get("c2"), requests.length], [{ c3: "lots" }, false, "No.", 1]);
  void writer.undoRedo.undo();
  await settled();
  assert.match(requests[1].url, /changes\/4\/undo\/$/);
});

test("a change after the edit of a new row is undone first", async () => {
  const { requests, draft, writer } = await refusedAfterChange();
  writer.undoRedo.record("made", 5);
  void writer.undoRedo.undo();
  await settled();
  assert.match(requests[1].url, /changes\/5\/undo\/$/);
  assert.equal(draft.data.c2, "Apex");
});
