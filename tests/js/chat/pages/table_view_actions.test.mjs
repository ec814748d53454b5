// Client actions on the view of a table: their data is validated against the table, and undo restores the exact view.

import assert from "node:assert/strict";
import { test } from "node:test";

import { filterFrom, filteredText, hiddenFrom, run, sortFrom, sortedText, undo } from "../../../../static/chat/pages/table_view_actions.js";
import { heldRequests, settled } from "../../held_requests.mjs";
import "../../tables/declared_types.mjs";

globalThis.document = /** @type {any} */ ({ cookie: "" }); // a request looks for its token there

const columns = [
  { id: "col_t", name: "Company", type: "text" },
  { id: "col_n", name: "Salary", type: "number" },
  { id: "col_d", name: "Due", type: "date" },
  { id: "col_s", name: "Stage", type: "select", options: ["Open", "Won"] },
  { id: "col_2", name: "stage", type: "text" },
];
const operators = { select: [["any_of", "is one of {}", "options", "is {}"]], number: [["gte", "is at least {}", "value"]] };
const unknown = { message: "There is no column “Wage” in this table." };

/** A grid of the table with this view, which records what it is requests to show. */
function gridWith({ view = {}, hidden = [], review = null } = {}) {
  const grid = { tableId: "5", allColumns: columns, review, view: { search: "", sort: "", filter: "", ...view } };
  grid.filters = { operators, go: (next) => { grid.view = next; } };
  grid.viewSettings = { hidden: new Set(hidden), hide: (ids) => { grid.viewSettings.hidden = new Set(ids); } };
  return grid;
}

test("columns are found by id or name, ignoring case if only one matches", () => {
  assert.equal(sortFrom(columns, [{ column: "salary", descending: true }, { column: "col_t" }]).sort, "-col_n,col_t");
  assert.equal(sortFrom(columns, [{ column: "stage" }]).sort, "col_2");
  assert.equal(sortFrom(columns, []).sort, "");
});
for (const [about, by, message] of [
  ["an unknown column", [{ column: "Wage" }], unknown.message],
  ["a name of two columns", [{ column: "STAGE" }], "There is no column “STAGE” in this table."],
  ["a column twice", [{ column: "Salary" }, { column: "col_n" }], "A column can be sorted by only once."],
  ["no list", "Salary", "The sort could not be read."],
]) {
  test(`a sort order with ${about} is refused`, () => assert.throws(() => sortFrom(columns, by), { message }));
}

test("a filter has the format of the API, with column ids", () => {
  const filter = { and: [{ column: "Stage", op: "any_of", value: ["Open"] }, { or: [{ column: "Salary", op: "gte", value: 5 }, { column: "col_d", op: "empty" }] }] };
  assert.deepEqual(JSON.parse(filterFrom(columns, filter)), {
    and: [{ column: "col_s", op: "any_of", value: ["Open"] }, { or: [{ column: "col_n", op: "gte", value: 5 }, { column: "col_d", op: "empty" }] }],
  });
  assert.equal(filterFrom(columns, { column: "Salary", op: "empty" }), '{"and":[{"column":"col_n","op":"empty"}]}');
  for (const none of [null, {}, [], { and: [] }]) assert.equal(filterFrom(columns, none), "");
});
test("an invalid filter is refused", () => {
  assert.throws(() => filterFrom(columns, { and: [{ or: [{ column: "Wage", op: "empty" }] }] }), unknown);
  for (const broken of ["Salary > 5", [null], { or: [] }, { and: [{ column: "Salary" }] }]) assert.throws(() => filterFrom(columns, broken), { message: "The filter could not be read." });
});

test("columns are hidden and shown, and one is always visible", () => {
  assert.deepEqual(hiddenFrom(columns, new Set(["col_t"]), { hide: ["Due"] }), ["col_t", "col_d"]);
  assert.deepEqual(hiddenFrom(columns, new Set(["col_t", "col_d"]), { show: ["Due"] }), ["col_t"]);
  assert.deepEqual(hiddenFrom(columns, new Set(["col_t"]), { show: ["Company"], only: true }), ["col_n", "col_d", "col_s", "col_2"]);
  assert.deepEqual(hiddenFrom(columns, new Set(["col_t"]), {}), []);
  assert.throws(() => hiddenFrom(columns, new Set(), { hide: ["Wage"] }), unknown);
  assert.throws(() => hiddenFrom(columns, new Set(), { hide: [] }), { message: "Name a column." });
  assert.throws(() => hiddenFrom(columns, new Set(), { hide: columns.map(({ id }) => id) }), { message: "At least one column has to stay visible." });
});

test("a receipt describes the action", () => {
  const sorted = (by) => sortedText(sortFrom(columns, by).keys);
  assert.equal(sorted([{ column: "Salary", descending: true }, { column: "Company" }]), "Sorted by Salary, highest first, then Company, A to Z");
  assert.equal(sorted([{ column: "col_s" }]), "Sorted by Stage, first option first");
  const moments = ["created_at", "updated_at", "date"].map((type) => ({ column: { id: type, name: type, type, format: "datetime" }, down: true }));
  assert.equal(sortedText(moments), "Sorted by created_at, latest first, then updated_at, latest first, then date, latest first");
  assert.equal(sorted([]), "Sort cleared");
  const filter = '{"and":[{"column":"col_s","op":"any_of","value":["Open"]},{"or":[{"column":"col_n","op":"gte","value":5},{"column":"col_n","op":"gte","value":7}]}]}';
  assert.equal(filteredText(columns, filter, operators), "Filtered: Stage is Open and Salary is at least 5 or Salary is at least 7");
  assert.equal(filteredText(columns, "", operators), "Filters cleared");
});

test("a receipt reports that there was nothing to clear", async () => {
  const none = gridWith();
  assert.deepEqual(await run(none, "sort_rows", { by: [] }), { text: "No sort is set" });
  assert.deepEqual(await run(none, "filter_rows", { filter: null }), { text: "No filters are set" });
  const { text } = await run(gridWith({ view: { sort: "col_n" } }), "sort_rows", { by: [] });
  assert.equal(text, "Sort cleared");
});

test("undoing a sort restores the previous order and nothing else of the view", async () => {
  const grid = gridWith({ view: { sort: "-col_d,col_t", search: "acme" } });
  const requests = heldRequests();
  const running = run(grid, "sort_rows", { by: [{ column: "Salary" }] });
  await settled();
  await requests[0].answer(200, { rows: [] });
  const { state } = await running;
  assert.deepEqual([grid.view.sort, grid.view.search], ["col_n", "acme"]);
  grid.view = { ...grid.view, search: "" };
  await undo(grid, state);
  assert.deepEqual(grid.view, { search: "", sort: "-col_d,col_t", filter: "" });
});
test("a value refused by the server changes nothing, and its reason is reported", async () => {
  const grid = gridWith({ view: { filter: '{"and":[]}' } });
  const requests = heldRequests();
  const running = assert.rejects(
    run(grid, "filter_rows", { filter: { column: "Stage", op: "any_of", value: ["Lost"] } }), { message: "“Lost” is no option of Stage." });
  await settled();
  assert.match(requests[0].url, /limit=1&count=none&filter=/);
  await requests[0].answer(422, { error: "invalid", detail: "The filter does not fit.", errors: [{ detail: "“Lost” is no option of Stage." }] });
  await running;
  assert.equal(grid.view.filter, '{"and":[]}');
});
test("undo shows the columns again, except those hidden by the user since", async () => {
  const grid = gridWith({ hidden: ["col_d"] });
  const { text, state } = await run(grid, "hide_columns", { columns: ["salary", "Stage"] });
  assert.deepEqual([text, [...grid.viewSettings.hidden]], ["Hidden: Salary, Stage", ["col_n", "col_d", "col_s"]]);
  grid.viewSettings.hide([...grid.viewSettings.hidden, "col_t"]);
  await undo(grid, state);
  assert.deepEqual([...grid.viewSettings.hidden], ["col_d", "col_t"]);
  const { state: second } = await run(grid, "show_columns", { columns: ["Due"] });
  await undo(grid, second);
  assert.deepEqual([...grid.viewSettings.hidden].sort(), ["col_d", "col_t"]);
});
test("an action without effect has no undo", async () => {
  assert.equal((await run(gridWith(), "clear_view", {})).state, undefined);
  assert.equal((await run(gridWith({ hidden: ["col_d"] }), "hide_columns", { columns: ["Due"] })).state, undefined);
});
test("actions do not hide rows or columns while a proposal is reviewed", async () => {
  for (const [action, data] of [["filter_rows", { filter: null }], ["search_table", { text: "x" }], ["hide_columns", { columns: ["Due"] }]]) {
    await assert.rejects(run(gridWith({ review: {} }), action, data), { message: "A proposal is open. Apply or dismiss it first." });
  }
});

/** A grid whose writer has these done and undone changes; `turn` is whether an undo or redo succeeds. */
function gridWithHistory(done, undone, turn = true) {
  const stack = { done, undone, get nextUndo() { return done.at(-1); }, get nextRedo() { return undone.at(-1); } };
  const undoOrRedo = async (verb) => {
    if (turn) (verb === "undo" ? undone : done).push((verb === "undo" ? done : undone).pop());
  };
  return { writer: { queue: Promise.resolve(), undoRedo: { stack, undoOrRedo } } };
}
test("the last change is undone, and redone only if it is the next to be redone", async () => {
  const grid = gridWithHistory([3, 4], []);
  const { state, label } = await run(grid, "undo_change", {});
  assert.deepEqual([grid.writer.undoRedo.stack.undone, label], [[4], "Redo"]);
  assert.equal(await undo(grid, state), "Redone");
  assert.deepEqual(grid.writer.undoRedo.stack.done, [3, 4]);
  grid.writer.undoRedo.stack.undone.push(2);
  await assert.rejects(undo(grid, state), { message: "Nothing to redo here. See the history for all changes." });
});
test("an undo without a change, or refused, is reported", async () => {
  await assert.rejects(run(gridWithHistory([], []), "undo_change", {}), { message: "Nothing to undo here. See the history for all changes." });
  await assert.rejects(run(gridWithHistory([3], [], false), "undo_change", {}), { message: "The change was not undone." });
});
