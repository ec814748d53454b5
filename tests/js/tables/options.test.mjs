import assert from "node:assert/strict";
import { test } from "node:test";
import { addedOption, deletedOption, mergedOption, movedOption, recoloredOption, renamedOption, sameOption } from "../../../static/tables/option_changes.js";
import { listEntries } from "../../../static/tables/combobox.js";
import { columnType } from "../../../static/tables/column_types/registry.js";
import "./declared_types.mjs";

const column = { id: "c", name: "Status", type: "select", options: ["Open", "Reopened", "Done"], optionColors: { Open: "blue" } };
const expected = { options: column.options };
const createItem = (text) => ({ value: text, label: text });
const entries = (text, how = { createItem }) => listEntries(columnType(column).listItems(column), { text, ...how }).map(({ kind, item }) => `${kind} ${item.label}`);

test("typed text matches anywhere, exact matches first, and is offered as a new option", () => {
  assert.deepEqual(entries("open"), ["item Open", "item Reopened"]);
  assert.deepEqual(entries("reopened"), ["item Reopened"]);
  assert.deepEqual(entries("ope"), ["item Open", "item Reopened", "create ope"]);
  assert.deepEqual(entries("Paused"), ["create Paused"]);
  assert.deepEqual(entries(""), ["item Open", "item Reopened", "item Done"]);
});
test("no new option is offered if none can be created", () => assert.deepEqual(entries("Paused", { createItem: null }), []));
test("an option is added at the end", () => assert.deepEqual(addedOption(column, "Paused"), { body: { options: [...column.options, "Paused"], expected } }));
test("a renamed option stays in its position, and its rows are changed", () => {
  assert.deepEqual(renamedOption(column, "Open", "To do"), { body: { options: ["To do", "Reopened", "Done"], expected }, removed: { Open: "To do" } });
  assert.equal(renamedOption(column, "Gone", "To do"), null);
  assert.equal(renamedOption(column, "Open", "Open"), null);
});
test("a merged option is removed, and its rows get the other one", () => {
  assert.deepEqual(mergedOption(column, "Reopened", "Open"), { body: { options: ["Open", "Done"], expected }, removed: { Reopened: "Open" } });
  for (const [option, other] of [["Open", "Open"], ["Gone", "Open"], ["Open", "Gone"]]) assert.equal(mergedOption(column, option, other), null);
});
test("a color is changed separately, with the shown color as the expected one", () => {
  assert.deepEqual(recoloredOption(column, "Open", "lime"), { body: { optionColors: { Open: "lime" }, expected: { optionColors: { Open: "blue" } } } });
  assert.equal(recoloredOption(column, "Open", "blue"), null);
});
test("an option is moved within the list only", () => {
  assert.deepEqual(movedOption(column, "Done", 0)?.body.options, ["Done", "Open", "Reopened"]);
  assert.deepEqual(movedOption(column, "Open", 9)?.body.options, ["Reopened", "Done", "Open"]);
  assert.equal(movedOption(column, "Open", -1), null);
});
test("the last option cannot be deleted", () => {
  assert.deepEqual(deletedOption(column, "Open"), { body: { options: ["Reopened", "Done"], expected }, removed: "clear" });
  assert.equal(deletedOption({ ...column, options: ["Open"] }, "Open"), null);
});
test("names that differ only by case are equal", () => {
  assert.equal(sameOption(column, "OPEN"), "Open");
  assert.equal(sameOption(column, "OPEN", "Open"), "");
});
