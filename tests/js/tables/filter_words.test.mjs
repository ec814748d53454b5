import assert from "node:assert/strict";
import { test } from "node:test";

import { blankLine, withColumn, parseErrorPath, readDraft, withOperator, writeDraft } from "../../../static/tables/filter_draft.js";
import { otherConditions, operatorLabel, conditionText } from "../../../static/tables/view_state.js";

const columns = [
  { id: "col_t", name: "Company", type: "text" },
  { id: "col_n", name: "Salary", type: "number" },
  { id: "col_d", name: "Due", type: "date" },
  { id: "col_s", name: "Stage", type: "select", options: ["Open", "Won"], filterDisplay: "dropdown" },
  { id: "col_b", name: "Remote", type: "boolean" },
];
const [company, salary, due, stage, remote] = columns;
const operators = {
  text: [["contains", "contains {}", "part"], ["eq", "is {}", "value"], ["empty", "is empty", "nothing"]],
  number: [["gte", "is at least {}", "value"], ["between", "is between {} and {}", "pair"], ["empty", "is empty", "nothing"]],
  date: [["lte", "is on or before {}", "value"], ["last_n_days", "is in the last {} days", "days"]],
  select: [["any_of", "is one of {}", "options"]],
  boolean: [["is", "is {}", "truth"]],
};
const said = (column, op, value) => conditionText({ column: column.id, op, value }, column, operators, "en");

test("a condition is a sentence, with values as the reader writes them", () => {
  assert.equal(said(salary, "gte", 1000), "Salary is at least 1000");
  assert.equal(said(salary, "between", [1, 2000]), "Salary is between 1 and 2000");
  assert.equal(said(due, "lte", "2026-03-15"), "Due is on or before Mar 15, 2026");
  assert.equal(said(due, "last_n_days", 7), "Due is in the last 7 days");
  assert.equal(said(stage, "any_of", ["Open", "Won"]), "Stage is one of Open, Won");
  assert.equal(said(stage, "any_of", ["Open"]), "Stage is Open");
  assert.equal(said(remote, "is", false), "Remote is no");
  assert.equal(said(company, "contains", "{}"), "Company contains {}");
  assert.equal(said(company, "sounds_like", "x"), "Company sounds like x");
});
test("a deleted column has a sentence, too", () => {
  assert.equal(conditionText({ column: "col_x", op: "eq", value: 5 }, undefined, operators), "A deleted column eq 5");
});
test("a list of tests shows gaps only inside", () => {
  assert.deepEqual(["is at least {}", "is between {} and {}", "is in the last {} days", "is empty"].map(operatorLabel), [
    "is at least", "is between … and …", "is in the last … days", "is empty",
  ]);
});

const filter = JSON.stringify({ and: [
  { column: "col_n", op: "between", value: [1, 2.5] },
  { or: [{ column: "col_t", op: "contains", value: "ac" }, { column: "col_b", op: "is", value: false }] },
  { column: "col_s", op: "any_of", value: ["Won"] },
] });

test("what is read into the form is written as it was", () => {
  assert.deepEqual(writeDraft(readDraft(filter, columns, operators), columns, operators), { filter, faults: [] });
});
test("conditions that no chip of a column shows have chips of their own", () => {
  const chips = otherConditions(filter, columns);
  assert.deepEqual(chips.map(({ column, other }) => [column.name, other]), [["Salary", false], ["Company", false], ["Remote", true]]);
  assert.deepEqual(JSON.parse(chips[1].without).and[1], { column: "col_b", op: "is", value: false });
  assert.equal(otherConditions('{"column":"col_t","op":"empty"}', columns)[0].without, "");
});
test("conditions on what is gone are left out of the form", () => {
  assert.deepEqual(readDraft('[{"column":"x","op":"eq","value":1},{"column":"col_n","op":"contains","value":"1"}]', columns, operators), []);
});
test("what is missing is told at its place", () => {
  const draft = [[{ column: "col_n", op: "gte", values: [" "] }], [{ column: "col_t", op: "empty", values: [] }, { column: "col_s", op: "any_of", values: [] }]];
  const { faults } = writeDraft(draft, columns, operators);
  assert.deepEqual(faults, [{ clause: 0, place: 0, text: "Enter a value." }, { clause: 1, place: 1, text: "Choose at least one." }]);
});
test("days are a whole number of them", () => {
  for (const text of ["", "0", "-1", "1.5", "99999", "x"]) {
    const { faults } = writeDraft([[{ column: "col_d", op: "last_n_days", values: [text] }]], columns, operators);
    assert.equal(faults.length, 1, text);
  }
});
test("a number that is not certain is for the server to read", () => {
  const written = (text) => JSON.parse(writeDraft([[{ column: "col_n", op: "gte", values: [text] }]], columns, operators).filter).and[0].value;
  assert.deepEqual([written("12.5"), written("1,200")], [12.5, "1,200"]);
});
test("another column takes the test along where it has it", () => {
  const line = { column: "col_t", op: "empty", values: [] };
  assert.equal(withColumn(line, salary, operators).op, "empty");
  assert.equal(withColumn({ ...line, op: "contains", values: ["a"] }, salary, operators).op, "gte");
  assert.deepEqual(blankLine(due, operators), { column: "col_d", op: "lte", values: [] });
});
test("values stay where another test takes the same", () => {
  const line = { column: "col_n", op: "gte", values: ["5"] };
  assert.deepEqual(withOperator(line, "between", salary, operators).values, ["5"]);
  assert.deepEqual(withOperator(line, "empty", salary, operators).values, []);
});
test("a fault of the server is found in the form", () => {
  assert.deepEqual(parseErrorPath("filter.and[2].or[1].value"), { clause: 2, place: 1 });
  assert.deepEqual(parseErrorPath("filter.and[0].value"), { clause: 0, place: 0 });
  assert.equal(parseErrorPath("sort"), null);
});
