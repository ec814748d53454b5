import assert from "node:assert/strict";
import { test } from "node:test";

import { columnParts } from "../../../static/tables/print_rows.js";

test("columns are distributed to landscape pages, each with the first column", () => {
  assert.deepEqual(columnParts([200, 100, 100]), { isWide: false, parts: [[0, 1, 2]] });
  assert.deepEqual(columnParts([200, 300, 300]), { isWide: true, parts: [[0, 1, 2]] });
  assert.deepEqual(columnParts([]), { isWide: false, parts: [[]] });
  assert.deepEqual(columnParts([200, 240, 240, 240, 240]), { isWide: true, parts: [[0, 1, 2], [0, 3, 4]] });
  // A column that is wider than the paper has a page of its own.
  assert.deepEqual(columnParts([200, 2000, 50]), { isWide: true, parts: [[0, 1], [0, 2]] });
  const parts = columnParts(Array.from({ length: 100 }, (_, index) => 48 + (index % 7) * 30)).parts;
  assert.deepEqual(parts.flatMap((part) => part.slice(1)), Array.from({ length: 99 }, (_, index) => index + 1));
});
