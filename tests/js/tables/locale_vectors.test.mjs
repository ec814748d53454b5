import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const { zone, columns, locales } = JSON.parse(readFileSync(new URL("locale_vectors.json", import.meta.url), "utf8"));
// The time zone is read from the page when the module is loaded.
globalThis.document = { documentElement: { dataset: { zone } } };
const { formatLocale } = await import("../../../static/locale.js");
delete globalThis.document;
const { displayText } = await import("../../../static/tables/values.js");
await import("./declared_types.mjs");

for (const [tag, texts] of Object.entries(locales)) {
  test(`values are shown as by the server: ${tag}`, () => {
    const shown = columns.map(({ values, ...column }) => values.map((value) => displayText({ id: "col_a", name: "A", ...column }, value, formatLocale(tag))));
    assert.deepEqual(shown, texts);
  });
}
