// The words of cards and receipts of proposals without an own card.

import assert from "node:assert/strict";
import { test } from "node:test";

import { countTags, countTexts, receipt } from "../../../static/chat/proposal_card.js";
import { applyRequest, chosenIndexes } from "../../../static/chat/proposal_items.js";
import { declarePayloadTypes, hasOwnCard, registerPayloadHandler } from "../../../static/chat/registry.js";

declarePayloadTypes([{
  name: "reminders",
  verbs: {
    send: { pending: "{count} to send", applied: "{count} sent", tone: "add" },
    delete: { pending: "{count} to cancel", applied: "{count} canceled", tone: "delete" },
  },
}]);
const proposal = (more) => ({ id: "p", type: "reminders", status: "pending", data: {}, summary: "Two reminders", content_hash: "", counts: { send: 2 }, ...more });
const item = (index, state = "ok") => ({ index, action: "send", label: `Item ${index}`, state });

test("items are counted in the words of the type, then in the usual ones, and others as items", () => {
  assert.deepEqual(countTexts("reminders", { add: 1, delete: 3, send: 2, print: 4, ok: 9 }, "pending"), [
    { tone: "add", text: "2 to send" }, { tone: "del", text: "3 to cancel" }, { tone: "add", text: "1 to add" }, { tone: "", text: "4 items" },
  ]);
  assert.deepEqual(countTexts("reminders", { send: 1, update: 2 }, "applied").map(({ text }) => text), ["1 sent", "2 changed"]);
  assert.deepEqual(countTexts("unknown", { toString: 1 }, "pending").map(({ text }) => text), ["1 item"]);
});

test("items that cannot be applied are counted as items to check", () => {
  const texts = (items) => countTags(proposal(), items).map(({ text }) => text);
  assert.deepEqual(texts(null), ["2 to send"]);
  assert.deepEqual(texts([item(0, "conflict"), item(1, "warning")]), ["2 to send", "1 to check"]);
});

test("items that cannot be applied are never chosen, and all of the others by default", () => {
  const items = [item(0), item(1, "warning"), item(2, "conflict"), item(3, "error")];
  assert.deepEqual(chosenIndexes(items, new Set()), [0, 1]);
  assert.deepEqual(chosenIndexes(items, new Set([1, 2])), [0]);
});

test("a request has the chosen items with their edits, and the content that was reviewed", () => {
  const options = { contentHash: "abc", edits: { 1: { day: "today" } } };
  assert.deepEqual(applyRequest([item(0), item(1)], [0, 1], options), { operations: "all", content_hash: "abc", edits: { 1: { day: "today" } } });
  assert.deepEqual(applyRequest([item(0), item(1)], [0], options), { operations: [0], content_hash: "abc" });
  assert.deepEqual(applyRequest([], [], { contentHash: "abc", edits: {} }), { operations: "all", content_hash: "abc" });
});

const sent = (index) => ({ index, action: "send", label: `Item ${index}` });
const RECEIPTS = [
  ["without items", proposal({ status: "applied", outcome: { message: "", applied: [], skipped: [], can_undo: false } }), ["Applied", "", false, "ok"]],
  ["a message", proposal({ status: "applied", outcome: { message: "All are sent.", applied: [sent(0), sent(1)], skipped: [], can_undo: true } }), ["All are sent.", "2 sent", true, "ok"]],
  ["a part", proposal({ status: "partially_applied", outcome: { message: "", applied: [sent(0)], skipped: [{ ...sent(1), reason: "not_chosen" }], can_undo: true } }), ["Applied 1 of 2", "1 sent", true, "ok"]],
  ["dismissed", proposal({ status: "dismissed" }), ["Dismissed", "Two reminders", false, "plain"]],
  ["undone", proposal({ status: "undone", outcome: { applied: [sent(0)], can_undo: true } }), ["Undone", "", false, "plain"]],
];
for (const [about, given, [title, detail, canUndo, tone]] of RECEIPTS) {
  test(`receipt: ${about}`, () => {
    const lines = receipt(given);
    assert.deepEqual([lines.title, lines.detail, lines.canUndo, lines.tone, lines.failed], [title, detail, canUndo, tone, []]);
  });
}

test("a receipt has the link of its outcome until it is undone", () => {
  const link = { label: "Report", href: "/reports/1/" };
  assert.equal(receipt(proposal({ status: "applied", outcome: { applied: [], skipped: [], link } })).link, link);
  assert.equal(receipt(proposal({ status: "undone", outcome: { applied: [], skipped: [], link } })).link, null);
});

test("a receipt names the items that failed, with their reasons", () => {
  const skipped = [{ ...sent(1), reason: "failed", message: "No address." }, { ...sent(2), reason: "not_chosen" }];
  const lines = receipt(proposal({ status: "partially_applied", outcome: { message: "One is sent.", applied: [sent(0)], skipped, can_undo: false } }));
  assert.deepEqual([lines.tone, lines.title, lines.detail, lines.failed], ["warn", "One is sent.", "Applied 1 of 3, 1 sent", ["Item 1: No address."]]);
});

test("a handler that only draws the items has no card of its own", () => {
  registerPayloadHandler("reminders", { renderItems: () => /** @type {any} */ (null) });
  assert.ok(!hasOwnCard(proposal()));
  registerPayloadHandler("reminders", { card: () => /** @type {any} */ (null) });
  assert.ok(hasOwnCard(proposal()));
});
