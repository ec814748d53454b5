import assert from "node:assert/strict";
import { test } from "node:test";
import "./declared_types.mjs";
import { listText } from "../../../static/tables/column_types/multi_select.js";
import { shownCount, splitList } from "../../../static/tables/column_types/option_lists.js";
import { copiedText, displayText, editText, isEmpty, sameValue, typedValue } from "../../../static/tables/values.js";

const column = { id: "c", name: "Tags", type: "multi_select", options: ["Red", "a, b", "x;", '"quoted"', "say \"hi\"", "__proto__"] };

test("a list is copied and edited as text that is read as the same list", () => {
  const text = 'Red, "a, b", "x;", """quoted""", say "hi", __proto__';
  assert.equal(editText(column, column.options), text);
  assert.equal(copiedText(column, column.options), text);
  assert.deepEqual(splitList(text), column.options);
  assert.deepEqual(typedValue(column, text), column.options);
  assert.equal(displayText(column, ["Red", "a, b"]), "Red, a, b");
});
test("typed options are separated by commas, semicolons or line ends, in any case and order", () => {
  assert.deepEqual(typedValue(column, " __proto__ ;RED\n,, red"), ["Red", "__proto__"]);
  assert.deepEqual(typedValue(column, "a, b"), ["a, b"]);
  assert.equal(typedValue(column, "Red, Blue"), "Red, Blue");
  assert.equal(typedValue(column, " "), null);
});
test("an unclosed quotation mark is part of a name", () => {
  assert.deepEqual(splitList('"Red, Blue'), ['"Red', "Blue"]);
  assert.equal(listText(['"Red']), '"""Red"');
});
test("lists are compared by their elements, and an empty list is an empty cell", () => {
  assert.equal(sameValue(["Red"], ["Red"]), true);
  assert.equal(sameValue(["Red"], ["Red", "a, b"]), false);
  assert.equal(sameValue([], null), true);
  assert.equal(isEmpty([]), true);
});
test("further options are only counted, but the first is always shown", () => {
  assert.equal(shownCount(["Red", "Green", "Blue"]), 3);
  assert.equal(shownCount(["Red", "x".repeat(30), "Blue"]), 1);
  assert.equal(shownCount(["x".repeat(40), "Red"]), 1);
});
