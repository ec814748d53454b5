// At most three toasts are shown at a time.

import assert from "node:assert/strict";
import { test } from "node:test";

import { toastsToRemove } from "../../static/element.js";

const stays = (name) => name.startsWith("question");

test("a fourth toast replaces the oldest, but never one that waits for an answer", () => {
  assert.deepEqual(toastsToRemove(["saved", "question 1"], stays), []);
  assert.deepEqual(toastsToRemove(["question 1", "saved", "copied"], stays), ["saved"]);
  assert.deepEqual(toastsToRemove(["question 1", "question 2", "question 3"], stays), []);
});
