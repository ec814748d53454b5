// The saving status "Saving… Saved".

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { SavingStatus } from "../../../static/tables/pending_writes.js";

function status() {
  const element = { textContent: "", dataset: { saving: "" }, classList: { toggle() {} } };
  const shown = () => [element.textContent, element.dataset.saving];
  return { status: new SavingStatus(/** @type {any} */ (element)), shown };
}

test("the status is Saved after the last of several writes, and is cleared after a while", () => {
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

test("a failed write is shown until it is resolved", () => {
  const { status: saving, shown } = status();
  saving.start();
  saving.start();
  saving.end(false);
  saving.end(true);
  assert.deepEqual(shown(), ["Not saved", "failed"]);
});
