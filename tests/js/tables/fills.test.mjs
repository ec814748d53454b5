import assert from "node:assert/strict";
import { test } from "node:test";

import { isComplete, matchingNames, openReference, withReference } from "../../../static/tables/fills/instruction_field.js";
import { ProgressRate } from "../../../static/tables/fills/progress_rate.js";

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
