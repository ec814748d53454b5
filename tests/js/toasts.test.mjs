// At most three toasts are shown at a time.

import assert from "node:assert/strict";
import { test } from "node:test";

import { toastsToRemove } from "../../static/element.js";

const isError = (name) => name.startsWith("error");

test("a fourth toast replaces the oldest that is not an error, else the oldest error", () => {
  assert.deepEqual(toastsToRemove(["saved", "error 1"], isError), []);
  assert.deepEqual(toastsToRemove(["error 1", "saved", "copied"], isError), ["saved"]);
  assert.deepEqual(toastsToRemove(["error 1", "error 2", "error 3"], isError), ["error 1"]);
});
