// Drafts are stored after typing stops, one request at a time, and input is reported as unsaved until then.

import assert from "node:assert/strict";
import { test } from "node:test";

import { DraftSaver } from "../../../../static/chat/configuration/draft_saver.js";

/** A saver with timers that run when asked to, and requests that the test answers. */
function controlled() {
  const states = [];
  const requests = [];
  let pending = null;
  const timers = { setTimeout: (run) => (pending = run), clearTimeout: () => (pending = null) };
  const send = (signal) => new Promise((resolve, reject) => {
    requests.push({ resolve, signal });
    signal.addEventListener("abort", () => reject(new Error("aborted")));
  });
  const saver = new DraftSaver({ send, onState: (state) => states.push(state), timers });
  const elapse = () => {
    const run = pending;
    pending = null;
    return run?.();
  };
  return { saver, states, requests, elapse };
}

test("input is unsaved until the server has stored all of it", async () => {
  const { saver, states, requests, elapse } = controlled();
  saver.changed();
  const first = elapse();
  saver.changed();
  await elapse(); // waits for the first request
  assert.equal(requests.length, 1);
  requests[0].resolve({ stored: true, retry: false });
  await first;
  assert.equal(saver.unsaved, true);
  const second = elapse();
  requests[1].resolve({ stored: true, retry: false });
  await second;
  assert.equal(saver.unsaved, false);
  assert.deepEqual(states, ["waiting", "waiting", "stored"]);
});

test("a failed request is repeated, a refused one is not", async () => {
  const { saver, states, requests, elapse } = controlled();
  saver.changed();
  for (const retry of [true, false]) {
    const sent = elapse();
    requests.at(-1).resolve({ stored: false, retry });
    await sent;
  }
  await elapse();
  assert.equal(requests.length, 2);
  assert.deepEqual(states, ["waiting", "failed", "refused"]);
  assert.equal(saver.unsaved, true);
});

test("submitting the form ends storing and the warning", async () => {
  const { saver, requests, elapse } = controlled();
  saver.changed();
  const sent = elapse();
  saver.submitted();
  await sent;
  assert.equal(requests[0].signal.aborted, true);
  assert.equal(saver.unsaved, false);
});
