import assert from "node:assert/strict";
import { test } from "node:test";

import { agoText, timeText } from "../../static/locale.js";

const now = new Date(2026, 10, 21, 12, 0);
const cases = [
  ["just now", new Date(2026, 10, 21, 11, 59, 50), "now"],
  ["minutes", new Date(2026, 10, 21, 11, 55), "5 minutes ago"],
  ["hours of today", new Date(2026, 10, 21, 9, 0), "3 hours ago"],
  ["yesterday, even if only hours ago", new Date(2026, 10, 20, 23, 0), "yesterday"],
  ["a day after a week", new Date(2026, 10, 1, 9, 0), "Nov 1, 2026"],
];
for (const [name, moment, words] of cases) test(`a time is shown relative to now: ${name}`, () => assert.equal(agoText(moment, now, "en"), words));

test("a time is shown in the format of the locale", () => {
  const times = ["en-US", "de"].map((locale) => timeText(new Date(2026, 10, 21, 14, 5), locale).replace(/\s/u, " "));
  assert.deepEqual(times, ["2:05 PM", "14:05"]);
});
