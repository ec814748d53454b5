// Undo and Redo on the receipt of a proposal and on the card of a tool: what the page is told of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ProposalAnswers } from "../../../static/chat/answer_proposal.js";
import { heldRequests, settled } from "../held.mjs";

/** ProposalAnswers, and the events that the page has heard of them. */
function proposalAnswers() {
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { cookie: "" }));
  const [heard, turned] = [[], []];
  for (const name of ["table-changed", "payload-settled"]) document.addEventListener(name, (/** @type {any} */ { detail }) => void heard.push(detail));
  const answers = new ProposalAnswers({ onChange() {}, onUndoChange: (...how) => void turned.push(how) });
  return { asked: heldRequests(), heard, answers, turned };
}
const receipt = { id: "p1", outcome: { change: 9, table: { id: 5 } } };
const card = /** @type {any} */ ({ undo: { table_id: 5, change_id: 9 } });

test("what this tab undoes on a receipt or a card is its own step", async () => {
  const { asked, heard, answers } = proposalAnswers();
  const done = [answers.undoOrRedo(receipt, "undo"), answers.undoOrRedoTool(card, "redo")];
  for (const { answer } of asked) await answer(200, {});
  await Promise.all(done);
  assert.deepEqual(heard.filter(({ step }) => step), [{ table_id: 5, change_id: 9, step: "undone" }, { table_id: 5, change_id: 9, step: "redone" }]);
});

for (const [way, error, status] of /** @type {const} */ ([["undo", "already_undone", "undone"], ["redo", "not_undone", "applied"]])) {
  test(`what another person was quicker to ${way} is shown, and no step of this tab`, async () => {
    const { asked, heard, answers, turned } = proposalAnswers();
    const done = [answers.undoOrRedo(receipt, way), answers.undoOrRedoTool(card, way)];
    for (const { answer } of asked) await answer(409, { error, detail: "It was." });
    await Promise.all(done);
    assert.deepEqual(heard, [
      { table_id: 5, change_id: 9, step: "forget" },
      { id: "p1", status, fromOtherTab: true },
      { table_id: 5, change_id: 9, step: "forget" },
    ]);
    assert.deepEqual(turned, [[9, way === "undo"]]);
  });
}

test("what a restore has redone is not shown as undone", async () => {
  const { asked, heard, answers, turned } = proposalAnswers();
  const done = [answers.undoOrRedo(receipt, "undo"), answers.undoOrRedoTool(card, "undo")];
  for (const { answer } of asked) await answer(409, { error: "restored_over", detail: "Undo the restore." });
  await Promise.all(done);
  await settled();
  assert.deepEqual([heard, turned], [[], []]);
  assert.equal(answers.byPayload.get("p1")?.fault, "Undo the restore.");
});
