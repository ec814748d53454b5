// Filters follow the names of options that are renamed, by anyone and by undo.

import assert from "node:assert/strict";
import { test } from "node:test";

import { withRenamedOptions } from "../../../static/tables/renamed_options.js";

const columns = (/** @type {string[]} */ stages, tags = ["Red", "Blue"]) => [
  { id: "col_n", name: "Name", type: "text" },
  { id: "col_s", name: "Stage", type: "select", options: stages },
  { id: "col_t", name: "Tags", type: "multi_select", options: tags },
];
const followed = (/** @type {any} */ filter, before, now) => JSON.parse(withRenamedOptions(JSON.stringify(filter), before, now));
const open = { column: "col_s", op: "any_of", value: ["Open", "Done"] };

test("conditions of the column have the new name, at any depth, by id and by name", () => {
  const filter = { and: [open, { or: [{ column: "Stage", op: "eq", value: "Open" }, { column: "col_t", op: "has_any", value: ["Open"] }] }, { column: "col_s", op: "empty" }] };
  const expected = { and: [{ ...open, value: ["Active", "Done"] }, { or: [{ column: "Stage", op: "eq", value: "Active" }, { column: "col_t", op: "has_any", value: ["Open"] }] }, { column: "col_s", op: "empty" }] };
  assert.deepEqual(followed(filter, columns(["Open", "Done"]), columns(["Active", "Done"])), expected);
});

test("names that were exchanged, moved, added or deleted are no new names", () => {
  const before = columns(["Open", "Done", "Late"]);
  for (const now of [["Done", "Open", "Late"], ["Late", "Open", "Done"], ["Open", "Done", "Late", "New"], ["Done", "Late"]]) {
    assert.deepEqual(followed([open], before, columns(now)), [open]);
  }
  assert.deepEqual(followed([open], before, []), [open]);
});

test("several lists of options are renamed at once", () => {
  const filter = [open, { column: "col_t", op: "has_all", value: ["Blue"] }];
  const now = columns(["A", "B"], ["Red", "Navy"]);
  assert.deepEqual(followed(filter, columns(["Open", "Done"]), now).map(({ value }) => value), [["A", "B"], ["Navy"]]);
  assert.equal(withRenamedOptions("", columns(["Open"]), columns(["A"])), "");
});
