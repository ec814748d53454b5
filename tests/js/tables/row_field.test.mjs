// The fields of a row's details.

import assert from "node:assert/strict";
import { test } from "node:test";

import { createWriter } from "./writer_setup.mjs";

await import("./declared_types.mjs");
const { drawField } = await import("../../../static/tables/row_field.js");

test("computed values are shown in fields that cannot be edited, also people", () => {
  createWriter();
  const people = [{ id: 3, name: "Ann", has_left: false }];
  for (const type of ["created_by", "autonumber", "updated_at"]) {
    const { node, dirty } = drawField(/** @type {any} */ ({ id: "c4", name: "By", type, people }), 3, () => {}, () => {});
    const input = /** @type {any} */ (node).within.find((/** @type {any} */ one) => "readonly" in one.attributes);
    assert.deepEqual([input?.value, dirty()], [type === "created_by" ? "Ann" : "3", false]);
  }
});
