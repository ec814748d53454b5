import assert from "node:assert/strict";
import { test } from "node:test";

import { isComplete, matchingNames, openReference, withReference } from "../../../static/tables/fills/instruction_field.js";
import { ProgressRate } from "../../../static/tables/fills/progress_rate.js";
import { waitEnd, waitText } from "../../../static/tables/fills/provider_wait.js";
import { countsSince } from "../../../static/tables/fills/review_counts.js";

test("a column can be chosen after an open brace", () => {
  assert.deepEqual(openReference("Take {E-m", 9), { from: 5, typed: "E-m" });
  for (const text of ["Take {E-mail} ", "Take {{x", "Take {a\nb", "Take"]) assert.equal(openReference(text, text.length), null, text);
  assert.deepEqual(matchingNames(["Name", "E-mail", "Notes"], "e"), ["E-mail", "Name", "Notes"]);
  assert.deepEqual(withReference("Take {E-m and go", { from: 5, to: 9 }, "E-mail"), { text: "Take {E-mail} and go", caret: 13 });
  assert.deepEqual(withReference("Take {} and go", { from: 5, to: 6 }, "E-mail"), { text: "Take {E-mail} and go", caret: 13 });
});

test("nothing is estimated while a reference is typed", () => {
  for (const text of ["Take { e-mail }.", "As {{is}} {E-mail}", "No column"]) assert.ok(isComplete(text, ["E-mail"]), text);
  for (const text of ["", "Take {e-m", "Take {Mail}.", "Take e}", "{{E-mail}"]) assert.ok(!isComplete(text, ["E-mail"]), text);
});

test("the time left follows from the rate of the last minute", () => {
  const rate = new ProgressRate();
  assert.equal(rate.secondsLeft(100), null);
  rate.add(0, 0);
  assert.equal(rate.secondsLeft(100), null);
  rate.add(10, 10_000);
  assert.equal(rate.secondsLeft(100), 100);
  // Two rows a second since then: what is older than a minute no longer counts.
  for (let second = 11; second <= 90; second += 1) rate.add(10 + 2 * (second - 10), second * 1000);
  assert.equal(rate.secondsLeft(100), 50);
  // Rows that are filled again begin a new measurement.
  rate.add(5, 91_000);
  assert.equal(rate.secondsLeft(100), null);
});

test("a wait for the provider is counted down, and a long one has a time", () => {
  const end = waitEnd({ wait: { seconds: 40 } }, 1000);
  assert.match(waitText(end, 1000), / 40 /);
  assert.match(waitText(end, 2500), / 39 /);
  assert.deepEqual([waitText(end, end), waitText(waitEnd({ wait: null }, 1000), 1000)], ["", ""]);
  assert.match(waitText(waitEnd({ wait: { seconds: 3600 } }, 0), 0), /\d:\d\d/);
});

test("between two counts of the server, results to review include what was found since", () => {
  const reviewed = { open: 4, high: 3, low: 1, conflict: 1, applied: 2, empty: 0, failed: 0 };
  const then = { found: 7, empty: 0, failed: 0, waiting: 13 };
  const now = countsSince(reviewed, then, { found: 12, empty: 3, failed: 1, waiting: 4 });
  assert.deepEqual(now, { open: 9, high: 3, low: 1, conflict: 1, applied: 2, empty: 3, failed: 1 });
  // Values that no longer fit, and those of deleted rows, are not among them.
  assert.equal(countsSince({ ...reviewed, invalid: 2, deleted: 1 }, then, { found: 12 }).open, 6);
  // Rows that are filled again are not found until they are answered; some were found while the server counted.
  assert.equal(countsSince(reviewed, then, { found: 2 }).open, 0);
  assert.equal(countsSince({ ...reviewed, open: 9 }, then, { found: 13 }).open, 10);
});
