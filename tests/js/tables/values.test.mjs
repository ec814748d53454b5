import assert from "node:assert/strict";
import { test } from "node:test";

import { colorOf } from "../../../static/tables/column_types/registry.js";
import { displayText, editText, rowLabel, sameValue, typedValue, widthClass } from "../../../static/tables/values.js";
import "./declared_types.mjs";

const column = (type, more = {}) => ({ id: "col_a", name: "A", type, ...more });

const shown = [
  ["a number in the reader's own way", "number", 1234.5, "de", "1234,5"],
  ["a year without a thousands separator", "number", 2012, "en", "2012"],
  ["a large amount without thousands separators", "number", -1234567.25, "en", "-1234567.25"],
  ["a very small number as it is", "number", 1e-9, "en", "1e-9"],
  ["a day in the reader's own way", "date", "2026-11-21", "en", "Nov 21, 2026"],
  ["a day of the first century as that", "date", "0050-01-02", "en", "Jan 2, 50"],
  ["no", "boolean", false, "en", "No"],
  ["nothing for an empty cell", "text", null, "en", ""],
  ["markup as text", "text", "<b>x</b>", "en", "<b>x</b>"],
];
for (const [name, type, value, locale, text] of shown) {
  test(`shows ${name}`, () => assert.equal(displayText(column(type), value, locale), text));
}

const typed = [
  ["a plain number becomes a number", "number", " 12.5 ", 12.5],
  ["a number with signs goes to the server as typed", "number", "$1,200", "$1,200"],
  ["leading zeros are not lost on the way", "number", "007", "007"],
  ["text keeps its outer space", "text", " a ", " a "],
  ["nothing typed empties the cell", "date", "  ", null],
];
for (const [name, type, text, value] of typed) test(name, () => assert.equal(typedValue(column(type), text), value));

test("an editor starts with the stored value, not with the displayed text", () => assert.equal(editText(column("number"), 1234.5), "1234.5"));
test("an empty text and null are equal", () => assert.ok(sameValue("", null)));
test("a column of people has space for initials", () => {
  const people = [{ id: 1, name: "greta", has_left: false }];
  assert.deepEqual([people, undefined].map((known) => widthClass({ ...column(known ? "person" : "text"), people: known }, [{ col_a: known ? 1 : "greta" }])), ["w-2", "w-1"]);
});
test("zero is not an empty value", () => assert.ok(!sameValue(0, null)));
test("an option has its own color, or the one of its position", () => {
  const select = column("select", { options: ["a", "b", "c"], optionColors: { a: "lime" } });
  assert.deepEqual(["a", "c", "gone", "constructor"].map((option) => colorOf(select, option)), ["lime", "teal", "gray", "gray"]);
});
test("a row is named by its first filled cell", () => {
  const columns = [{ ...column("text"), id: "x" }, { ...column("text"), id: "y" }];
  assert.equal(rowLabel(columns, { y: "Acme" }, "row 3"), "Acme");
  assert.equal(rowLabel(columns, {}, "row 3"), "row 3");
});
