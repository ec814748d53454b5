// A proposal that arrives, is looked over, or gives way: what is to be seen of it when its modules come late.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = new EventTarget();
const { inTwoStages } = await import("../../../../static/chat/payloads/data_proposal.js");

const settled = () => new Promise((resolve) => setImmediate(resolve));
const payload = (id) => ({ id });

/** A page whose modules come when the test says so; `seen` is what stands in it. */
function page() {
  const seen = [];
  const gone = (what) => () => { if (seen.includes(what)) seen.splice(seen.indexOf(what), 1); };
  const fetches = { incoming: [], review: [] };
  const ends = {};
  const handler = inTwoStages({
    incoming: () => new Promise((resolve) => fetches.incoming.push(() => resolve(() => {
      const events = [];
      seen.push(events);
      return { take: (event) => events.push(event), end: gone(events) };
    }))),
    review: () => new Promise((resolve) => fetches.review.push(() => resolve((shown, ended) => {
      seen.push(shown.id);
      ends[shown.id] = () => { gone(shown.id)(); ended(); };
      return { proposal: { id: shown.id, payload: shown, over: false }, end: gone(shown.id) };
    }))),
    focus: () => {},
    renderOptions: { headerTitle: "", headerIcon: "" },
  });
  const come = async (which, at = 0) => { fetches[which][at](); await settled(); };
  const drop = () => document.dispatchEvent(new Event("payload-dropped"));
  return { handler, seen, come, drop, ends, fetches };
}

test("what arrives before it can be drawn is drawn in its order", async () => {
  const { handler, seen, come } = page();
  for (const event of [1, 2, 3]) handler.onProgress(event);
  for (const at of [0, 1, 2]) await come("incoming", at);
  assert.deepEqual(seen, [[1, 2, 3]]);
});

test("the proposal that is there takes the place of the one that was arriving", async () => {
  const { handler, seen, come } = page();
  handler.onProgress(1);
  await come("incoming");
  handler.render(payload("p1"));
  await come("review");
  assert.deepEqual(seen, ["p1"]);
});

test("what can be drawn only after the proposal is there is not drawn at all", async () => {
  const { handler, seen, come } = page();
  handler.onProgress(1);
  handler.render(payload("p1"));
  await come("review");
  await come("incoming");
  assert.deepEqual(seen, ["p1"]);
});

test("one that gave way to another stands there again when that other comes to nothing", async () => {
  const { handler, seen, come, drop } = page();
  handler.render(payload("p1"));
  await come("review");
  handler.onProgress(1);
  await come("incoming");
  assert.deepEqual(seen, [[1]]);
  drop();
  await come("review", 1);
  assert.deepEqual(seen, ["p1"]);
});

test("one that has ended does not come back", async () => {
  const { handler, seen, come, drop, ends } = page();
  handler.render(payload("p1"));
  await come("review");
  ends.p1();
  handler.onProgress(1);
  await come("incoming");
  drop();
  await settled();
  assert.deepEqual(seen, []);
});

test("one that is shown twice before it can be drawn is drawn once", async () => {
  const { handler, seen, come } = page();
  handler.render(payload("p1"));
  handler.render(payload("p1"));
  await come("review");
  seen.push("what the person did since");
  await come("review", 1);
  assert.deepEqual(seen, ["p1", "what the person did since"]);
});

test("of two proposals the one that was shown last stays, whichever can be drawn first", async () => {
  const { handler, seen, come } = page();
  handler.render(payload("p1"));
  handler.render(payload("p2"));
  await come("review", 1);
  await come("review", 0);
  assert.deepEqual(seen, ["p2"]);
});

test("a newer one takes the place of the one that is looked over", async () => {
  const { handler, seen, come } = page();
  handler.render(payload("p1"));
  await come("review");
  handler.render(payload("p2"));
  await come("review", 1);
  assert.deepEqual(seen, ["p2"]);
});

test("one that arrives takes the place of the one that is looked over", async () => {
  const { handler, seen, come } = page();
  handler.render(payload("p1"));
  await come("review");
  handler.onProgress(1);
  await come("incoming");
  assert.deepEqual(seen, [[1]]);
});

test("one that is looked over already is not begun anew", async () => {
  const { handler, come, fetches } = page();
  handler.render(payload("p1"));
  await come("review");
  handler.render(payload("p1"));
  assert.equal(fetches.review.length, 1);
});

/** A page with two kinds of proposals. */
function twoKinds() {
  const [rows, columns] = [page(), page()];
  return { rows, columns, inSight: () => [...rows.seen, ...columns.seen] };
}

test("one of another kind that gave way comes back when what arrived comes to nothing", async () => {
  const { rows, columns, inSight } = twoKinds();
  columns.handler.render(payload("c1"));
  await columns.come("review");
  rows.handler.onProgress(1);
  await rows.come("incoming");
  assert.deepEqual(inSight(), [[1]]);
  rows.drop();
  await columns.come("review", 1);
  assert.deepEqual(inSight(), ["c1"]);
});

test("what was arriving goes when a proposal of another kind comes of it, and does not bring back an older one", async () => {
  const { rows, columns, inSight } = twoKinds();
  columns.handler.render(payload("c1"));
  await columns.come("review");
  rows.handler.onProgress(1);
  await rows.come("incoming");
  columns.handler.render(payload("c2"));
  rows.drop();
  await columns.come("review", 1);
  assert.deepEqual(inSight(), ["c2"]);
  assert.equal(columns.fetches.review.length, 2);
});

test("of two kinds that arrive one after the other only the second is seen, and what was before both comes back", async () => {
  const { rows, columns, inSight } = twoKinds();
  rows.handler.render(payload("r1"));
  await rows.come("review");
  columns.handler.onProgress(1);
  await columns.come("incoming");
  rows.handler.onProgress(2);
  await rows.come("incoming");
  assert.deepEqual(inSight(), [[2]]);
  rows.drop();
  await rows.come("review", 1);
  assert.deepEqual(inSight(), ["r1"]);
});
