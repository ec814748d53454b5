// "Saving… Saved": the words fade, what they said stays true.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { SavingStatus } from "../../../static/tables/pending_writes.js";

function status() {
  const place = { textContent: "", dataset: { saving: "" }, classList: { toggle() {} } };
  const shown = () => [place.textContent, place.dataset.saving];
  return { status: new SavingStatus(/** @type {any} */ (place)), shown };
}

test("several writes are saved once the last of them is, and the words go after a while", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { status: saving, shown } = status();
  saving.start();
  saving.start();
  saving.end(true);
  assert.deepEqual(shown(), ["Saving…", "running"]);
  saving.end(true);
  assert.deepEqual(shown(), ["Saved", "well"]);
  mock.timers.tick(10_000);
  assert.deepEqual(shown(), ["", "well"]);
  mock.timers.reset();
});

test("one that failed is said, and stays", () => {
  const { status: saving, shown } = status();
  saving.start();
  saving.start();
  saving.end(false);
  saving.end(true);
  assert.deepEqual(shown(), ["Not saved", "failed"]);
});
