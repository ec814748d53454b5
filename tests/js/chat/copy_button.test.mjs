// The button that copies a message or an answer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { settled } from "../held_requests.mjs";
import { createWriter, messages } from "../tables/writer_setup.mjs";

const { copyButton } = await import("../../../static/chat/turn_parts.js");

test("the button keeps its name after copying, by which its focus survives a redraw", async () => {
  createWriter();
  const copied = [];
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { clipboard: { writeText: async (text) => copied.push(text) } } });
  const button = /** @type {any} */ (copyButton("Done."));
  button.dispatchEvent(new Event("click"));
  await settled();
  assert.deepEqual([copied, button.attributes["aria-label"], messages()], [["Done."], "Copy", ["Copied."]]);
});
