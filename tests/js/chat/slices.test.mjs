// Long work leaves the browser time for input.

import assert from "node:assert/strict";
import { test } from "node:test";

import { runInSlices } from "../../../static/chat/answer_view.js";

function* counting(steps, done) {
  for (let step = 0; step < steps; step += 1) {
    done.push(step);
    yield;
  }
}

/** A clock by which each look takes 8 ms, and tasks that wait until they are run. */
function slowClock() {
  let time = 0;
  const tasks = [];
  return { tasks, clock: { now: () => (time += 8), later: (run) => tasks.push(run) } };
}

test("each slice ends after its time, and the next one is a task of its own", () => {
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

test("cancelled work does not go on", () => {
  const { tasks, clock } = slowClock();
  const done = [];
  const cancel = runInSlices(counting(7, done), clock);
  cancel();
  tasks.shift()();
  assert.equal(done.length, 3);
});
