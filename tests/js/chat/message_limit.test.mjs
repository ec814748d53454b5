// Messages that are too long to send.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isTooLong } from "../../../static/chat/composer.js";
import { isTabular } from "../../../static/chat/message_limit.js";

test("characters are counted as on the server: a surrogate pair is one", () => {
  assert.deepEqual(["a".repeat(32_000), "a".repeat(32_001), "😀".repeat(32_000)].map(isTooLong), [false, true, false]);
});

const TEXTS = {
  "cells of a spreadsheet": ["a\tb\nc\td\ne\tf", true],
  "lines of CSV with Windows line ends": ["a,b,c\r\nd,e,f\r\n\r\ng,h,i\r\n", true],
  "prose with a comma here and there": ["Dear all,\nplease read this.\nThanks, and goodbye, Ann", false],
  "too few lines to tell": ["a\tb\nc\td", false],
  "one long line": ["word ".repeat(9), false],
};
for (const [name, [text, expected]] of Object.entries(TEXTS)) {
  test(`a text is recognized as rows or not: ${name}`, () => assert.equal(isTabular(/** @type {string} */ (text)), expected));
}
