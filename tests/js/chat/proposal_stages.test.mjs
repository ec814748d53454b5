// A proposal that arrives, is looked over, or gives way: what is to be seen of it when its modules come late.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { settled } from "../held.mjs";

let stagedHandler;
let tests = 0;
// Each has a module of its own: what one leaves in sight is not there for the next.
beforeEach(async () => {
  globalThis.document = /** @type {any} */ (new EventTarget());
  ({ stagedHandler } = await import(`../../../static/chat/proposal_stages.js?${++tests}`));
});

const payload = (id) => ({ id });

/**
 * A page whose modules come when the test says so; `seen` is what stands in it, `resting` what of that can no longer be
 * answered, `left` what gave way. @param {{slow?: boolean}} [how]  slow: proposals are read when the test says so, too
 */
function page({ slow = false } = {}) {
  const seen = [];
  const resting = [];
  const left = [];
  /** @type {Record<string, () => void>} */
  const reads = {};
  class Proposal {
    constructor(shown) {
      Object.assign(this, { id: shown.id, payload: shown, over: false });
    }
    refresh() { return slow ? new Promise((resolve) => (reads[this.id] = () => resolve(undefined))) : Promise.resolve(); }
    disable() { resting.push(this.id); }
    close() { left.push(this.id); }
  }
  const gone = (what) => () => { if (seen.includes(what)) seen.splice(seen.indexOf(what), 1); };
  const fetches = { incoming: [], review: [] };
  const ends = {};
  const handler = stagedHandler({
    incoming: () => new Promise((resolve) => fetches.incoming.push(() => resolve(() => {
      const events = [];
      seen.push(events);
      return { update: (event) => events.push(event), end: gone(events) };
    }))),
    review: () => new Promise((resolve) => fetches.review.push(() => resolve({ Proposal, show: (proposal, ended) => {
      seen.push(proposal.id);
      ends[proposal.id] = () => { gone(proposal.id)(); ended(); };
      return { proposal, end: gone(proposal.id) };
    } }))),
    focus: () => {},
    renderOptions: { headerTitle: "", headerIcon: "" },
  });
  const come = async (which, at = 0) => { fetches[which][at](); await settled(); };
  const answer = async (id) => { reads[id](); await settled(); };
  const drop = () => document.dispatchEvent(new Event("payload-dropped"));
  return { handler, seen, come, drop, ends, fetches, resting, left, answer };
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
function twoKinds(how = {}) {
  const [rows, columns] = [page(how), page(how)];
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

test("what arrived stays until there is something to see of the proposal that came of it", async () => {
  const { handler, seen, come, drop, answer } = page({ slow: true });
  handler.onProgress(1);
  await come("incoming");
  handler.render(payload("p1"));
  drop();
  await come("review");
  assert.deepEqual(seen, [[1]]);
  await answer("p1");
  assert.deepEqual(seen, ["p1"]);
});

test("what arrived stays as long where the proposal is of another kind", async () => {
  const { rows, columns, inSight } = twoKinds({ slow: true });
  rows.handler.onProgress(1);
  await rows.come("incoming");
  columns.handler.render(payload("c1"));
  rows.drop();
  await columns.come("review");
  assert.deepEqual(inSight(), [[1]]);
  await columns.answer("c1");
  assert.deepEqual(inSight(), ["c1"]);
});

test("one that is looked over stays until another has been read, and cannot be answered meanwhile", async () => {
  const { rows, columns, inSight } = twoKinds({ slow: true });
  rows.handler.render(payload("r1"));
  await rows.come("review");
  assert.deepEqual([inSight(), rows.resting], [["r1"], []]);
  columns.handler.render(payload("c1"));
  await columns.come("review");
  assert.deepEqual([inSight(), rows.resting], [["r1"], ["r1"]]);
  await columns.answer("c1");
  assert.deepEqual(inSight(), ["c1"]);
});

test("where nothing is in sight a proposal is seen before it has been read", async () => {
  const { handler, seen, come, ends } = page({ slow: true });
  handler.render(payload("p0"));
  await come("review");
  ends.p0();
  handler.render(payload("p1"));
  await come("review", 1);
  assert.deepEqual(seen, ["p1"]);
});

test("one that was still being read when another arrived comes back when that comes to nothing", async () => {
  const { rows, columns, inSight } = twoKinds({ slow: true });
  rows.handler.render(payload("r1"));
  await rows.come("review");
  rows.handler.render(payload("r2"));
  await rows.come("review", 1);
  columns.handler.onProgress(1);
  await columns.come("incoming");
  await rows.answer("r2");
  assert.deepEqual(inSight(), [[1]]);
  columns.drop();
  await rows.come("review", 2);
  assert.deepEqual(inSight(), ["r2"]);
});

test("of two that are read at the same time the one that was asked for last stays, whichever is read first", async () => {
  for (const order of [["p1", "p2"], ["p2", "p1"]]) {
    const { handler, seen, come, answer } = page({ slow: true });
    handler.onProgress(1);
    await come("incoming");
    for (const [at, id] of ["p1", "p2"].entries()) {
      handler.render(payload(id));
      await come("review", at);
    }
    for (const id of order) await answer(id);
    assert.deepEqual(seen, ["p2"]);
  }
});

test("one that gives way before it is answered is left, whatever takes its place and whether it was in sight or not", async () => {
  const { rows, columns } = twoKinds({ slow: true });
  rows.handler.render(payload("r1"));
  await rows.come("review");
  rows.handler.onProgress(1);
  await rows.come("incoming");
  assert.deepEqual(rows.left, ["r1"]);
  rows.handler.render(payload("r2"));
  await rows.come("review", 1);
  columns.handler.render(payload("c1"));
  await rows.answer("r2");
  assert.deepEqual(rows.left, ["r1", "r2"]);
});

test("one that was answered is not left once more", async () => {
  const { handler, come, ends, left } = page();
  handler.render(payload("p1"));
  await come("review");
  ends.p1();
  handler.render(payload("p2"));
  await come("review", 1);
  assert.deepEqual(left, []);
});
