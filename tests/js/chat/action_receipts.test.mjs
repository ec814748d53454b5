// Client actions run on request: once, with a receipt that can undo them and is stored for a reload.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ActionReceipts } from "../../../static/chat/action_receipts.js";
import { registerClientAction } from "../../../static/chat/registry.js";

/** @returns {any} the session storage of a tab */
function tab() {
  const items = new Map();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value) };
}
const receiptsIn = (store) => new ActionReceipts({ onChange() {}, say() {} }, store);
const turnWith = (...suggestedActions) => /** @type {any} */ ({ turnId: "t1", suggestedActions });
const entry = (action, more = {}) => ({ label: "Do it", action, handler: "client", run: true, ...more });

test("an action runs once, also after a reload, and can be undone once", async () => {
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
test("several actions run in sequence, and a failed action has a reason", async () => {
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
test("an action that changes data runs only on request", async () => {
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
test("an unknown action, and one that was only offered, does not run", async () => {
  const ran = [];
  registerClientAction("offered", () => ran.push("offered"));
  const receipts = receiptsIn(tab());
  const turn = turnWith(entry("offered", { run: undefined }), entry("nowhere"));
  await receipts.run(turn, { writes: true });
  assert.deepEqual([ran, receipts.receiptsOf(turn)], [[], {}]);
});
test("a failed undo leaves the receipt unchanged, with the reason", async () => {
  registerClientAction("stick", () => ({ text: "Stuck", state: 1 }), { undo: () => Promise.reject(new Error("It is glued.")) });
  const receipts = receiptsIn(tab());
  const turn = turnWith(entry("stick"));
  await receipts.run(turn, { writes: true });
  await receipts.undo(turn, 0);
  assert.deepEqual(receipts.receiptsOf(turn)[0], { phase: "done", text: "Stuck", state: 1, label: undefined, fault: "It is glued." });
});
test("a tab removes its oldest receipts and ignores invalid stored ones", async () => {
  registerClientAction("note", () => ({ text: "Noted" }));
  const store = tab();
  const receipts = receiptsIn(store);
  for (let number = 0; number < 40; number += 1) await receipts.run({ ...turnWith(entry("note")), turnId: `t${number}` }, { writes: true });
  assert.deepEqual(receipts.receiptsOf({ ...turnWith(), turnId: "t0" }), {});
  assert.equal(receipts.receiptsOf({ ...turnWith(), turnId: "t39" })[0].text, "Noted");
  store.setItem("action-receipts", "[1]");
  assert.deepEqual(receiptsIn(store).receiptsOf(turnWith()), {});
});
