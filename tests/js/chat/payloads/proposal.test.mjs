// A proposal under review while answers about it are on their way.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { beforeEach, test } from "node:test";

import { Proposal } from "../../../../static/chat/payloads/proposal.js";
import { heldRequests, settled } from "../../held.mjs";

const OPERATION = { index: 0, action: "update", state: "ok", row_id: 1, old: { c: "a" }, new: { c: "b" }, notes: [] };
const preview = (value) => ({ operations: [{ ...OPERATION, new: { c: value } }] });
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

let asked = [];
/** What the page has been told. */
let told = [];

beforeEach(() => {
  asked = heldRequests();
  told = [];
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { cookie: "" }));
  for (const name of ["proposal-review", "payload-settled"]) {
    document.addEventListener(name, (event) => told.push([name, /** @type {CustomEvent} */ (event).detail]));
  }
});
/** A stored review that was read already, and saves nothing. */
const UNSTORED = { scheduleSave() {}, async save() {}, adopt() {} };
const proposed = (id = "p1", data = {}) => {
  const proposal = new Proposal(/** @type {any} */ ({ id, data }), () => {});
  proposal.storedReview = /** @type {any} */ (Promise.resolve(UNSTORED));
  proposal.unread = false;
  return proposal;
};

test("of two previews the one asked for last counts, whichever is answered last", async () => {
  const proposal = proposed();
  proposal.edit(0, { c: "x" });
  proposal.edit(0, { c: "y" });
  await asked[1].answer(200, preview("y"));
  assert.equal(proposal.busy, "");
  await asked[0].answer(200, preview("x"));
  assert.equal(proposal.preview.operations[0].new.c, "y");
});

test("while a later preview is on its way, an earlier one does not let it be applied", async () => {
  const proposal = proposed();
  proposal.refresh();
  proposal.edit(0, { c: "y" });
  await asked[0].answer(200, preview("b"));
  assert.deepEqual([proposal.busy, proposal.preview], ["reading", null]);
});

test("Dismiss counts while the preview is still being read, too", async () => {
  const proposal = proposed();
  proposal.refresh();
  proposal.dismiss();
  await asked[1].answer(200, { id: "p1", status: "dismissed", outcome: null });
  assert.equal(proposal.over, true);
  await asked[0].answer(409, { error: "already_dismissed", status: "dismissed" });
  assert.equal(told.filter(([name]) => name === "payload-settled").length, 1);
});

test("Discard in the composer dismisses the proposal that it names", () => {
  proposed("p1");
  const other = proposed("p2");
  tell("proposal-discard", { payload_id: "p2" });
  assert.deepEqual([asked.map(({ url }) => url), other.busy], [["/api/chat/payloads/p2/dismiss/"], "dismissing"]);
});

test("the end of a proposal that gave way to another names itself", () => {
  proposed("p1");
  tell("payload-settled", { id: "p1", status: "superseded" });
  assert.deepEqual(told.filter(([name]) => name === "proposal-review"), [["proposal-review", { payload_id: "p1", over: true }]]);
});

test("news of the person's own apply, before its answer, does not end it: the answer says what is to follow", async () => {
  const proposal = proposed("p1", { next: "Fill it" });
  proposal.refresh();
  await asked[0].answer(200, preview("b"));
  proposal.apply();
  tell("payload-settled", { id: "p1", status: "applied" });
  assert.equal(proposal.over, false);
  let next = null;
  document.addEventListener("next-step", (event) => (next = /** @type {CustomEvent} */ (event).detail));
  globalThis.sessionStorage ??= /** @type {any} */ ({});
  await asked[1].answer(200, { id: "p1", status: "applied", outcome: { change: 3 }, next: { client_turn_id: "t", intention: "Fill it" } });
  assert.equal(next?.payload_id, "p1");
});

test("what others change is looked at again, one look at a time, and it can be applied meanwhile", async () => {
  const proposal = proposed();
  proposal.refresh();
  await asked[0].answer(200, preview("b"));
  for (let times = 0; times < 3; times += 1) tell("table-changed", { table_id: 1 });
  assert.deepEqual([asked.length, proposal.busy], [2, ""]);
  await asked[1].answer(200, { operations: [{ ...OPERATION, state: "conflict" }] });
  assert.deepEqual([asked.length, proposal.operations.selected], [3, 0]);
  await asked[2].answer(200, preview("b"));
  assert.deepEqual([asked.length, proposal.operations.selected], [3, 1]);
});

test("a look that the server could not be asked for says nothing", async () => {
  const proposal = proposed();
  proposal.refresh();
  await asked[0].answer(200, preview("b"));
  globalThis.fetch = /** @type {any} */ (() => Promise.reject(new TypeError("away")));
  tell("table-changed", { table_id: 1 });
  await settled();
  assert.equal(proposal.fault, "");
  assert.equal(proposal.operations.selected, 1);
});

test("before there is a preview, and once it is answered, nothing is looked at again", async () => {
  const proposal = proposed();
  tell("table-changed", { table_id: 1 });
  assert.equal(asked.length, 0);
  proposal.onSettled({ id: "p1", status: "applied" });
  tell("table-changed", { table_id: 1 });
  assert.equal(asked.length, 0);
});

test("one whose place another takes cannot be answered any more, also when its preview comes only then", async () => {
  const proposal = proposed();
  proposal.refresh();
  proposal.disable();
  await asked[0].answer(200, preview("b"));
  proposal.apply();
  proposal.dismiss();
  tell("payload-settled", { id: "p1", status: "superseded" });
  tell("table-changed", {});
  await settled();
  assert.deepEqual([asked.length, proposal.busy, proposal.over], [1, "leaving", false]);
});

test("one whose place another has taken is told nothing any more, and its own apply is still answered", async () => {
  const proposal = proposed();
  proposal.refresh();
  await asked[0].answer(200, preview("b"));
  proposal.apply();
  tell("table-changed", {});
  proposal.close();
  assert.deepEqual(told, [["proposal-review", { payload_id: "p1", over: true }]]);
  tell("table-changed", {});
  tell("proposal-discard", { payload_id: "p1" });
  await asked[1].answer(200, { id: "p1", status: "applied", outcome: { change: 3 } });
  assert.equal(asked.length, 2);
  assert.equal(told.filter(([name]) => name === "payload-settled").length, 1);
});

test("of those that gave way or were answered nothing stays behind in the page", () => {
  const listeners = () => ["table-changed", "proposal-discard"].flatMap((name) => getEventListeners(document, name)).length;
  const [left, answered] = [proposed("p1"), proposed("p2")];
  assert.equal(listeners(), 4);
  left.close();
  answered.onSettled({ id: "p2", status: "applied" });
  assert.equal(listeners(), 0);
});

test("a look that is on its way when another takes its place is the last", async () => {
  const proposal = proposed();
  proposal.refresh();
  await asked[0].answer(200, preview("b"));
  tell("table-changed", {});
  tell("table-changed", {});
  proposal.close();
  await asked[1].answer(200, preview("c"));
  assert.deepEqual([asked.length, proposal.preview.operations[0].new.c], [2, "b"]);
});
