// Long work is split into slices, between which the browser handles input.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Prose, runInSlices } from "../../../static/chat/answer_view.js";

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

/** An element, a text or a fragment, as far as Prose uses them. */
class FakeNode {
  childNodes = [];
  parentNode = null;
  classList = { toggle: () => {} };

  constructor(tag, text = "") {
    this.tag = tag;
    this.text = text;
  }

  append(...nodes) {
    for (const node of nodes.flatMap((each) => (each.tag === "fragment" ? each.childNodes.splice(0) : [each]))) {
      const child = typeof node === "string" ? new FakeNode("text", node) : node;
      child.parentNode?.removeChild(child);
      child.parentNode = this;
      this.childNodes.push(child);
    }
  }

  removeChild(node) {
    this.childNodes = this.childNodes.filter((each) => each !== node);
  }

  replaceChild(node, before) {
    this.childNodes[this.childNodes.indexOf(before)] = node;
    node.parentNode = this;
  }

  get textContent() {
    return this.text + this.childNodes.map((each) => each.textContent).join("");
  }
}

test("a draw that is cancelled by more text loses no blocks", async (t) => {
  globalThis.document = {
    createElement: (tag) => new FakeNode(tag),
    createTextNode: (text) => new FakeNode("text", text),
    createDocumentFragment: () => new FakeNode("fragment"),
  };
  t.after(() => delete globalThis.document);
  for (let steps = 1; steps < 30; steps += 1) {
    let time = 0;
    t.mock.method(performance, "now", () => (time += 24 / steps));
    const host = new FakeNode("div");
    const prose = new Prose(host);
    prose.update("One\n\nTwo\n\nThree", { growing: true });
    prose.update("One\n\nTwo\n\nThree\n\nFour");
    while (host.childNodes.at(-1)?.textContent !== "Four") await new Promise(setImmediate);
    const texts = host.childNodes.map((each) => each.textContent);
    assert.deepEqual(texts, ["One", "Two", "Three", "Four"], `after ${steps} steps`);
  }
});
