import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { linkOf } from "../../../static/tables/column_types/text_formats.js";

// The same cases as in tests/tables/column_types/test_text_formats.py.
const cases = JSON.parse(readFileSync(new URL("../../tables/column_types/text_links.json", import.meta.url), "utf8"));

test("texts are linked as on the server", () => {
  const all = [...cases.links, ...cases["valid but not linked"], ...cases.invalid];
  for (const [format, before, part, count, after] of cases.longest) {
    const long = [0, 1].map((more) => before + part.repeat(count + more) + after);
    assert.deepEqual(long.map((value) => linkOf(value, { format }) !== ""), [true, false], before);
  }
  const links = all.map(([format, value]) => [format, value, linkOf(value, { format })]);
  assert.deepEqual(links, all.map(([format, value, link = ""]) => [format, value, link]));
});
