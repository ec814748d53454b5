// A proposal under review while responses about it are pending.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { beforeEach, test } from "node:test";

import { Proposal } from "../../../../static/chat/payloads/proposal.js";
import { heldRequests, settled } from "../../held_requests.mjs";

const OPERATION = { index: 0, action: "update", state: "ok", row_id: 1, old: { c: "a" }, new: { c: "b" }, notes: [] };
const preview = (value) => ({ operations: [{ ...OPERATION, new: { c: value } }] });
const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

let requests = [];
/** The events sent to the page. */
let events = [];

beforeEach(() => {
  requests = heldRequests();
  events = [];
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { cookie: "" }));
  for (const name of ["proposal-review", "payload-settled"]) {
    document.addEventListener(name, (event) => events.push([name, /** @type {CustomEvent} */ (event).detail]));
  }
});
/** A stored review that is loaded and saves nothing. */
const UNSTORED = { scheduleSave() {}, async save() {}, adopt() {} };
const proposed = (id = "p1", data = {}) => {
  const proposal = new Proposal(/** @type {any} */ ({ id, data }), () => {});
  proposal.storedReview = /** @type {any} */ (Promise.resolve(UNSTORED));
  proposal.unread = false;
  return proposal;
};

test("of two previews the last requested one counts, whichever arrives last", async () => {
  const proposal = proposed();
  proposal.edit(0, { c: "x" });
  proposal.edit(0, { c: "y" });
  await requests[1].answer(200, preview("y"));
  assert.equal(proposal.busy, "");
  await requests[0].answer(200, preview("x"));
  assert.equal(proposal.preview.operations[0].new.c, "y");
});

test("an earlier preview does not enable Apply while a later one is pending", async () => {
  const proposal = proposed();
  proposal.refresh();
  proposal.edit(0, { c: "y" });
  await requests[0].answer(200, preview("b"));
  assert.deepEqual([proposal.busy, proposal.preview], ["reading", null]);
});

test("Dismiss works while the preview is loading", async () => {
  const proposal = proposed();
  proposal.refresh();
  proposal.dismiss();
  await requests[1].answer(200, { id: "p1", status: "dismissed", outcome: null });
  assert.equal(proposal.over, true);
  await requests[0].answer(409, { error: "already_dismissed", status: "dismissed" });
  assert.equal(events.filter(([name]) => name === "payload-settled").length, 1);
});

test("Discard in the composer dismisses its proposal", () => {
  proposed("p1");
  const other = proposed("p2");
  tell("proposal-discard", { payload_id: "p2" });
  assert.deepEqual([requests.map(({ url }) => url), other.busy], [["/api/chat/payloads/p2/dismiss/"], "dismissing"]);
});

test("a replaced proposal that ends sends its own id", () => {
  proposed("p1");
  tell("payload-settled", { id: "p1", status: "superseded" });
  assert.deepEqual(events.filter(([name]) => name === "proposal-review"), [["proposal-review", { payload_id: "p1", over: true }]]);
});

test("an event about the own apply before its response does not end the proposal, because the response has the next step", async () => {
  const proposal = proposed("p1", { next: "Fill it" });
  proposal.refresh();
  await requests[0].answer(200, preview("b"));
  proposal.apply();
  tell("payload-settled", { id: "p1", status: "applied" });
  assert.equal(proposal.over, false);
  let next = null;
  document.addEventListener("next-step", (event) => (next = /** @type {CustomEvent} */ (event).detail));
  globalThis.sessionStorage ??= /** @type {any} */ ({});
  await requests[1].answer(200, { id: "p1", status: "applied", outcome: { change: 3 }, next: { client_turn_id: "t", intention: "Fill it" } });
  assert.equal(next?.payload_id, "p1");
});

test("a preview refused because of the own apply does not replace its response, which has the applied operations", async () => {
  const proposal = proposed();
  proposal.refresh();
  await requests[0].answer(200, preview("b"));
  tell("table-changed", {});
  proposal.apply();
  await requests[1].answer(409, { error: "already_applied", code: "already_applied", status: "applied", outcome: { change: 3 } });
  assert.equal(proposal.over, false);
  await requests[2].answer(200, { id: "p1", status: "applied", outcome: { change: 3, applied: [{ index: 0 }] } });
  assert.deepEqual([...proposal.done.keys()], [0]);
});

test("changes of other users request one preview at a time, without disabling Apply", async () => {
  const proposal = proposed();
  proposal.refresh();
  await requests[0].answer(200, preview("b"));
  for (let times = 0; times < 3; times += 1) tell("table-changed", { table_id: 1 });
  assert.deepEqual([requests.length, proposal.busy], [2, ""]);
  await requests[1].answer(200, { operations: [{ ...OPERATION, state: "conflict" }] });
  assert.deepEqual([requests.length, proposal.operations.selected], [3, 0]);
  await requests[2].answer(200, preview("b"));
  assert.deepEqual([requests.length, proposal.operations.selected], [3, 1]);
});

test("a failed preview after a change of another user is not reported", async () => {
  const proposal = proposed();
  proposal.refresh();
  await requests[0].answer(200, preview("b"));
  globalThis.fetch = /** @type {any} */ (() => Promise.reject(new TypeError("away")));
  tell("table-changed", { table_id: 1 });
  await settled();
  assert.equal(proposal.fault, "");
  assert.equal(proposal.operations.selected, 1);
});

test("no further preview is requested before the first one and after a decision", async () => {
  const proposal = proposed();
  tell("table-changed", { table_id: 1 });
  assert.equal(requests.length, 0);
  proposal.onSettled({ id: "p1", status: "applied" });
  tell("table-changed", { table_id: 1 });
  assert.equal(requests.length, 0);
});

test("a proposal being replaced cannot be decided, even if its preview arrives later", async () => {
  const proposal = proposed();
  proposal.refresh();
  proposal.disable();
  await requests[0].answer(200, preview("b"));
  proposal.apply();
  proposal.dismiss();
  tell("payload-settled", { id: "p1", status: "superseded" });
  tell("table-changed", {});
  await settled();
  assert.deepEqual([requests.length, proposal.busy, proposal.over], [1, "leaving", false]);
});

test("a replaced proposal ignores events, and its pending apply is still handled", async () => {
  const proposal = proposed();
  proposal.refresh();
  await requests[0].answer(200, preview("b"));
  proposal.apply();
  tell("table-changed", {});
  proposal.close();
  assert.deepEqual(events, [["proposal-review", { payload_id: "p1", over: true }]]);
  tell("table-changed", {});
  tell("proposal-discard", { payload_id: "p1" });
  await requests[1].answer(200, { id: "p1", status: "applied", outcome: { change: 3 } });
  assert.equal(requests.length, 2);
  assert.equal(events.filter(([name]) => name === "payload-settled").length, 1);
});

test("replaced and decided proposals leave no event listeners", () => {
  const listeners = () => ["table-changed", "proposal-discard"].flatMap((name) => getEventListeners(document, name)).length;
  const [left, answered] = [proposed("p1"), proposed("p2")];
  assert.equal(listeners(), 4);
  left.close();
  answered.onSettled({ id: "p2", status: "applied" });
  assert.equal(listeners(), 0);
});

test("a preview pending during the replacement is the last", async () => {
  const proposal = proposed();
  proposal.refresh();
  await requests[0].answer(200, preview("b"));
  tell("table-changed", {});
  tell("table-changed", {});
  proposal.close();
  await requests[1].answer(200, preview("c"));
  assert.deepEqual([requests.length, proposal.preview.operations[0].new.c], [2, "b"]);
});
