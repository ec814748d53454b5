import assert from "node:assert/strict";
import { test } from "node:test";

import { containsAll, spansOf, wordsOf } from "../../../static/tables/search_spans.js";

const found = (shown, search, stored = shown) => spansOf(shown, stored, wordsOf(search)).map(([start, end]) => shown.slice(start, end));

test("all occurrences of all words are found, ignoring case", () => {
  assert.deepEqual(found("Acme and ACME", "acme"), ["Acme", "ACME"]);
  assert.deepEqual(found("Über alles", "ÜBER all"), ["Über", "all"]);
});
test("adjacent and overlapping matches are merged", () => assert.deepEqual(found("banana", "ban ana"), ["bana"]));
test("special characters are no patterns", () => assert.deepEqual(found("5 % (a.c)", "% .c)"), ["%", ".c)"]));
test("a date is found in its stored format, and highlighted as a whole in other formats", () => {
  assert.deepEqual(found("Mar 15, 2026", "2026-03", "2026-03-15"), ["Mar 15, 2026"]);
  assert.deepEqual(found("1,000", "1000", "1000"), ["1,000"]);
  assert.deepEqual(found("1,000", ",", "1000"), []);
});
test("letters that become longer in lower case do not shift matches", () => assert.deepEqual(found("İx İy", "y"), ["y"]));
test("ß matches ss, and a final sigma matches a sigma", () => {
  assert.deepEqual(found("Große Str, GROẞ, gross", "GROSS"), ["Groß", "GROẞ", "gross"]);
  assert.deepEqual(found("Gross Straße x", "straß"), ["Straß"]);
  assert.deepEqual(found("Maß ab", "s ab"), ["ß", "ab"]);
  assert.deepEqual(found("ΟΔΟΣ οδος οδοσ", "οδος"), ["ΟΔΟΣ", "οδος", "οδοσ"]);
  assert.deepEqual(["GROSSE", "gross", "ΟΔΟΣ"].map((search) => containsAll(["Große ΟΔΟΣ"], wordsOf(search))), [true, true, true]);
});
test("surrogate pairs are not split", () => assert.deepEqual(found("a😀b", "😀"), ["😀"]));
test("without words nothing is found", () => assert.deepEqual(found("abc", "  "), []));
test("a row matches words of several cells, but only if all words are found", () => {
  const values = ["Acme and Co", null, 1500];
  assert.deepEqual(["acme 15", "co", "acme bolt"].map((search) => containsAll(values, wordsOf(search))), [true, true, false]);
});
test("files are found by their names, and options of lists by theirs", () => {
  const values = [[{ id: "a1", name: "Offer.pdf", type: "application/pdf" }], ["Urgent", "Remote"]];
  assert.deepEqual(["offer urgent", "a1", "pdf rem", "object"].map((search) => containsAll(values, wordsOf(search))), [true, false, true, false]);
});
