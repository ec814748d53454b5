// Drawing waits while a pointer is pressed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Press } from "../../static/element.js";

function pressed() {
  const target = new EventTarget();
  const timers = [];
  const press = new Press(target, (ms, run) => {
    const timer = { ms, run };
    timers.push(timer);
    return () => timers.splice(0, timers.length, ...timers.filter((one) => one !== timer));
  });
  const pointer = (type) => target.dispatchEvent(new Event(type));
  const drawn = [];
  return { press, pointer, timers, drawn, pass: () => timers.splice(0).forEach(({ run }) => run()) };
}

test("without a pressed pointer, drawing is immediate", () => {
  const { press, drawn } = pressed();
  press.whenReleased(() => drawn.push(1));
  assert.deepEqual(drawn, [1]);
});

for (const end of ["pointerup", "pointercancel"]) {
  test(`nothing is drawn between pointerdown and ${end} and the following click`, () => {
    const { press, pointer, pass, drawn, timers } = pressed();
    pointer("pointerdown");
    press.whenReleased(() => drawn.push(1));
    press.whenReleased(() => drawn.push(2));
    pointer(end);
    assert.deepEqual([drawn, timers.map(({ ms }) => ms)], [[], [0]]);
    pass();
    assert.deepEqual(drawn, [1, 2]);
  });
}

test("a pointer without an end event delays drawing only briefly", async () => {
  const { press, pointer, pass } = pressed();
  pointer("pointerdown");
  const released = press.released();
  pass();
  await released;
  assert.equal(press.held, false);
});
