import assert from "node:assert/strict";
import { test } from "node:test";

import { blankLine, withColumn, parseErrorPath, readDraft, withOperator, writeDraft } from "../../../static/tables/filter_draft.js";
import { otherConditions, operatorLabel, conditionText } from "../../../static/tables/filter_conditions.js";
import "./declared_types.mjs";

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
  select: [["any_of", "is one of {}", "options", "is {}"]],
  boolean: [["is", "is {}", "truth"]],
};
const text = (column, op, value) => conditionText({ column: column.id, op, value }, column, operators, "en");

test("a condition is a sentence with values in the format of the user", () => {
  assert.equal(text(salary, "gte", 1000), "Salary is at least 1000");
  assert.equal(text(salary, "between", [1, 2000]), "Salary is between 1 and 2000");
  assert.equal(text(due, "lte", "2026-03-15"), "Due is on or before Mar 15, 2026");
  assert.equal(text(due, "last_n_days", 7), "Due is in the last 7 days");
  assert.equal(text(stage, "any_of", ["Open", "Won"]), "Stage is one of Open, Won");
  assert.equal(text(stage, "any_of", ["Open"]), "Stage is Open");
  assert.equal(text(remote, "is", false), "Remote is no");
  assert.equal(text(company, "contains", "{}"), "Company contains {}");
  assert.equal(text(company, "sounds_like", "x"), "Company sounds like x");
});
test("a former member is named in a condition, and can be removed from it", () => {
  const lead = { id: "col_l", name: "Lead", type: "person", people: [{ id: 3, name: "Ada", has_left: false }, { id: 7, name: "Grace", has_left: true }] };
  const ofPeople = { person: [["any_of", "is one of {}", "options", "is {}"]] };
  const stored = { column: "col_l", op: "any_of", value: [7, 3] };
  assert.equal(conditionText(stored, lead, ofPeople, "en"), "Lead is one of Grace, Ada");
  const [[line]] = readDraft(JSON.stringify(stored), [lead], ofPeople);
  assert.deepEqual(line.values, ["Grace", "Ada"]);
  const without = writeDraft([[{ ...line, values: ["Ada"] }]], [lead], ofPeople);
  assert.deepEqual(JSON.parse(without.filter), { and: [{ ...stored, value: ["Ada"] }] });
});
test("a condition on a deleted column has a sentence", () => {
  assert.equal(conditionText({ column: "col_x", op: "eq", value: 5 }, undefined, operators), "A deleted column eq 5");
});
test("a list of operators shows placeholders only inside their text", () => {
  assert.deepEqual(["is at least {}", "is between {} and {}", "is in the last {} days", "is empty"].map(operatorLabel), [
    "is at least", "is between … and …", "is in the last … days", "is empty",
  ]);
});

const filter = JSON.stringify({ and: [
  { column: "col_n", op: "between", value: [1, 2.5] },
  { or: [{ column: "col_t", op: "contains", value: "ac" }, { column: "col_b", op: "is", value: false }] },
  { column: "col_s", op: "any_of", value: ["Won"] },
] });

test("a filter parsed into the form is serialized unchanged", () => {
  assert.deepEqual(writeDraft(readDraft(filter, columns, operators), columns, operators), { filter, faults: [] });
});
test("conditions not shown by the chip of a column have their own chips", () => {
  const chips = otherConditions(filter, columns);
  assert.deepEqual(chips.map(({ column, other }) => [column.name, other]), [["Salary", false], ["Company", false], ["Remote", true]]);
  assert.deepEqual(JSON.parse(chips[1].without).and[1], { column: "col_b", op: "is", value: false });
  assert.equal(otherConditions('{"column":"col_t","op":"empty"}', columns)[0].without, "");
});
test("conditions on deleted columns and options are omitted from the form", () => {
  assert.deepEqual(readDraft('[{"column":"x","op":"eq","value":1},{"column":"col_n","op":"contains","value":"1"}]', columns, operators), []);
});
test("missing values are reported at their field", () => {
  const draft = [[{ column: "col_n", op: "gte", values: [" "] }], [{ column: "col_t", op: "empty", values: [] }, { column: "col_s", op: "any_of", values: [] }]];
  const { faults } = writeDraft(draft, columns, operators);
  assert.deepEqual(faults, [{ clause: 0, alternative: 0, text: "Enter a value." }, { clause: 1, alternative: 1, text: "Choose at least one." }]);
});
test("a number of days must be a whole number", () => {
  for (const text of ["", "0", "-1", "1.5", "99999", "x"]) {
    const { faults } = writeDraft([[{ column: "col_d", op: "last_n_days", values: [text] }]], columns, operators);
    assert.equal(faults.length, 1, text);
  }
});
test("an ambiguous number is parsed by the server", () => {
  const written = (text) => JSON.parse(writeDraft([[{ column: "col_n", op: "gte", values: [text] }]], columns, operators).filter).and[0].value;
  assert.deepEqual([written("12.5"), written("1,200")], [12.5, "1,200"]);
});
test("changing the column preserves the operator if the new column has it", () => {
  const line = { column: "col_t", op: "empty", values: [] };
  assert.equal(withColumn(line, salary, operators).op, "empty");
  assert.equal(withColumn({ ...line, op: "contains", values: ["a"] }, salary, operators).op, "gte");
  assert.deepEqual(blankLine(due, operators), { column: "col_d", op: "lte", values: [] });
});
test("changing the operator preserves the values if it takes the same", () => {
  const line = { column: "col_n", op: "gte", values: ["5"] };
  assert.deepEqual(withOperator(line, "between", salary, operators).values, ["5"]);
  assert.deepEqual(withOperator(line, "empty", salary, operators).values, []);
});
test("an error of the server is assigned to its field", () => {
  assert.deepEqual(parseErrorPath("filter.and[2].or[1].value"), { clause: 2, alternative: 1 });
  assert.deepEqual(parseErrorPath("filter.and[0].value"), { clause: 0, alternative: 0 });
  assert.equal(parseErrorPath("sort"), null);
});
