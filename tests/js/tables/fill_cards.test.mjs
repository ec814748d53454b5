// What cells say of a fill: the origin of a value that is tapped, and states in words.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = /** @type {any} */ (new EventTarget());
globalThis.requestAnimationFrame = (run) => run(0) ?? 0;
const { OriginMarks } = await import("../../../static/tables/fills/origin_marks.js");
const { estimateText, stateText } = await import("../../../static/tables/fills/result_texts.js");

/** A grid with one cell whose value has an origin. @param {string[]} classes  of the cell, once it is tapped */
async function tapped(classes, { hasCursor = true } = {}) {
  const names = ["has-origin"];
  const cell = { dataset: { col: "c1" }, parentElement: { dataset: { row: "7" } }, classList: { contains: (name) => names.includes(name) }, closest: () => cell };
  const shown = [];
  const card = { show: (_, origin) => shown.push(origin.note), hide: () => shown.pop() };
  const grid = { cursor: { cell: hasCursor ? cell : null }, store: { get: () => ({ data: { c1: "Acme" } }) }, writer: { unsavedValue: () => null } };
  const known = new Map([["7", { data: { c1: "Acme" }, origins: { c1: { note: "From the address." } } }]]);
  const marks = Object.assign(Object.create(OriginMarks.prototype), { grid, known, card });
  names.push(...classes);
  await marks.touched({ target: cell });
  return shown;
}

test("a tap on a value shows where it comes from, unless the tap edits it or the cursor is elsewhere", async () => {
  assert.deepEqual(await tapped([]), ["From the address."]);
  assert.deepEqual(await tapped(["is-editing"]), []);
  assert.deepEqual(await tapped([], { hasCursor: false }), []);
});

test("each state of a result has a word", () => {
  const words = ["waiting", "working", "discarded", "empty", "failed", "found"].map((state) => stateText({ state, values: { c1: 1 }, error: null }));
  assert.deepEqual(words, ["Waiting", "Working", "Discarded", "Not found", "Failed", "Found"]);
  assert.equal(stateText({ state: "found", values: {}, error: null }), "Not found");
});

test("an estimate has the same words in the dialog and in the chat", () => {
  const estimate = { rows: 1200, calls: 1200, tokens: 151_234, cost: "0.12345", minutes: 150 };
  assert.equal(estimateText(estimate), "1,200 calls · about 150,000 tokens · about 0.123 US dollars · 3 hours");
});
