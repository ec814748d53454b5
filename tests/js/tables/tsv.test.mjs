import assert from "node:assert/strict";
import { test } from "node:test";

import { fromTsv } from "../../../static/tables/tsv.js";
import { toTsv } from "../../../static/tables/values.js";
import "./declared_types.mjs";

const cases = [
  ["one cell", "a", [["a"]]],
  ["a row of cells", "a\tb\tc", [["a", "b", "c"]]],
  ["rows with a last line end", "a\tb\nc\td\n", [["a", "b"], ["c", "d"]]],
  ["line ends of Windows", "a\r\nb\r\n", [["a"], ["b"]]],
  ["empty cells", "\t\n\t", [["", ""], ["", ""]]],
  ["a line end inside a cell", '"a\nb"\tc', [["a\nb", "c"]]],
  ["a quote inside quotes", '"say ""hi"""', [['say "hi"']]],
  ["a quote in the middle of a bare cell", '5" disk', [['5" disk']]],
  ["a quote that never ends", '"a\tb', [["a\tb"]]],
];
for (const [name, text, rows] of cases) test(`reads ${name}`, () => assert.deepEqual(fromTsv(text), rows));

test("serialized cells are parsed unchanged", () => {
  const rows = [["a\tb", 'say "hi"', ""], ["x\ny", " z ", "1"]];
  assert.deepEqual(fromTsv(toTsv(rows)), rows);
});

for (const rows of [[[""]], [[""], [""]], [["1"], [""]], [["", ""], ["", ""]], [["a", ""], ["", ""]]]) {
  test(`trailing empty cells are preserved: ${JSON.stringify(rows)}`, () => assert.deepEqual(fromTsv(toTsv(rows)), rows));
}
