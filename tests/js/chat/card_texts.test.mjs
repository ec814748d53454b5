// The texts of tool cards, proposal cards, receipts and errors.

import assert from "node:assert/strict";
import { test } from "node:test";

import { errorLines } from "../../../static/chat/turn_view.js";
import { isProposal } from "../../../static/chat/registry.js";
import { countTags, receipt, waitingLine } from "../../../static/chat/payloads/table_card.js";
import { seconds, toolSummary } from "../../../static/chat/tool_card.js";
import { registerTableTools } from "../../../static/chat/tools/table_tools.js";

globalThis.document = /** @type {any} */ (new EventTarget());
registerTableTools();

const tool = (name, input, output, state = "done") => ({ name, input, output: typeof output === "string" ? output : JSON.stringify(output), state });

const SUMMARIES = [
  ["rows found of all that match", tool("search_rows", { query: "Polar" }, { rows: [{}, {}], matching_rows: 5 }), "“Polar” 2 of 5 found"],
  ["all rows read", tool("get_rows", {}, { rows: [{}], matching_rows: 1 }), "1 row"],
  ["a described table", tool("describe_table", {}, { name: "Jobs", rows: 24 }), "Jobs, 24 rows"],
  ["a written row by its first value", tool("create_row", { data: { Company: "Acme", Salary: 1 } }, "ok"), "Acme"],
  ["a deleted row by its values", tool("delete_row", { row_id: 12 }, 'Deleted row 12: "The \\"Acme\\"".'), 'The "Acme"'],
  ["a deleted row without values", tool("delete_row", { row_id: 12 }, "Deleted row 12."), ""],
  ["a failure by its first line", tool("get_rows", {}, "No such column.\nNearest: Due", "failed"), "No such column."],
  ["a stopped tool", tool("get_rows", {}, "", "stopped"), "Stopped"],
  ["output that is no JSON", tool("search_rows", { query: "x" }, "nothing"), "“x”"],
  ["a tool without a summary", tool("fly_kite", {}, "{}"), ""],
];
for (const [about, given, words] of SUMMARIES) {
  test(`tool card: ${about}`, () => assert.equal(toolSummary(given), words));
}

for (const [ms, words] of [[12, "0.1 s"], [310, "0.3 s"], [9_940, "9.9 s"], [9_960, "10 s"], [61_400, "61 s"], [null, ""]]) {
  test(`${ms} ms are shown as "${words}"`, () => assert.equal(seconds(ms), words));
}

const proposal = (more) => ({ id: "p", type: "data_proposal", status: "pending", data: {}, counts: { add: 2, update: 1, ok: 2, error: 1 }, ...more });

test("an open proposal counts its operations by kind, and those to check", () => {
  assert.deepEqual(countTags(proposal()).map((tag) => tag.text), ["2 to add", "1 to change", "1 to check"]);
  assert.equal(waitingLine(proposal()), "3 changes waiting in the table");
  assert.equal(waitingLine(proposal({ counts: { add: 1 } })), "1 change waiting in the table");
});

test("changes of columns are called column changes", () => {
  assert.equal(waitingLine(proposal({ type: "schema_proposal", data: { mode: "update" } })), "3 column changes waiting");
  assert.equal(waitingLine(proposal({ counts: {} })), "The proposal changes nothing");
});

test("a new table has its name", () => {
  const table = proposal({ type: "schema_proposal", counts: { add: 4 }, data: { mode: "create", table_name: "Jobs", sample_rows: [{}] } });
  assert.equal(waitingLine(table), "New table: Jobs");
  assert.deepEqual(countTags(table).map((tag) => tag.text), ["4 columns", "1 sample row"]);
});

test("only payloads that are or were open are proposals", () => {
  assert.ok(isProposal(proposal()));
  assert.ok(!isProposal(proposal({ status: "shown" })));
  assert.ok(!isProposal({ type: "tool_history", data: [] }));
});

const did = (actions, skipped = []) => ({ change: 9, table: { id: 5, name: "Jobs" }, applied: actions.map((action, index) => ({ index, action })), skipped });
const RECEIPTS = [
  ["all applied", proposal({ status: "applied", outcome: did(["add", "add", "update"]) }), "Applied 3 changes", "2 added, 1 changed", "undo", "ok"],
  ["some not selected", proposal({ status: "partially_applied", outcome: did(["add"], [{ index: 1, reason: "not_chosen" }]) }), "Applied 1 of 3", "1 added", "undo", "ok"],
  ["one without effect", proposal({ status: "applied", outcome: did(["add", "add"], [{ index: 2, reason: "nothing_to_do" }]) }), "Applied 2 of 3", "2 added", "undo", "ok"],
  ["undone", proposal({ status: "undone", outcome: did(["add", "add"]) }), "Undone", "2 changes undone", "redo", "plain"],
  ["dismissed", proposal({ status: "dismissed" }), "Dismissed 3 changes", "", "", "plain"],
  ["superseded", proposal({ status: "superseded" }), "Replaced by a newer proposal", "", "", "plain"],
  ["a new table", proposal({ type: "schema_proposal", status: "applied", data: { mode: "create" }, outcome: did(["create"]) }), "Created Jobs", "", "", "ok"],
];
for (const [about, given, title, detail, action, tone] of RECEIPTS) {
  test(`receipt: ${about}`, () => {
    const lines = receipt(given);
    assert.deepEqual([lines.title, lines.detail, lines.action, lines.tone], [title, detail, action, tone]);
  });
}

test("a receipt reports invalid operations that were skipped", () => {
  const lines = receipt(proposal({ status: "partially_applied", outcome: did(["add"], [{ index: 1, reason: "error" }, { index: 2, reason: "not_chosen" }]) }));
  assert.equal(lines.tone, "warn");
  assert.deepEqual(lines.skipped, ["1 had an error"]);
});

test("a card counts invalid operations as operations to check", () => {
  assert.deepEqual(countTags(proposal({ counts: { add: 2, faulty: 1 } })).map(({ text }) => text), ["2 to add", "1 to check"]);
});

test("a receipt with skipped operations has their reasons", () => {
  const lines = receipt(proposal({ status: "partially_applied", outcome: did(["add"], [{ index: 1, reason: "row_missing" }, { index: 2, reason: "row_missing" }, { index: 3, reason: "new_code" }]) }));
  assert.equal(lines.tone, "warn");
  assert.deepEqual(lines.skipped, ["2 rows were already deleted", "1 was left out"]);
});

test("the first sentence of an error is its title, and the rest its description", () => {
  assert.deepEqual(errorLines({ code: "timeout", message: "The answer took too long. Please try again." }), {
    title: "The answer took too long", detail: "Please try again.",
  });
});

test("an error without a message has a default one, and an error with a delay shows it", () => {
  assert.equal(errorLines({ code: "internal", message: "" }).title, "Something went wrong");
});

test("a time to wait in the message of the server is not repeated", () => {
  const message = "The 1,000 tokens of the day are used up. It can answer again in 3 hours, at midnight UTC.";
  const { title, detail } = errorLines({ code: "budget_exhausted", message, retryAfter: 10_800 });
  assert.deepEqual([title, detail], ["The 1,000 tokens of the day are used up", "It can answer again in 3 hours, at midnight UTC."]);
  assert.equal(errorLines({ code: "x", message: "No.", retryAfter: 40 }).detail, "You can try again in 40 s.");
  assert.equal(errorLines({ code: "x", message: "No. Try again in 12 s.", retryAfter: 12 }).detail, "Try again in 12 s.");
});
