// The stages of a proposal (streaming, under review, replaced) when its modules are loaded late.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { settled } from "../held_requests.mjs";

let stagedHandler;
let tests = 0;
// Each test has its own instance of the module, so that nothing is shown from the test before.
beforeEach(async () => {
  globalThis.document = /** @type {any} */ (new EventTarget());
  ({ stagedHandler } = await import(`../../../static/chat/proposal_stages.js?${++tests}`));
});

const payload = (id) => ({ id });

/**
 * A page whose modules are loaded by the test; `seen` is its content, `disabled` the proposals that cannot be decided
 * any more, `closed` the replaced ones. @param {{slow?: boolean}} [how]  slow: previews are also loaded by the test
 */
function page({ slow = false } = {}) {
  const seen = [];
  const disabled = [];
  const closed = [];
  /** @type {Record<string, () => void>} */
  const reads = {};
  class Proposal {
    constructor(shown) {
      Object.assign(this, { id: shown.id, payload: shown, over: false });
    }
    refresh() { return slow ? new Promise((resolve) => (reads[this.id] = () => resolve(undefined))) : Promise.resolve(); }
    disable() { disabled.push(this.id); }
    close() { closed.push(this.id); }
  }
  const remove = (what) => () => { if (seen.includes(what)) seen.splice(seen.indexOf(what), 1); };
  const fetches = { incoming: [], review: [] };
  const ends = {};
  const handler = stagedHandler({
    incoming: () => new Promise((resolve) => fetches.incoming.push(() => resolve(() => {
      const events = [];
      seen.push(events);
      return { update: (event) => events.push(event), end: remove(events) };
    }))),
    review: () => new Promise((resolve) => fetches.review.push(() => resolve({ Proposal, show: (proposal, ended) => {
      seen.push(proposal.id);
      ends[proposal.id] = () => { remove(proposal.id)(); ended(); };
      return { proposal, end: remove(proposal.id) };
    } }))),
    focus: () => {},
    renderOptions: { headerTitle: "", headerIcon: "" },
  });
  const come = async (which, at = 0) => { fetches[which][at](); await settled(); };
  const answer = async (id) => { reads[id](); await settled(); };
  const drop = () => document.dispatchEvent(new Event("payload-dropped"));
  return { handler, seen, come, drop, ends, fetches, disabled, closed, answer };
}

test("events before the module is loaded are drawn in order", async () => {
  const { handler, seen, come } = page();
  for (const event of [1, 2, 3]) handler.onProgress(event);
  for (const at of [0, 1, 2]) await come("incoming", at);
  assert.deepEqual(seen, [[1, 2, 3]]);
});

test("a complete proposal replaces the streamed one", async () => {
  const { handler, seen, come } = page();
  handler.onProgress(1);
  await come("incoming");
  handler.render(payload("p1"));
  await come("review");
  assert.deepEqual(seen, ["p1"]);
});

test("streamed events are not drawn if their module loads after the proposal is shown", async () => {
  const { handler, seen, come } = page();
  handler.onProgress(1);
  handler.render(payload("p1"));
  await come("review");
  await come("incoming");
  assert.deepEqual(seen, ["p1"]);
});

test("a replaced proposal is shown again when its successor is dropped", async () => {
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

test("an ended proposal is not shown again", async () => {
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

test("a proposal shown twice before its module is loaded is drawn once", async () => {
  const { handler, seen, come } = page();
  handler.render(payload("p1"));
  handler.render(payload("p1"));
  await come("review");
  seen.push("what the person did since");
  await come("review", 1);
  assert.deepEqual(seen, ["p1", "what the person did since"]);
});

test("of two proposals the last one is shown, whichever is drawn first", async () => {
  const { handler, seen, come } = page();
  handler.render(payload("p1"));
  handler.render(payload("p2"));
  await come("review", 1);
  await come("review", 0);
  assert.deepEqual(seen, ["p2"]);
});

test("a newer proposal replaces the one under review", async () => {
  const { handler, seen, come } = page();
  handler.render(payload("p1"));
  await come("review");
  handler.render(payload("p2"));
  await come("review", 1);
  assert.deepEqual(seen, ["p2"]);
});

test("a streaming proposal replaces the one under review", async () => {
  const { handler, seen, come } = page();
  handler.render(payload("p1"));
  await come("review");
  handler.onProgress(1);
  await come("incoming");
  assert.deepEqual(seen, [[1]]);
});

test("a proposal under review is not started again", async () => {
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

test("a replaced proposal of another kind is shown again when the streamed one is dropped", async () => {
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

test("a streamed proposal replaced by one of another kind does not restore an older proposal", async () => {
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

test("of two kinds streamed in sequence only the second is shown, and the proposal before both is restored", async () => {
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

test("streamed changes stay visible until the proposal that replaces them is drawn", async () => {
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

test("streamed changes stay visible until a proposal of another kind is drawn", async () => {
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

test("a proposal under review stays visible until its successor is loaded, and cannot be decided meanwhile", async () => {
  const { rows, columns, inSight } = twoKinds({ slow: true });
  rows.handler.render(payload("r1"));
  await rows.come("review");
  assert.deepEqual([inSight(), rows.disabled], [["r1"], []]);
  columns.handler.render(payload("c1"));
  await columns.come("review");
  assert.deepEqual([inSight(), rows.disabled], [["r1"], ["r1"]]);
  await columns.answer("c1");
  assert.deepEqual(inSight(), ["c1"]);
});

test("without another proposal, a proposal is shown before its preview is loaded", async () => {
  const { handler, seen, come, ends } = page({ slow: true });
  handler.render(payload("p0"));
  await come("review");
  ends.p0();
  handler.render(payload("p1"));
  await come("review", 1);
  assert.deepEqual(seen, ["p1"]);
});

test("a proposal that was loading when another arrived is shown again when that is dropped", async () => {
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

test("of two loading proposals the last requested one is shown, whichever is loaded first", async () => {
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

test("a replaced open proposal is closed, whether it was visible or not", async () => {
  const { rows, columns } = twoKinds({ slow: true });
  rows.handler.render(payload("r1"));
  await rows.come("review");
  rows.handler.onProgress(1);
  await rows.come("incoming");
  assert.deepEqual(rows.closed, ["r1"]);
  rows.handler.render(payload("r2"));
  await rows.come("review", 1);
  columns.handler.render(payload("c1"));
  await rows.answer("r2");
  assert.deepEqual(rows.closed, ["r1", "r2"]);
});

test("a decided proposal is not closed again", async () => {
  const { handler, come, ends, closed } = page();
  handler.render(payload("p1"));
  await come("review");
  ends.p1();
  handler.render(payload("p2"));
  await come("review", 1);
  assert.deepEqual(closed, []);
});
