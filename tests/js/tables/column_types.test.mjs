import assert from "node:assert/strict";
import { test } from "node:test";

import { columnType, declareColumnTypes, registerColumnType } from "../../../static/tables/column_types/registry.js";
import { filterKind } from "../../../static/tables/view_state.js";
import { columnChanges } from "../../../static/tables/schema_diff.js";
import { displayText, editText, typedValue } from "../../../static/tables/values.js";
import "./declared_types.mjs";

const column = (type, more = {}) => ({ id: "col_a", name: "A", type, ...more });

test("a type without a script is plain text under its declared label, else its own name", () => {
  declareColumnTypes([{ name: "molecule", label: "Molecule" }]);
  const kinds = ["molecule", "crystal"].map(columnType);
  assert.deepEqual(kinds.map(({ label, icon, cellClass, clicks }) => [label, icon, cellClass, clicks]), [["Molecule", "type", "", ""], ["crystal", "type", "", ""]]);
  assert.equal(displayText(column("molecule"), "H2O"), "H2O");
  assert.equal(typedValue(column("molecule"), " H2O "), "H2O");
  assert.equal(filterKind(column("molecule")), "");
});
test("one script defines a custom type for all parts of the page", () => {
  registerColumnType({
    name: "grade", label: "Grade", icon: "star", hasOptions: true, clicks: "options", toggles: true,
    display: (value) => `Grade ${value}`, editText: (value) => `=${value}`, typed: (text) => text.toUpperCase(),
  });
  const grade = column("grade", { options: ["A", "B"] });
  assert.equal(displayText(grade, "A"), "Grade A");
  assert.equal(editText(grade, "A"), "=A");
  assert.equal(typedValue(grade, " a "), "A");
  assert.equal(columnType(grade).pasted("b"), "B");
  assert.equal(filterKind(grade), "menu");
  assert.deepEqual(columnChanges(column("text", { options: [] }), { ...grade, filterDisplay: "dropdown" }).options, ["A", "B"]);
});
test("a value stored under an earlier type of its column is shown by its own type", () => {
  const { draw, updateNode } = columnType("boolean");
  assert.deepEqual(["Open", 3].map((value) => displayText(column("boolean"), value)), ["Open", "3"]);
  assert.deepEqual([draw("Open", "Open", column("boolean")), updateNode({ className: "bool" }, "Open", "Open", column("boolean"))], [null, false]);
  assert.deepEqual(["text", "number", "date", "select"].map((type) => displayText(column(type), true)), ["Yes", "Yes", "Yes", "Yes"]);
});
test("outer white space of a text is not removed, even without other characters", () => assert.equal(typedValue(column("text"), "  "), "  "));
test("values pasted into a boolean column are parsed by the server", () => {
  assert.equal(columnType("boolean").pasted("nope"), "nope");
  assert.equal(typedValue(column("boolean"), "true"), true);
});

test("numbers are typed, copied and pasted in the format of the user", () => {
  const { typed, pasted, editText: starts, copied } = columnType("number");
  const german = (text) => typed(text, "de-DE");
  assert.deepEqual(["54500,5", "54.500,5", "54,500", "1.500", "-0,25", "3.5", "12"].map(german), [54500.5, 54500.5, 54.5, 1500, -0.25, 3.5, 12]);
  assert.deepEqual(["1.50,5", "1,2,3", ",5", "many"].map(german), ["1.50,5", "1,2,3", ",5", "many"]);
  assert.deepEqual(["1 234,5", "1\u202f234,5", "1\u00a0234", "1.200"].map((text) => typed(text, "fr-FR")), [1234.5, 1234.5, 1234, 1.2]);
  assert.deepEqual(["1,500", "54500,5", "1.5"].map((text) => typed(text, "en-GB")), ["1,500", "54500,5", 1.5]);
  assert.deepEqual([starts(54500.5, "de-DE"), starts(54500.5, "en-GB")], ["54500,5", "54500.5"]);
  assert.deepEqual(["12,50 €", "12,5 %", "-€1.200", "1.200,50 €"].map(german), ["12.50 €", "12.5 %", "-€1200", "1200.50 €"]);
  // 1,200 may be a fraction: the server refuses amounts with three digits after the separator.
  assert.equal(german("$1,200"), "$1.200");
  for (const locale of ["de-DE", "fr-FR", "de-CH", "en-US", "ar"]) {
    for (const number of [1.234, 1234.567, 1200, -0.5, 1e-7]) assert.equal(Number(pasted(copied(number, locale), locale)), number, locale);
  }
});

test("tiny and huge numbers are edited and copied as digits, which are parsed as the same number", () => {
  const { copied, editText: starts, typed } = columnType("number");
  const numbers = [1e-7, -1.5e-7, 5e-324, 1e16, 2 ** 53, 1.25e21, -1e300, Number.MAX_VALUE, 0.1, -12, 0];
  assert.deepEqual([1e-7, -1.5e-7, 1e16, 1.25e21].map((number) => copied(number, "en-GB")), ["0.0000001", "-0.00000015", "10000000000000000.0", "1250000000000000000000.0"]);
  for (const number of numbers) {
    assert.match(copied(number, "en-GB"), /^-?\d+(\.\d+)?$/);
    for (const locale of ["de-DE", "en-GB"]) assert.equal(Number(typed(starts(number, locale), locale)), number);
  }
  assert.equal(starts(-1.5e-7, "de-DE"), "-0,00000015");
});
test("a nonexistent day is shown as typed and not as another day", () => {
  const shown = ["2026-13-01", "2026-02-29", "2026-02-28"].map((value) => displayText(column("date"), value, "en-US"));
  assert.deepEqual(shown, ["2026-13-01", "2026-02-29", "Feb 28, 2026"]);
});
