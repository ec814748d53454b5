// What is said in a line under a row of a proposal: in the words of the grid, and no more than must be seen.

import assert from "node:assert/strict";
import { test } from "node:test";

import { notesFor } from "../../../../static/chat/payloads/previous_values.js";

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
  ["a row that is gone", note("row_missing"), "This row no longer exists."],
  ["a row that never was", note("unknown_row"), "This row no longer exists."],
  ["a double by the number of the other row", note("double", { value: 5076 }), "Same as row 1."],
  ["a double of another that is proposed as one", note("double"), "Same as another row of this proposal."],
  ["a double of a row that is not read", note("double", { value: 9 }), "Same as an existing row."],
  ["anything else as the server does", note("emptied", { column: "col_a" }), "What the server says of emptied."],
];
for (const [about, said, wanted] of NOTES) {
  test(`it tells of ${about}`, () => assert.deepEqual(words(operation({ notes: [said] })), [wanted]));
}

test("what was merely read as another form of the same value is not told there", () => {
  assert.deepEqual(words(operation({ notes: [note("cast", { column: "col_a" })] })), []);
});

test("reasons of deletes stand on their rows where there are few, or where they differ", () => {
  const deletes = (...reasons) => reasons.map((reason) => operation({ action: "delete", reason }));
  const few = deletes("Empty", "Empty");
  assert.deepEqual(words(few[0], few), ["Empty"]);
  const same = deletes("Empty", "Empty", "Empty", "Empty");
  assert.deepEqual(words(same[0], same), []);
  const other = deletes("Empty", "Empty", "Empty", "Double");
  assert.deepEqual(words(other[3], other), ["Double"]);
});
