import assert from "node:assert/strict";
import { test } from "node:test";

import { hasHiddenCharacters, revealed, revealedText } from "../../../static/element.js";

const shown = (text) => revealed(text).map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text)).join("");

const cases = [
  ["a zero-width space", "pay\u200bpal", "pay[U+200B]pal"],
  ["a turned direction", "invoice\u202Efdp.exe", "invoice[U+202E]fdp.exe"],
  ["a byte order mark", "\ufeffA", "[U+FEFF]A"],
  ["invisible tags", "a\u{e0041}", "a[U+E0041]"],
  ["a joiner among plain letters", "a\u200db", "a[U+200D]b"],
  ["an escape", "\u001b[31m", "[U+001B][31m"],
];
for (const [name, text, words] of cases) test(`shows ${name}`, () => assert.equal(shown(text), words));

const left = [["lines and tabs", "a\n\tb"], ["a family", "👩‍👩‍👧"], ["Persian", "می‌خواهم"], ["plain text", "Acme, Inc."]];
for (const [name, text] of left) {
  test(`does not change ${name}`, () => {
    assert.equal(shown(text), text);
    assert.ok(!hasHiddenCharacters(text));
  });
}
for (const [name, text, words] of [...cases, ...left.map(([what, same]) => [what, same, same])]) {
  test(`has plain text for ${name}`, () => assert.equal(revealedText(text), words));
}
test("repeated checks give the same result", () => assert.ok(hasHiddenCharacters("\u200b") && hasHiddenCharacters("\u200b")));
test("the first hidden character is shown after a check", () => {
  const text = "\u202efdp\u200b.exe";
  assert.ok(hasHiddenCharacters(text));
  assert.equal(shown(text), "[U+202E]fdp[U+200B].exe");
});
