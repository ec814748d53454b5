import assert from "node:assert/strict";
import { test } from "node:test";

import { separatorOf, separatorsOf } from "../../../static/tables/column_types/decimal_text.js";
import { columnType } from "../../../static/tables/column_types/registry.js";
import "./declared_types.mjs";

const texts = {
  ".": ["12.5", "1,234.56", "1,234,567", "0.125", "1234.567", "-$1,200.50", "12.5 %", "1 234.5", "1 234.567", "1\u202f234.567", "1'234.50", "1\u2019234\u2019567.5"],
  ",": ["12,5", "1.234,56", "1.234.567", "0,125", "1234,567", "1.200,50 €", "\u22121 234,5", "12,5 %"],
  "": ["1.200", "1,200", "1200", "1.200 €", "1,2,3", "1.20,5", "31.12.2024", "many, many", "1 234", "1'234", "1.234 567,5", "1,234 567.5"],
};
for (const [separator, all] of Object.entries(texts)) {
  test(`detects the separator “${separator}”`, () => assert.deepEqual(all.filter((text) => separatorOf(text) !== separator), []));
}

/** @param {string[][]} columns @param {string} locale  the values of these columns of texts pasted together */
function pasted(columns, locale) {
  const separators = separatorsOf(new Map(columns.map((column) => [column, column])));
  return columns.map((column) => column.map((text) => columnType("number").pasted(text, locale, separators.get(column))));
}

const blocks = [
  ["groups of the reader", "de", [["1.200", "2.500"]], [[1200, 2500]]],
  ["a fraction of the reader", "de", [["1,200"]], [[1.2]]],
  ["an English fraction in a German page", "de", [["1,234.56", "2.500", "1.5"]], [["1,234.56", 2.5, 1.5]]],
  ["a German fraction in an English page", "en", [["1.200", "12,5", "1.759 €"]], [[1200, 12.5, 1759]]],
  ["money with a known separator", "de", [["12,50 €", "-1,759 €"]], [[12.5, -1.759]]],
  ["a fraction after groups of spaces", "de", [["1 234.567", "1\u202f234.567", "1.200"]], [["1 234.567", "1\u202f234.567", 1.2]]],
  ["groups of two signs", "de", [["1.234 567", "12,5"]], [["1.234 567", 12.5]]],
  ["another column decides", "en", [["1.200"], ["9,99"]], [[1200], [9.99]]],
  ["columns that contradict each other", "de", [["1.200"], ["9.99"], ["9,99"]], [[1200], [9.99], [9.99]]],
  ["a column that contradicts itself", "en", [["1.200", "9.99", "9,99"], ["1,5"]], [[1.2, 9.99, "9,99"], [1.5]]],
];
for (const [name, locale, columns, values] of blocks) test(`pastes ${name}`, () => assert.deepEqual(pasted(columns, locale), values));
