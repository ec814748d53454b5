import assert from "node:assert/strict";
import { test } from "node:test";

import { columnFaults, editCount, editWords, schemaProposal } from "../../../static/tables/schema_diff.js";
import { usedSettings } from "../../../static/tables/column_settings.js";
import "./declared_types.mjs";

const column = (id, more = {}) => ({
  key: id, id, name: id.toUpperCase(), type: "text", required: false, default: null, options: [], filterDisplay: "dropdown", removed: false, ...more,
});
const fresh = (name, more = {}) => ({ ...column("", more), key: `new-${name}`, name, ...more });
const table = (...columns) => ({ name: "Jobs", description: "", columns });
const before = table(column("a"), column("b"), column("c"));
const operations = (...columns) => schemaProposal(before, table(...columns)).operations;

test("an unchanged schema has no operations", () => assert.equal(editCount(schemaProposal(before, structuredClone(before))), 0));
test("only the changed name of a column is sent", () => {
  assert.deepEqual(operations(column("a", { name: "Company" }), column("b"), column("c")), [
    { action: "modify", column_id: "a", changes: { name: "Company" } },
  ]);
});
test("a removed column is removed", () => {
  assert.deepEqual(operations(column("a"), column("b", { removed: true }), column("c")), [{ action: "remove", column_id: "b" }]);
});
test("a moved column has the column before it", () => {
  assert.deepEqual(operations(column("b"), column("a"), column("c")), [{ action: "reorder", column_id: "b" }]);
  assert.deepEqual(operations(column("a"), column("c"), column("b")), [{ action: "reorder", column_id: "c", after_column_id: "a" }]);
});
test("a new column is placed after its neighbor, and a second one after the first", () => {
  const [first, second] = operations(column("a"), fresh("X"), fresh("Y"), column("b"), column("c"));
  assert.equal(first.after_column_id, "a");
  assert.equal(second.after_column_id, "X");
});
test("a new first column is added and then moved to the front", () => {
  assert.deepEqual(operations(fresh("X"), column("a"), column("b"), column("c")), [
    { action: "add", column: { name: "X", type: "text", required: false } },
    { action: "reorder", column_id: "X" },
  ]);
});
test("moves are sent before new columns, so that the neighbors are in their final position", () => {
  const actions = operations(column("b"), fresh("X"), column("a"), column("c")).map((one) => one.action);
  assert.deepEqual(actions, ["reorder", "add"]);
});
test("a column changed to select without options gets its values as options", () => {
  const [{ changes }] = operations(column("a", { type: "select" }), column("b"), column("c"));
  assert.deepEqual(changes, { type: "select" });
});
test("a removed default is sent as empty", () => {
  const was = table(column("a", { default: "x" }));
  assert.deepEqual(schemaProposal(was, table(column("a"))).operations[0].changes, { default: "" });
});
test("the name and description of the table are sent only if changed", () => {
  const proposal = schemaProposal(before, { ...before, name: " Work " });
  assert.equal(proposal.table_name, "Work");
  assert.ok(!("table_description" in proposal));
  assert.equal(editWords(proposal), "table renamed");
});
test("column names are required and unique", () => {
  const faults = columnFaults([column("a"), fresh(" "), fresh("a", { key: "k" })]);
  assert.deepEqual([...faults.keys()], ["new- ", "k"]);
});
test("the name of a removed column can be used again", () => {
  assert.equal(columnFaults([column("a", { removed: true }), fresh("A")]).size, 0);
});

test("changed settings of a column are sent, and all of a new one or of another type", () => {
  const price = (settings, more = {}) => column("a", { type: "number", settings, ...more });
  const change = (was, now) => schemaProposal(table(was), table(now)).operations[0]?.changes;
  const euros = { format: "currency", currency: "EUR" };
  assert.deepEqual(change(price({ format: "plain" }), price(euros)), euros);
  assert.deepEqual(change(price(euros), price({ format: "currency", currency: "USD" })), { currency: "USD" });
  assert.deepEqual(change(price({ format: "decimal", places: 3 }), price({ format: "plain" })), { format: "plain" });
  assert.equal(change(price(euros), price(euros)), undefined);
  assert.deepEqual(change(column("a", { settings: {} }), price(euros)), { type: "number", ...euros });
  const [added] = schemaProposal(table(), table(fresh("Price", { type: "number", settings: euros }))).operations;
  assert.deepEqual(added.column, { name: "Price", type: "number", required: false, ...euros });
  assert.deepEqual([...columnFaults([price({ format: "currency", currency: null })]).values()], ["Fill in all settings of the column."]);
});
test("a column has the settings that its format uses, with defaults", () => {
  const setting = (name, more) => ({ name, default: null, formats: [], ...more });
  const declared = [setting("format", { default: "plain" }), setting("places", { default: 2, formats: ["decimal"] }), setting("currency", { formats: ["currency"] })];
  assert.deepEqual(usedSettings(declared, {}), { format: "plain" });
  assert.deepEqual(usedSettings(declared, { format: "decimal", currency: "EUR" }), { format: "decimal", places: 2 });
  assert.deepEqual(usedSettings(declared, { format: "currency", places: 3 }), { format: "currency", currency: null });
});
