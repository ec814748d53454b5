import assert from "node:assert/strict";
import { test } from "node:test";

import { chosenValue, parseFilter, filterKind, nextBoolean, toggled, withChosen } from "../../../static/tables/view_state.js";

const status = { id: "col_s", name: "Status", type: "select", options: ["A", "B", "C"], filterDisplay: "tab" };
const remote = { id: "col_r", name: "Remote", type: "boolean" };

test("a choice becomes a condition and is found again", () => {
  const filter = withChosen("", status, ["B"]);
  assert.equal(filter, '{"and":[{"column":"col_s","op":"any_of","value":["B"]}]}');
  assert.deepEqual(chosenValue(filter, status), ["B"]);
});
test("conditions of other columns stay", () => {
  const filter = withChosen(withChosen("", remote, true), status, ["A"]);
  assert.equal(chosenValue(filter, remote), true);
  assert.equal(chosenValue(withChosen(filter, status, []), remote), true);
});
test("without conditions there is no filter", () => assert.equal(withChosen(withChosen("", remote, false), remote, null), ""));
test("false is a choice", () => assert.equal(chosenValue(withChosen("", remote, false), remote), false));
test("a bare condition and a list are read, too", () => {
  assert.equal(parseFilter('{"column":"x","op":"empty"}').length, 1);
  assert.equal(parseFilter('[{"column":"x","op":"empty"}]').length, 1);
  assert.deepEqual(parseFilter("{"), []);
});
test("yes or no goes round: all, yes, no", () => {
  assert.deepEqual([nextBoolean(undefined), nextBoolean(true), nextBoolean(false)], [true, false, null]);
});
test("options are toggled in their own order", () => {
  assert.deepEqual(toggled(status, ["C"], "A"), ["A", "C"]);
  assert.deepEqual(toggled(status, ["A", "C"], "A"), ["C"]);
});
test("what can be filtered by a click", () => {
  const kinds = [status, { ...status, filterDisplay: "dropdown" }, remote, { id: "t", name: "T", type: "text" }, { ...status, options: [] }];
  assert.deepEqual(kinds.map(filterKind), ["tab", "menu", "truth", "", ""]);
});
