// The line of a column: its format and default, and in the tooltip values that a change clears or converts.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../../tables/declared_types.mjs";

import { columnText, examplesText } from "../../../../static/chat/payloads/column_lines.js";

test("old values are shown in the old format and type, new ones in the new", () => {
  const losses = { examples: [{ from: 12.5, to: 5 }, { from: 7, to: null }] };
  const column = { id: "c", name: "Stars", type: "number", format: "rating", maximum: 5 };
  const operation = { column, old: { format: "currency", currency: "EUR" }, new: { format: "rating" }, losses };
  assert.equal(examplesText(/** @type {any} */ (operation)), "€12.50 → ★★★★★\n€7.00 → empty");
});

const ADDED = [
  [{ type: "number", format: "currency", currency: "USD", default: 5 }, "Number, Currency, USD, Default: $5.00"],
  [{ type: "number", format: "percent", default: 0 }, "Number, Percent, Default: 0%"],
  [{ type: "number", format: "duration", default: 90 }, "Number, Duration, Default: 1:30"],
  [{ type: "date", format: "datetime", default: "2026-12-24T18:00Z" }, "Date, Date and time, Default: Dec 24, 2026, 6:00 PM"],
  [{ type: "multi_select", options: ["A", "B"], default: ["A", "B"] }, "Multiple select, Default: A, B"],
  [{ type: "text", format: "long", default: "One\n\ntwo" }, "Text, Long text, Default: One two"],
  [{ type: "boolean", required: true, default: false }, "Yes or no, required, Default: No"],
  [{ type: "text", default: null }, "Text"],
];
for (const [column, text] of ADDED) test(`an added column is described: ${text}`, () => assert.equal(columnText({ id: "c", name: "New", ...column }).replaceAll("\u202f", " "), text));
