import assert from "node:assert/strict";
import { test } from "node:test";

import { containsAll, spansOf, wordsOf } from "../../../static/tables/search_spans.js";

const found = (shown, search, stored = shown) => spansOf(shown, stored, wordsOf(search)).map(([start, end]) => shown.slice(start, end));

test("every place of every word is found, whatever its case", () => {
  assert.deepEqual(found("Acme and ACME", "acme"), ["Acme", "ACME"]);
  assert.deepEqual(found("Über alles", "ÜBER all"), ["Über", "all"]);
});
test("places that touch or overlap are one", () => assert.deepEqual(found("banana", "ban ana"), ["bana"]));
test("signs are no patterns", () => assert.deepEqual(found("5 % (a.c)", "% .c)"), ["%", ".c)"]));
test("a day is found as it is kept, and marked as a whole where it is shown in another way", () => {
  assert.deepEqual(found("Mar 15, 2026", "2026-03", "2026-03-15"), ["Mar 15, 2026"]);
  assert.deepEqual(found("1,000", "1000", "1000"), ["1,000"]);
  assert.deepEqual(found("1,000", ",", "1000"), []);
});
test("letters that grow in lower case keep their places", () => assert.deepEqual(found("İx İy", "y"), ["y"]));
test("ß is ss, and the last sigma of a word is a sigma", () => {
  assert.deepEqual(found("Große Str, GROẞ, gross", "GROSS"), ["Groß", "GROẞ", "gross"]);
  assert.deepEqual(found("Gross Straße x", "straß"), ["Straß"]);
  assert.deepEqual(found("Maß ab", "s ab"), ["ß", "ab"]);
  assert.deepEqual(found("ΟΔΟΣ οδος οδοσ", "οδος"), ["ΟΔΟΣ", "οδος", "οδοσ"]);
  assert.deepEqual(["GROSSE", "gross", "ΟΔΟΣ"].map((search) => containsAll(["Große ΟΔΟΣ"], wordsOf(search))), [true, true, true]);
});
test("letters of two halves stay whole", () => assert.deepEqual(found("a😀b", "😀"), ["😀"]));
test("without words nothing is found", () => assert.deepEqual(found("abc", "  "), []));
test("a row is found by words of several cells, but only by all of them", () => {
  const values = ["Acme and Co", null, 1500];
  assert.deepEqual(["acme 15", "co", "acme bolt"].map((search) => containsAll(values, wordsOf(search))), [true, true, false]);
});
test("a row is not found by words in a boolean", () => {
  assert.deepEqual([[true], [false], ["true"]].map((values) => containsAll(values, wordsOf("true"))), [false, false, true]);
});
