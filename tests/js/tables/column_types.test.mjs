import assert from "node:assert/strict";
import { test } from "node:test";

import { columnType, declareColumnTypes, registerColumnType } from "../../../static/tables/column_types/registry.js";
import { filterKind } from "../../../static/tables/view_state.js";
import { columnChanges } from "../../../static/tables/schema_diff.js";
import { typeText } from "../../../static/tables/setting_texts.js";
import { displayText, editText, typedValue } from "../../../static/tables/values.js";
import "./declared_types.mjs";

const column = (type, more = {}) => ({ id: "col_a", name: "A", type, ...more });

test("a type without a script is plain text under its declared label, else its own name", () => {
  declareColumnTypes([{ name: "molecule", label: "Molecule" }]);
  const kinds = ["molecule", "crystal"].map(columnType);
  assert.deepEqual(kinds.map(({ label, icon, cellClass, clicks }) => [label, icon, cellClass, clicks]), [["Molecule", "type", "", ""], ["crystal", "type", "", ""]]);
  assert.equal(displayText(column("molecule"), "H2O"), "H2O");
  assert.equal(typedValue(column("molecule"), " H2O "), "H2O");
  assert.equal(filterKind(column("molecule")), "");
});
test("one script defines a custom type for all parts of the page", () => {
  registerColumnType({
    name: "grade", label: "Grade", icon: "star", hasOptions: true, clicks: "options", toggles: true,
    display: (value) => `Grade ${value}`, editText: (value) => `=${value}`, typed: (text) => text.toUpperCase(),
  });
  const grade = column("grade", { options: ["A", "B"] });
  assert.equal(displayText(grade, "A"), "Grade A");
  assert.equal(editText(grade, "A"), "=A");
  assert.equal(typedValue(grade, " a "), "A");
  assert.equal(columnType(grade).pasted("b"), "B");
  assert.deepEqual(columnType(grade).listItems(grade).map(({ value, label }) => [value, label]), [["A", "A"], ["B", "B"]]);
  assert.equal(filterKind(grade), "menu");
  assert.deepEqual(columnChanges(column("text", { options: [] }), { ...grade, filterDisplay: "dropdown" }).options, ["A", "B"]);
});
test("a value stored under an earlier type of its column is shown by its own type", () => {
  const { draw, updateNode } = columnType("boolean");
  assert.deepEqual(["Open", 3].map((value) => displayText(column("boolean"), value)), ["Open", "3"]);
  assert.deepEqual([draw("Open", "Open", column("boolean")), updateNode({ className: "bool" }, "Open", "Open", column("boolean"))], [null, false]);
  assert.deepEqual(["text", "number", "date", "select"].map((type) => displayText(column(type), true)), ["Yes", "Yes", "Yes", "Yes"]);
});
test("outer white space of a text is not removed, even without other characters", () => assert.equal(typedValue(column("text"), "  "), "  "));
test("values pasted into a boolean column are parsed by the server", () => {
  assert.equal(columnType("boolean").pasted("nope"), "nope");
  assert.equal(typedValue(column("boolean"), "true"), true);
});

test("numbers are typed, copied and pasted in the format of the user", () => {
  const { typed, pasted, editText: starts, copied } = columnType("number");
  const german = (text) => typed(text, "de-DE");
  assert.deepEqual(["54500,5", "54.500,5", "54,500", "1.500", "-0,25", "3.5", "12"].map(german), [54500.5, 54500.5, 54.5, 1500, -0.25, 3.5, 12]);
  assert.deepEqual(["1.50,5", "1,2,3", ",5", "many"].map(german), ["1.50,5", "1,2,3", ",5", "many"]);
  assert.deepEqual(["1 234,5", "1\u202f234,5", "1\u00a0234", "1.200"].map((text) => typed(text, "fr-FR")), [1234.5, 1234.5, 1234, 1.2]);
  assert.deepEqual(["1,500", "54500,5", "1.5"].map((text) => typed(text, "en-GB")), ["1,500", "54500,5", 1.5]);
  assert.deepEqual([starts(54500.5, "de-DE"), starts(54500.5, "en-GB")], ["54500,5", "54500.5"]);
  assert.deepEqual(["12,50 €", "12,5 %", "-€1.200", "1.200,50 €"].map(german), ["12.50 €", "12.5 %", "-€1200", "1200.50 €"]);
  // 1,200 may be a fraction: the server refuses amounts with three digits after the separator.
  assert.equal(german("$1,200"), "$1.200");
  for (const locale of ["de-DE", "fr-FR", "de-CH", "en-US", "ar"]) {
    for (const number of [1.234, 1234.567, 1200, -0.5, 1e-7]) assert.equal(Number(pasted(copied(number, locale), locale)), number, locale);
  }
});

test("tiny and huge numbers are edited and copied as digits, which are parsed as the same number", () => {
  const { copied, editText: starts, typed } = columnType("number");
  const numbers = [1e-7, -1.5e-7, 5e-324, 1e16, 2 ** 53, 1.25e21, -1e300, Number.MAX_VALUE, 0.1, -12, 0];
  assert.deepEqual([1e-7, -1.5e-7, 1e16, 1.25e21].map((number) => copied(number, "en-GB")), ["0.0000001", "-0.00000015", "10000000000000000.0", "1250000000000000000000.0"]);
  for (const number of numbers) {
    assert.match(copied(number, "en-GB"), /^-?\d+(\.\d+)?$/);
    for (const locale of ["de-DE", "en-GB"]) assert.equal(Number(typed(starts(number, locale), locale)), number);
  }
  assert.equal(starts(-1.5e-7, "de-DE"), "-0,00000015");
});
test("a nonexistent day is shown as typed and not as another day", () => {
  const shown = ["2026-13-01", "2026-02-29", "2026-02-28"].map((value) => displayText(column("date"), value, "en-US"));
  assert.deepEqual(shown, ["2026-13-01", "2026-02-29", "Feb 28, 2026"]);
});

const formatted = (format, more) => column("number", { format, ...more });
test("a type is described with its format and the settings of that", () => {
  const formats = [{ format: "plain" }, { format: "currency", currency: "EUR" }, { format: "decimal", places: 2 }, { format: "rating", maximum: 5 }, { format: "constructor" }];
  const described = ["Number", "Number, Currency, EUR", "Number, Decimal places: 2", "Number, Rating, Stars: 5", "Number, constructor"];
  assert.deepEqual(formats.map(({ format, ...more }) => typeText(formatted(format, more))), described);
});
test("numbers are shown in the format of their column", () => {
  const shown = (one, values, locale) => values.map((value) => displayText(one, value, locale).replace(/[\u00a0\u202f]/g, " "));
  assert.deepEqual(shown(formatted("decimal", { places: 2 }), [5, 1234.567, -0.005], "en-US"), ["5.00", "1234.57", "-0.01"]);
  assert.deepEqual(shown(formatted("thousands"), [1234567.5, 1e16], "de-DE"), ["1.234.567,5", "10000000000000000"]);
  assert.deepEqual(shown(formatted("currency", { currency: "EUR" }), [1200.5, -3], "de-DE"), ["1.200,50 €", "-3,00 €"]);
  assert.deepEqual(shown(formatted("currency", { currency: "JPY" }), [1200.5], "en-US"), ["¥1,201"]);
  assert.deepEqual(shown(formatted("currency"), [3], "en-US"), ["¤3.00"]);
  assert.deepEqual(shown(formatted("percent"), [0.05, 0.07125, 12], "de-DE"), ["5 %", "7,13 %", "1.200 %"]);
  assert.deepEqual(shown(formatted("duration"), [90, 0.5, -61, 6000, 90.25], "en-US"), ["1:30", "0:00:30", "-1:01", "100:00", "1:30:15"]);
  assert.deepEqual(shown(formatted("rating", { maximum: 4 }), [0, 3, 5, 2.5, -1], "en-US"), ["☆☆☆☆", "★★★☆", "5", "2.5", "-1"]);
  // Values of an earlier type of the column, and formats that this page does not know.
  assert.deepEqual(["decimal", "percent", "duration", "rating", "roman"].map((format) => displayText(formatted(format), "many")), Array(5).fill("many"));
  assert.equal(displayText(formatted("roman"), 1.5, "en-US"), "1.5");
  // Proposals that are being written are not validated.
  const invalid = [formatted("constructor"), formatted("decimal", { places: 1e3 }), formatted("currency", { currency: "E" }), formatted("rating", { maximum: "many" })];
  assert.deepEqual(shown(formatted("rating", { maximum: 1e9 }), [9], "en-US"), ["★★★★★★★★★☆"]);
  assert.deepEqual(invalid.map((one) => displayText(one, 1.5, "en-US")), Array(4).fill("1.5"));
});

const ROUND_TRIPS = [0, 5, 0.05, 0.07, 0.29, 1 / 3, 1e-7, 90.25, -61, 1e15, 2 ** 53, 123456.789, 7740.4134652009925];
for (const format of ["plain", "decimal", "thousands", "currency", "percent", "duration", "rating"]) {
  test(`the ${format} format does not change values that are copied and pasted, or edited`, () => {
    const { copied, editText: starts, pasted, typed } = columnType(formatted(format, { currency: "EUR" }));
    for (const locale of ["de-DE", "en-US"]) {
      for (const number of ROUND_TRIPS) {
        for (const text of [pasted(copied(number, locale), locale, ""), typed(starts(number, locale), locale)]) assert.equal(numberOf(text), number, `${format} ${locale} ${text}`);
      }
    }
  });
}

/** @param {any} read  a number, or text that the server reads */
function numberOf(read) {
  const clock = /^(-?)(\d+):(\d\d)(?::(\d\d))?$/.exec(read);
  if (!clock) return Number(String(read).replace("%", "e-2"));
  return ((Number(clock[2]) * 3600 + Number(clock[3]) * 60 + Number(clock[4] ?? 0)) / 60) * (clock[1] ? -1 : 1);
}

test("a percentage is typed with or without its sign, and pasted with it", () => {
  const { typed, pasted } = columnType(formatted("percent"));
  assert.deepEqual(["5", "5 %", "5%", "12.5", "-3 %", "0"].map((text) => typed(text, "en-US")), [0.05, 0.05, 0.05, 0.125, -0.03, 0]);
  assert.deepEqual(["12,5", "1.200 %", "7,1%"].map((text) => typed(text, "de-DE")), [0.125, 12, 0.071]);
  // What is not certainly a number is parsed by the server, still as a percentage.
  assert.deepEqual(["1,200", "many", "1:30"].map((text) => typed(text, "en-US")), ["1,200%", "many", "1:30"]);
  assert.deepEqual(["0.05", "5 %", "5"].map((text) => pasted(text, "en-US", "")), [0.05, 0.05, 5]);
});

test("a column has the icon of its format", () => {
  const columns = [column("number"), formatted("thousands"), formatted("rating"), column("text", { format: "url" }), column("text", { format: "constructor" })];
  assert.deepEqual(columns.map((one) => columnType(one).icon), ["hash", "hash", "star", "link", "type"]);
});
test("phones show the keyboard of the format", () => {
  const modes = ["url", "email", "phone", "long"].map((format) => column("text", { format })).map((one) => columnType(one).field("", one).props.inputmode);
  assert.deepEqual(modes, ["url", "email", "tel", undefined]);
});
test("keys set a rating of at most its stars", () => {
  const { valueOfKey } = columnType(formatted("rating", { maximum: 3 }));
  assert.deepEqual(["0", "1", "3", "4", "a", "F2"].map((key) => valueOfKey(key, formatted("rating", { maximum: 3 }))), [null, 1, 3, undefined, undefined, undefined]);
  assert.equal(columnType("number").valueOfKey("1", column("number")), undefined);
  const ten = formatted("rating", { maximum: 10 });
  assert.deepEqual([1, 2, null].map((value) => columnType(ten).valueOfKey("0", ten, value)), [10, null, null]);
  const { stepped } = columnType(formatted("rating"));
  assert.deepEqual([[null, 1], [null, -1], [1, -1], [3, 1], [7.5, 1], [7.5, -1]].map(([value, step]) => stepped(value, step, formatted("rating", { maximum: 3 }))), [1, null, null, 3, 3, 3]);
});
test("moments are shown with their time, days of filters without one, and neither is edited", () => {
  const added = column("created_at");
  assert.equal(displayText(added, "2026-03-01T12:00Z", "en-GB"), "1 Mar 2026, 12:00");
  assert.equal(displayText(added, "2026-03-01", "en"), "Mar 1, 2026");
  assert.deepEqual(["created_at", "created_by", "autonumber", "text"].map((type) => columnType(type).isComputed), [true, true, true, false]);
});
test("a type of another application that is drawn like dates with times needs no script", () => {
  declareColumnTypes([{ name: "x_seen", icon: "eye", isComputed: true, drawnLike: { type: "date", format: "datetime" } }]);
  assert.equal(displayText(column("x_seen"), "2026-03-01T12:00Z", "en-GB"), "1 Mar 2026, 12:00");
  const { name, icon, isText, isComputed } = columnType("x_seen");
  assert.deepEqual([name, icon, isText, isComputed], ["x_seen", "eye", false, true]);
});
