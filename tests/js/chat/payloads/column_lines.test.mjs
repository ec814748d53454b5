// Values that a change of a column clears or converts, in the tooltip of its line.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../../tables/declared_types.mjs";

import { examplesText } from "../../../../static/chat/payloads/column_lines.js";

test("old values are shown in the old format and type, new ones in the new", () => {
  const losses = { examples: [{ from: 12.5, to: 5 }, { from: 7, to: null }] };
  const column = { id: "c", name: "Stars", type: "number", format: "rating", maximum: 5 };
  const operation = { column, old: { format: "currency", currency: "EUR" }, new: { format: "rating" }, losses };
  assert.equal(examplesText(/** @type {any} */ (operation)), "€12.50 → ★★★★★\n€7.00 → empty");
});
