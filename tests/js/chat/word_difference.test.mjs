// The difference of two answers of a trial, word by word.

import assert from "node:assert/strict";
import { test } from "node:test";

import { wordDifference } from "../../../static/chat/word_difference.js";

const shown = (pieces) => pieces.map(({ text, marked }) => (marked ? `[${text}]` : text)).join("");

for (const [before, after, marked] of [
  ["Two rows, one empty.", "Two new rows, none empty.", ["Two rows, [one] empty.", "Two [new ]rows, [none] empty."]],
  ["Größe: 3 €", "Größe: 4 €", ["Größe: [3] €", "Größe: [4] €"]],
  ["Same.", "Same.", ["Same.", "Same."]],
  ["", "New", ["", "[New]"]],
]) {
  test(`${before} → ${after}`, () => {
    const found = wordDifference(before, after);
    assert.deepEqual([shown(found.before), shown(found.after)], marked);
  });
}

test("very different long texts are marked as a whole", () => {
  const [before, after] = ["a ", "b "].map((word) => word.repeat(3000));
  assert.deepEqual(wordDifference(before, after).after, [{ text: after.trimEnd(), marked: true }, { text: " ", marked: false }]);
});
