import assert from "node:assert/strict";
import { test } from "node:test";

import { NODE_SLOT, agoText, withNode, t, tn, wordsFrom } from "../../static/locale.js";

const german = wordsFrom({
  Apply: "Übernehmen",
  "Applied {done} of {all}": "{done} von {all} übernommen",
  "Shown to {name}": "{nmae} sieht es",
  "{count} row\u0000{count} rows": { one: "{count} Zeile", other: "{count} Zeilen" },
  "{count} row in {table}\u0000{count} rows in {table}": { one: "{count} Zeile in {table}", other: "{count} Zeilen in {table}" },
}, "de");
const polish = wordsFrom({
  "{count} row\u0000{count} rows": { one: "{count} wiersz", few: "{count} wiersze", many: "{count} wierszy" },
}, "pl");

test("a translated text is in the language of the page", () => assert.equal(german.t("Apply"), "Übernehmen"));
test("a text without a translation is in English", () => assert.equal(german.t("Dismiss"), "Dismiss"));
test("values are inserted at the placeholders of the translation", () =>
  assert.equal(german.t("Applied {done} of {all}", { done: 8, all: 10 }), "8 von 10 übernommen"));
test("without a catalogue texts are not changed", () => {
  assert.equal(t("Applied {done} of {all}", { done: 8, all: 10 }), "Applied 8 of 10");
  assert.equal(tn("{count} row", "{count} rows", 2), "2 rows");
});
test("a translation with an unknown placeholder falls back to English", () =>
  assert.equal(german.t("Shown to {name}", { name: "Ada" }), "Shown to Ada"));
test("a placeholder without a value is not replaced", () => assert.equal(t("Shown to {name}"), "Shown to {name}"));
test("property names of all objects are no texts of the catalogue", () => {
  for (const text of ["constructor", "toString", "__proto__"]) assert.equal(german.t(text), text);
  assert.equal(t("{constructor}"), "{constructor}");
});

const counts = [[0, "0 Zeilen"], [1, "1 Zeile"], [2, "2 Zeilen"]];
for (const [count, words] of counts) {
  test(`German plural: ${words}`, () => assert.equal(german.tn("{count} row", "{count} rows", count), words));
}
const categories = [[1, "1 wiersz"], [3, "3 wiersze"], [5, "5 wierszy"], [22, "22 wiersze"]];
for (const [count, words] of categories) {
  test(`Polish plural: ${words}`, () => assert.equal(polish.tn("{count} row", "{count} rows", count), words));
}
test("a missing plural form falls back to English", () =>
  assert.equal(polish.tn("{count} row", "{count} rows", 1.5), "1.5 rows"));
test("a count can be combined with other values", () =>
  assert.equal(german.tn("{count} row in {table}", "{count} rows in {table}", 2, { table: "Orte" }), "2 Zeilen in Orte"));
test("a count is in the number format of the user", () =>
  assert.equal(tn("{count} row", "{count} rows", 12_345), `${(12_345).toLocaleString()} rows`));

/** Texts that look like placeholders, replacement patterns or markup. */
const PIECES = ["{done}", "{all}", "{", "}", "$&", "$1", "$$", "\\", "<b>", "&amp;", "\u0000", "", "ä", " "];

/** Reproducible pseudorandom numbers. */
function* numbers(seed = 7) {
  for (let n = seed; ; n = (n * 48_271) % 2_147_483_647) yield n;
}

test("values are inserted literally, without replacing placeholders in them", () => {
  const draw = numbers();
  const pick = () => PIECES[draw.next().value % PIECES.length];
  for (let round = 0; round < 500; round += 1) {
    const [done, all] = [0, 1].map(() => pick() + pick() + pick());
    assert.equal(german.t("Applied {done} of {all}", { done, all }), `${done} von ${all} übernommen`);
    assert.equal(t("Applied {done} of {all}", { done, all }), `Applied ${done} of ${all}`);
  }
});

test("an element is inserted at its placeholder", () => {
  const node = { name: "Salary" };
  assert.deepEqual(withNode(t("Add {column}", { column: NODE_SLOT }), node), ["Add ", node]);
  assert.deepEqual(withNode(wordsFrom({ "Add {column}": "{column} hinzufügen" }, "de").t("Add {column}", { column: NODE_SLOT }), node), [node, " hinzufügen"]);
  assert.deepEqual(withNode(`${NODE_SLOT} is ${NODE_SLOT}`, node), [node, ` is ${NODE_SLOT}`]);
});

test("a relative time is in the language of the page, with a date in the format of the user", () => {
  const now = new Date(2026, 10, 21, 12, 0);
  assert.equal(agoText(new Date(2026, 10, 21, 11, 55), now, "de"), "5 minutes ago");
  assert.equal(agoText(new Date(2026, 10, 1, 9, 0), now, "de"), "01.11.2026");
});
