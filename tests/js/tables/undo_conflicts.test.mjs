// What an undo would overwrite, named by its cells: where there is a grid as one sees them there, else as the server does.

import assert from "node:assert/strict";
import { test } from "node:test";

import { describeConflicts } from "../../../static/tables/undo_conflicts.js";
import { RowStore } from "../../../static/tables/row_store.js";

const columns = [{ id: "col_a", name: "Company", type: "text" }, { id: "col_b", name: "Salary", type: "number" }];
const grid = {
  allColumns: columns,
  store: new RowStore([{ id: 7, version: 1, data: { col_a: "Acme" } }]),
  reading: { readRows: async (ids) => ids.map((id) => ({ id, data: { col_a: "Zenith" } })) },
};
const refused = (errors, more = {}) => ({ status: 409, errors, body: { ...more } });
const cell = (row, value) => ({ path: `${row}:col_b`, code: "cell_changed", detail: "Salary was changed since.", value });

test("a cell is named by its row's number, far away by what the row holds, and without a grid as the server does", async () => {
  assert.deepEqual(await describeConflicts(refused([cell(7, 2)]), grid), ["Salary of row 1 is now “2”."]);
  assert.deepEqual(await describeConflicts(refused([cell(99, null)]), grid), ["Salary of “Zenith” is now empty."]);
  assert.deepEqual(await describeConflicts(refused([cell(7, 2)])), ["Salary was changed since."]);
});

test("of what an undo would overwrite three cells are named and all the others counted, also those that are not listed", async () => {
  const faults = [1, 2, 3, 4].map((row) => ({ path: `${row}:col_a`, code: "row_deleted", detail: `${row} is gone.` }));
  assert.deepEqual((await describeConflicts(refused(faults), grid)).at(-1), "And 1 more.");
  assert.deepEqual(await describeConflicts(refused(faults, { conflicts: 5000 }), grid), ["1 is gone.", "2 is gone.", "3 is gone.", "And 4,997 more."]);
});

test("of what failed for another reason nothing is named", async () => {
  assert.deepEqual(await describeConflicts(new TypeError("The server could not be reached."), grid), []);
});
