// The note in a line below a row of a proposal, with names of the grid and only what is necessary.

import assert from "node:assert/strict";
import { test } from "node:test";

import { notesFor } from "../../../../static/chat/payloads/proposed_rows.js";

const grid = {
  nameOf: (id) => (id === "col_a" ? "Status" : ""),
  indexOf: (id) => (id === 5076 ? 0 : -1),
};
const operation = (more) => ({ action: "update", notes: [], ...more });
const note = (code, more = {}) => ({ code, detail: `What the server says of ${code}.`, ...more });
const words = (one, all = [one]) => notesFor(all, grid)(one);

const NOTES = [
  ["a cell by the name of its column", note("cell_changed", { column: "col_a" }), "Status was changed since."],
  ["a cell of a deleted column as the server does", note("cell_changed", { column: "col_b" }), "What the server says of cell_changed."],
  ["a changed row", note("row_changed"), "This row was changed since."],
  ["a deleted row", note("row_missing"), "This row no longer exists."],
  ["an unknown row", note("unknown_row"), "This row no longer exists."],
  ["a duplicate by the number of the other row", note("double", { value: 5076 }), "Same as row 1."],
  ["a duplicate within the proposal", note("double"), "Same as another row of this proposal."],
  ["a duplicate of a row that is not loaded", note("double", { value: 9 }), "Same as an existing row."],
  ["anything else as the server does", note("emptied", { column: "col_a" }), "What the server says of emptied."],
];
for (const [about, given, expected] of NOTES) {
  test(`a note names ${about}`, () => assert.deepEqual(words(operation({ notes: [given] })), [expected]));
}

test("another format of the same value has no note", () => {
  assert.deepEqual(words(operation({ notes: [note("cast", { column: "col_a" })] })), []);
});

test("reasons of deletions are shown at their rows if they are few or different", () => {
  const deletes = (...reasons) => reasons.map((reason) => operation({ action: "delete", reason }));
  const few = deletes("Empty", "Empty");
  assert.deepEqual(words(few[0], few), ["Empty"]);
  const same = deletes("Empty", "Empty", "Empty", "Empty");
  assert.deepEqual(words(same[0], same), []);
  const other = deletes("Empty", "Empty", "Empty", "Double");
  assert.deepEqual(words(other[3], other), ["Double"]);
});
