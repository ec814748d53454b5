// The cells that an undo would overwrite, named as in the grid if there is one, otherwise as by the server.

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
const cell = (row, value) => ({ path: `rows[${row}].data.Salary`, code: "cell_changed", detail: "Salary was changed since.", value });

test("a cell is named by its row number, if not loaded by the value of its row, and without a grid as by the server", async () => {
  assert.deepEqual(await describeConflicts(refused([cell(7, 2)]), grid), ["Salary of row 1 is now “2”."]);
  assert.deepEqual(await describeConflicts(refused([cell(99, null)]), grid), ["Salary of “Zenith” is now empty."]);
  assert.deepEqual(await describeConflicts(refused([cell(7, 2)])), ["Salary was changed since."]);
});

test("three conflicting cells are named and all others counted, including those not listed", async () => {
  const faults = [1, 2, 3, 4].map((row) => ({ path: `rows[${row}].data.Company`, code: "row_deleted", detail: `${row} is gone.` }));
  assert.deepEqual((await describeConflicts(refused(faults), grid)).at(-1), "And 1 more.");
  assert.deepEqual(await describeConflicts(refused(faults, { conflicts: 5000 }), grid), ["1 is gone.", "2 is gone.", "3 is gone.", "And 4,997 more."]);
});

test("a failure for another reason names no cells", async () => {
  assert.deepEqual(await describeConflicts(new TypeError("The server could not be reached."), grid), []);
});
