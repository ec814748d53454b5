import assert from "node:assert/strict";
import { test } from "node:test";

import { fullDate, readDate } from "../../../static/tables/column_types/date_text.js";
import { columnType } from "../../../static/tables/column_types/registry.js";
import "./declared_types.mjs";

const today = new Date(2026, 10, 25, 23, 30);
const cases = {
  "en-US": {
    "2026-12-24": "2026-12-24", "2026/1/2": "2026-01-02", "20261224": "2026-12-24", "12/24/2026": "2026-12-24", "1/2/2026": "2026-01-02",
    "24.12.2026": "2026-12-24", "24.12.": "2026-12-24", "5.12.": "2026-12-05", "12/24": "2026-12-24", "12/24/26": "2026-12-24", "1/2/99": "1999-01-02",
    "Dec 24": "2026-12-24", "dec 24, 2026": "2026-12-24", "24 December 2027": "2027-12-24", "December 24th": "2026-12-24", "24Dec26": "2026-12-24", "Sept. 1": "2026-09-01",
    "2/29/2028": "2028-02-29", "0050-01-02": "0050-01-02",
    Today: "2026-11-25", tomorrow: "2026-11-26", yesterday: "2026-11-24", "+7d": "2026-12-02", "-1w": "2026-11-18", "+ 2 weeks": "2026-12-09", "+3m": "2027-02-25", "-1y": "2025-11-25", "+7": "2026-12-02",
    fri: "2026-11-27", Friday: "2026-11-27", "next friday": "2026-11-27", wed: "2026-12-02", tues: "2026-12-01", "on Sunday": "2026-11-29",
    "in 3 days": "2026-11-28", "in 1 day": "2026-11-26", "in 2 weeks": "2026-12-09", "in 2 months": "2027-01-25", "3 days ago": "2026-11-22",
    "Thu, Dec 24": "2026-12-24", "Thursday 24 December 2026": "2026-12-24", "Thursday 24th of December": "2026-12-24", "Thu 12/24/26": "2026-12-24", "Dec 24, Thu": "2026-12-24",
  },
  "en-GB": { "1/2/2026": "2026-02-01", "12/24/2026": "2026-12-24" },
  de: {
    "2026-12-24": "2026-12-24", "24.12.2026": "2026-12-24", "1.2.2026": "2026-02-01", "1/2/2026": "2026-02-01", "24.12.": "2026-12-24", "24.12": "2026-12-24", "24.12.26": "2026-12-24",
    "12/24/2026": "2026-12-24", "24. Dezember 2026": "2026-12-24", "24. Dez.": "2026-12-24", "Dec 24": "2026-12-24", "1. März": "2026-03-01",
    heute: "2026-11-25", morgen: "2026-11-26", gestern: "2026-11-24", übermorgen: "2026-11-27", today: "2026-11-25", "+7t": "2026-12-02", "+7d": "2026-12-02", "-1w": "2026-11-18", "+1j": "2027-11-25",
    Fr: "2026-11-27", "Fr.": "2026-11-27", Freitag: "2026-11-27", "nächsten Freitag": "2026-11-27", "am Mittwoch": "2026-12-02", friday: "2026-11-27",
    "in 3 Tagen": "2026-11-28", "in 1 Tag": "2026-11-26", "in 2 Wochen": "2026-12-09", "vor 3 Tagen": "2026-11-22", "in 3 days": "2026-11-28",
    "Do, 24. Dez": "2026-12-24", "Do., 24.12.": "2026-12-24", "Donnerstag, 24. Dezember 2026": "2026-12-24", "Thu, Dec 24": "2026-12-24",
  },
  es: { "24 de diciembre de 2026": "2026-12-24", hoy: "2026-11-25", "mar 24 mar 2026": "2026-03-24", "dentro de 3 días": "2026-11-28" },
  ja: { "2026年12月24日": "2026-12-24", "12/24": "2026-12-24" },
};
const invalid = ["", "soon", "61224-02-02", "2026-02-30", "31/02/2026", "13/13/2026", "24", "Dec", "Dec 2026", "Ju 4", "24.12.2026 10:00", "1/2/3/4", "1/2/026", "+7x", "+9999y", "0000-01-01", "Fri, Dec 24", "next", "next Dec 24", "friday friday", "t", "in days"];

for (const [locale, texts] of Object.entries(cases)) {
  test(`parses dates in the formats of ${locale}`, () => {
    const read = Object.fromEntries(Object.keys(texts).map((text) => [text, readDate(text, { today, locale })]));
    assert.deepEqual(read, texts);
  });
}
for (const locale of ["en-US", "de"]) {
  test(`does not parse other texts in ${locale}`, () => {
    assert.deepEqual(invalid.filter((text) => readDate(text, { today, locale }) !== null), []);
  });
  test(`parses dates and hints as shown by the page in ${locale}`, () => {
    for (const day of ["2026-01-31", "2026-03-04", "2028-02-29"]) {
      assert.equal(readDate(columnType("date").display(day, locale), { today, locale }), day);
      assert.equal(readDate(fullDate(day, locale), { today, locale }), day);
    }
  });
}
test("the last day of a month stays in its month", () => {
  const read = (text) => readDate(text, { today: new Date(2028, 0, 31), locale: "en" });
  assert.deepEqual(["+1m", "-2m", "+13m"].map(read), ["2028-02-29", "2027-11-30", "2029-02-28"]);
});
test("the default year is the current one, also for past and distant days", () => {
  const read = ([year, month, text]) => readDate(text, { today: new Date(year, month, 10), locale: "en" });
  assert.deepEqual([[2026, 0, "Dec 24"], [2026, 11, "Jan 5"]].map(read), ["2026-12-24", "2026-01-05"]);
});
test("the hint for a parsed date has its weekday", () => {
  assert.deepEqual(["en-US", "de"].map((locale) => fullDate("2026-12-24", locale)), ["Thursday, December 24, 2026", "Donnerstag, 24. Dezember 2026"]);
});
test("a date column sends the date, or the text as typed", async () => {
  await columnType("date").prepare();
  const { typed, valueHint } = columnType("date");
  assert.deepEqual([typed("24.12.2026", "de"), typed("soon", "de")], ["2026-12-24", "soon"]);
  assert.deepEqual([valueHint("12/24/2026", "en-US"), valueHint("soon", "en-US")], ["Thursday, December 24, 2026", ""]);
});
