// Long work is split into slices, between which the browser handles input.

import assert from "node:assert/strict";
import { test } from "node:test";

import { runInSlices } from "../../../static/chat/answer_view.js";

function* counting(steps, done) {
  for (let step = 0; step < steps; step += 1) {
    done.push(step);
    yield;
  }
}

/** A clock that advances 8 ms with each call, and tasks that the test runs. */
function slowClock() {
  let time = 0;
  const tasks = [];
  return { tasks, clock: { now: () => (time += 8), later: (run) => tasks.push(run) } };
}

test("each slice ends after its time, and the next slice is a separate task", () => {
  const { tasks, clock } = slowClock();
  const done = [];
  runInSlices(counting(7, done), clock);
  const seen = [done.length];
  while (tasks.length) {
    tasks.shift()();
    seen.push(done.length);
  }
  assert.deepEqual(seen, [3, 6, 7]);
});

test("cancelled work does not continue", () => {
  const { tasks, clock } = slowClock();
  const done = [];
  const cancel = runInSlices(counting(7, done), clock);
  cancel();
  tasks.shift()();
  assert.equal(done.length, 3);
});
