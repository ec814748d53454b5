import assert from "node:assert/strict";
import { test } from "node:test";

import { ME, chosenPeople, chosenValue, otherConditions, parseFilter, nextBoolean, toggled, withChosen, withPeople } from "../../../static/tables/filter_conditions.js";
import { filterKind } from "../../../static/tables/view_state.js";
import "./declared_types.mjs";

const status = { id: "col_s", name: "Status", type: "select", options: ["A", "B", "C"], filterDisplay: "tab" };
const remote = { id: "col_r", name: "Remote", type: "boolean" };

test("a chosen value is stored as a condition and read again", () => {
  const filter = withChosen("", status, ["B"]);
  assert.equal(filter, '{"and":[{"column":"col_s","op":"any_of","value":["B"]}]}');
  assert.deepEqual(chosenValue(filter, status), ["B"]);
});
test("conditions of other columns are not changed", () => {
  const filter = withChosen(withChosen("", remote, true), status, ["A"]);
  assert.equal(chosenValue(filter, remote), true);
  assert.equal(chosenValue(withChosen(filter, status, []), remote), true);
});
test("without conditions there is no filter", () => assert.equal(withChosen(withChosen("", remote, false), remote, null), ""));
test("false is a valid value", () => assert.equal(chosenValue(withChosen("", remote, false), remote), false));
test("a single condition and a list of conditions are parsed", () => {
  assert.equal(parseFilter('{"column":"x","op":"empty"}').length, 1);
  assert.equal(parseFilter('[{"column":"x","op":"empty"}]').length, 1);
  assert.deepEqual(parseFilter("{"), []);
});
test("a boolean filter cycles through all, yes and no", () => {
  assert.deepEqual([nextBoolean(undefined), nextBoolean(true), nextBoolean(false)], [true, false, null]);
});
test("options are toggled in their own order", () => {
  assert.deepEqual(toggled(status, ["C"], "A"), ["A", "C"]);
  assert.deepEqual(toggled(status, ["A", "C"], "A"), ["C"]);
});
test("people are chosen by id or name, and the user by a condition of its own", () => {
  const people = [{ id: 3, name: "Ada", has_left: false }, { id: 7, name: "Grace", has_left: true }];
  const lead = { id: "col_l", name: "Lead", type: "person", people };
  const author = { id: "col_a", name: "Author", type: "created_by", people };
  assert.equal(withPeople("", lead, [7, 3]), '{"and":[{"column":"col_l","op":"any_of","value":[3,7]}]}');
  assert.equal(withPeople("", author, [7]), '{"and":[{"column":"col_a","op":"any_of","value":["Grace"]}]}');
  const mine = withPeople(withPeople("", lead, [7]), lead, ME);
  assert.equal(mine, '{"and":[{"column":"col_l","op":"is_me"}]}');
  assert.deepEqual([chosenPeople(mine, lead), chosenPeople(withChosen("", lead, ["Grace"]), lead), chosenPeople("", lead)], [ME, [7], []]);
  assert.equal(withPeople(mine, lead, []), "");
  const deleted = withChosen("", lead, [3, 99]);
  assert.deepEqual([chosenPeople(deleted, lead), otherConditions(deleted, [lead]).length], [[], 1]);
  assert.deepEqual([lead, author, { ...author, people: undefined }].map(filterKind), ["menu", "menu", ""]);
});
test("filterable columns", () => {
  const kinds = [status, { ...status, filterDisplay: "dropdown" }, remote, { id: "t", name: "T", type: "text" }, { ...status, options: [] }];
  assert.deepEqual(kinds.map(filterKind), ["tab", "menu", "truth", "", ""]);
});
