// Client actions that run because they were asked for: once, with a line that takes them back and outlives a reload.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ActionReceipts } from "../../../static/chat/action_receipts.js";
import { registerClientAction } from "../../../static/chat/registry.js";

/** @returns {any} a tab's store */
function tab() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
}
const receiptsIn = (store) => new ActionReceipts({ onChange() {}, say() {} }, store);
const turnWith = (...suggestedActions) => /** @type {any} */ ({ turnId: "t1", suggestedActions });
const entry = (action, more = {}) => ({ label: "Do it", action, handler: "client", run: true, ...more });

test("an action runs once, also after a reload, and is taken back once", async () => {
  const [ran, restored] = [[], []];
  registerClientAction("tilt", async (data) => {
    ran.push(data);
    return { text: "Tilted", state: { angle: 4 } };
  }, { undo: (state) => void restored.push(state) });
  const [store, turn] = [tab(), turnWith(entry("tilt", { data: { by: 9 } }))];
  const receipts = receiptsIn(store);
  await Promise.all([receipts.run(turn, { writes: true }), receipts.run(turn, { writes: true })]);
  const reloaded = receiptsIn(store);
  await reloaded.run(turn, { writes: true });
  assert.deepEqual(ran, [{ by: 9 }]);
  assert.deepEqual(reloaded.receiptsOf(turn)[0], { phase: "done", text: "Tilted", state: { angle: 4 } });
  await Promise.all([reloaded.undo(turn, 0), reloaded.undo(turn, 0)]);
  await receiptsIn(store).undo(turn, 0);
  assert.deepEqual(restored, [{ angle: 4 }]);
  assert.equal(receiptsIn(store).receiptsOf(turn)[0].phase, "back");
});
test("several run one after the other, and one that fails says why", async () => {
  const ran = [];
  registerClientAction("first", async () => {
    await Promise.resolve();
    ran.push("first");
  });
  registerClientAction("second", () => {
    throw new Error("There is no column “Wage” in this table.");
  });
  registerClientAction("third", () => ran.push("third"));
  const receipts = receiptsIn(tab());
  const turn = turnWith(entry("first"), entry("second"), entry("third"));
  await receipts.run(turn, { writes: true });
  assert.deepEqual(ran, ["first", "third"]);
  assert.deepEqual(Object.values(receipts.receiptsOf(turn)).map(({ phase, text }) => [phase, text]), [["done", "Do it"], ["failed", "Not done"], ["done", "Do it"]]);
  assert.equal(receipts.receiptsOf(turn)[1].fault, "There is no column “Wage” in this table.");
});
test("what changes data runs only when the person asked for it", async () => {
  const ran = [];
  registerClientAction("turn", () => ran.push("turn"), { writes: true });
  registerClientAction("look", () => ran.push("look"));
  const receipts = receiptsIn(tab());
  const turn = turnWith(entry("turn"), entry("look"));
  await receipts.run(turn, { writes: false });
  assert.deepEqual(ran, ["look"]);
  await receipts.run(turn, { writes: true });
  assert.deepEqual(ran, ["look", "turn"]);
});
test("what the page does not have, or was only offered, does not run", async () => {
  const ran = [];
  registerClientAction("offered", () => ran.push("offered"));
  const receipts = receiptsIn(tab());
  const turn = turnWith(entry("offered", { run: undefined }), entry("nowhere"));
  await receipts.run(turn, { writes: true });
  assert.deepEqual([ran, receipts.receiptsOf(turn)], [[], {}]);
});
test("a way back that fails leaves the line as it was, with the reason", async () => {
  registerClientAction("stick", () => ({ text: "Stuck", state: 1 }), { undo: () => Promise.reject(new Error("It is glued.")) });
  const receipts = receiptsIn(tab());
  const turn = turnWith(entry("stick"));
  await receipts.run(turn, { writes: true });
  await receipts.undo(turn, 0);
  assert.deepEqual(receipts.receiptsOf(turn)[0], { phase: "done", text: "Stuck", state: 1, label: undefined, fault: "It is glued." });
});
test("a tab forgets its oldest lines, and reads no strange ones", async () => {
  registerClientAction("note", () => ({ text: "Noted" }));
  const store = tab();
  const receipts = receiptsIn(store);
  for (let number = 0; number < 40; number += 1) await receipts.run({ ...turnWith(entry("note")), turnId: `t${number}` }, { writes: true });
  assert.deepEqual(receipts.receiptsOf({ ...turnWith(), turnId: "t0" }), {});
  assert.equal(receipts.receiptsOf({ ...turnWith(), turnId: "t39" })[0].text, "Noted");
  store.setItem("action-receipts", "[1]");
  assert.deepEqual(receiptsIn(store).receiptsOf(turnWith()), {});
});
