// Modules that are loaded at the first input are loaded again at a later one if they could not be loaded.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "./held_requests.mjs";

globalThis.document = /** @type {any} */ (new EventTarget());
const { onFirstInput } = await import("../../static/element.js");

test("a function that fails runs again at the next press or key, until it succeeds", async () => {
  let runs = 0;
  onFirstInput(async () => {
    runs += 1;
    if (runs < 3) throw new Error();
  });
  const runsAfter = [];
  for (const type of ["pointermove", "pointermove", "pointerdown", "keydown", "pointerdown"]) {
    document.dispatchEvent(new Event(type));
    await settled();
    runsAfter.push(runs);
  }
  assert.deepEqual(runsAfter, [1, 1, 2, 3, 3]);
});
