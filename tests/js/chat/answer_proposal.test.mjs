// Events sent to the page for Undo and Redo on the receipt of a proposal and on the card of a tool.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ProposalAnswers } from "../../../static/chat/answer_proposal.js";
import { registerPayloadHandler } from "../../../static/chat/registry.js";
import { tableCard } from "../../../static/chat/payloads/table_card.js";
import { loadUndo, registerTableTools } from "../../../static/chat/tools/table_tools.js";
import { heldRequests, settled } from "../held_requests.mjs";

// Loaded before the first request, so that it is sent at once.
await loadUndo();

/** ProposalAnswers, and the events that they have sent to the page. */
function proposalAnswers() {
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { cookie: "" }));
  const [events, turned] = [[], []];
  for (const name of ["table-changed", "payload-settled"]) document.addEventListener(name, (/** @type {any} */ { detail }) => void events.push(detail));
  registerTableTools();
  registerPayloadHandler("data_proposal", tableCard);
  const answers = new ProposalAnswers({ onChange() {}, onUndoTool: (...how) => void turned.push(how) });
  return { requests: heldRequests(), events, answers, turned };
}
const receipt = { id: "p1", type: "data_proposal", outcome: { change: 9, table: { id: 5 } } };
const card = /** @type {any} */ ({ name: "create_row", undo: { table_id: 5, change_id: 9 } });

test("an undo or redo on a receipt or a card is a step of this tab", async () => {
  const { requests, events, answers } = proposalAnswers();
  const done = [answers.undoOrRedo(receipt, "undo"), answers.undoOrRedoTool(card, "redo")];
  await settled();
  for (const { answer } of requests) await answer(200, {});
  await Promise.all(done);
  assert.deepEqual(events.filter(({ step }) => step), [{ table_id: 5, change_id: 9, step: "undone" }, { table_id: 5, change_id: 9, step: "redone" }]);
});

for (const [way, error, status] of /** @type {const} */ ([["undo", "already_undone", "undone"], ["redo", "not_undone", "applied"]])) {
  test(`a change that another user has already undone or redone (${way}) is shown and is no step of this tab`, async () => {
    const { requests, events, answers, turned } = proposalAnswers();
    const done = [answers.undoOrRedo(receipt, way), answers.undoOrRedoTool(card, way)];
    await settled();
  for (const { answer } of requests) await answer(409, { error, detail: "It was." });
    await Promise.all(done);
    assert.deepEqual(events, [
      { table_id: 5, change_id: 9, step: "forget" },
      { id: "p1", status, fromOtherTab: true },
      { table_id: 5, change_id: 9, step: "forget" },
    ]);
    assert.deepEqual(turned, [[card.undo, way === "undo"]]);
  });
}

test("a change redone by a restore is not shown as undone", async () => {
  const { requests, events, answers, turned } = proposalAnswers();
  const done = [answers.undoOrRedo(receipt, "undo"), answers.undoOrRedoTool(card, "undo")];
  await settled();
  for (const { answer } of requests) await answer(409, { error: "restored_over", detail: "Undo the restore." });
  await Promise.all(done);
  await settled();
  assert.deepEqual([events, turned], [[], []]);
  assert.equal(answers.byPayload.get("p1")?.fault, "Undo the restore.");
});

test("an undo that would overwrite later changes lets the user choose, and is sent again with the choice", async () => {
  const { requests, events, answers } = proposalAnswers();
  const payload = { id: "p1", outcome: { can_undo: true, undo_url: "/api/invoices/undo/" } };
  const refused = answers.answer(payload, "undo", {});
  await requests[0].answer(409, { error: "changed_since", detail: "It was changed.", errors: [{ path: "", code: "changed_since", detail: "It was changed." }] });
  await refused;
  assert.deepEqual([answers.byPayload.get("p1")?.busy, answers.byPayload.get("p1")?.blocked], ["", "undo"]);
  const undone = answers.answer(payload, "undo", { on_conflict: "skip" });
  await requests[1].answer(200, {});
  await undone;
  assert.deepEqual(requests.map(({ url, body }) => [url, body]), [["/api/invoices/undo/", {}], ["/api/invoices/undo/", { on_conflict: "skip" }]]);
  assert.deepEqual(events, [{ id: "p1", status: "undone" }]);
});
