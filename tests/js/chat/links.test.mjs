// Links to objects of the app, with the cases of tests/chat/test_links.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { withoutLinks } from "../../../static/chat/object_link.js";
import { markdownTree } from "../../../static/markdown.js";

const CASES = JSON.parse(readFileSync(new URL("../../data/links.json", import.meta.url), "utf8"));

function addresses(tree) {
  return tree.flatMap((node) => (typeof node === "string" ? [] : [node.attrs?.address ?? [], addresses(node.children)].flat()));
}

for (const { case: name, text, plain, addresses: expected } of CASES) {
  test(`links: ${name}`, () => {
    assert.deepEqual(addresses(markdownTree(text)), expected);
    assert.equal(withoutLinks(text), plain);
  });
}

test("reference links and URLs in angle brackets are links", () => {
  assert.deepEqual(addresses(markdownTree("[Acme][1] <row:2>\n\n[1]: row:1")), ["row:1", "row:2"]);
});
