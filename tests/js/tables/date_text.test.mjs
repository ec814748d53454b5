import assert from "node:assert/strict";
import { test } from "node:test";

import { fullDate, readDate } from "../../../static/tables/column_types/date_text.js";
import { columnType } from "../../../static/tables/column_types/registry.js";

const today = new Date(2026, 10, 25, 23, 30);
const cases = {
  "en-US": {
    "2026-12-24": "2026-12-24", "2026/1/2": "2026-01-02", "20261224": "2026-12-24", "12/24/2026": "2026-12-24", "1/2/2026": "2026-01-02",
    "24.12.2026": "2026-12-24", "24.12.": "2026-12-24", "5.12.": "2026-12-05", "12/24": "2026-12-24", "12/24/26": "2026-12-24", "1/2/99": "1999-01-02",
    "Dec 24": "2026-12-24", "dec 24, 2026": "2026-12-24", "24 December 2027": "2027-12-24", "December 24th": "2026-12-24", "24Dec26": "2026-12-24", "Sept. 1": "2026-09-01",
    "2/29/2028": "2028-02-29", "0050-01-02": "0050-01-02",
    Today: "2026-11-25", tomorrow: "2026-11-26", yesterday: "2026-11-24", "+7d": "2026-12-02", "-1w": "2026-11-18", "+ 2 weeks": "2026-12-09", "+3m": "2027-02-25", "-1y": "2025-11-25", "+7": "2026-12-02",
  },
  "en-GB": { "1/2/2026": "2026-02-01", "12/24/2026": "2026-12-24" },
  de: {
    "2026-12-24": "2026-12-24", "24.12.2026": "2026-12-24", "1.2.2026": "2026-02-01", "1/2/2026": "2026-02-01", "24.12.": "2026-12-24", "24.12": "2026-12-24", "24.12.26": "2026-12-24",
    "12/24/2026": "2026-12-24", "24. Dezember 2026": "2026-12-24", "24. Dez.": "2026-12-24", "Dec 24": "2026-12-24", "1. März": "2026-03-01",
    heute: "2026-11-25", morgen: "2026-11-26", gestern: "2026-11-24", übermorgen: "2026-11-27", today: "2026-11-25", "+7t": "2026-12-02", "+7d": "2026-12-02", "-1w": "2026-11-18", "+1j": "2027-11-25",
  },
  es: { "24 de diciembre de 2026": "2026-12-24", hoy: "2026-11-25" },
  ja: { "2026年12月24日": "2026-12-24", "12/24": "2026-12-24" },
};
const notUnderstood = ["", "soon", "61224-02-02", "2026-02-30", "31/02/2026", "13/13/2026", "24", "Dec", "Dec 2026", "Ju 4", "24.12.2026 10:00", "1/2/3/4", "1/2/026", "+7x", "+9999y", "0000-01-01"];

for (const [locale, texts] of Object.entries(cases)) {
  test(`reads dates as they are typed in ${locale}`, () => {
    const read = Object.fromEntries(Object.keys(texts).map((text) => [text, readDate(text, { today, locale })]));
    assert.deepEqual(read, texts);
  });
}
for (const locale of ["en-US", "de"]) {
  test(`does not guess at other texts in ${locale}`, () => {
    assert.deepEqual(notUnderstood.filter((text) => readDate(text, { today, locale }) !== null), []);
  });
  test(`reads what the page shows and what it says was understood in ${locale}`, () => {
    for (const day of ["2026-01-31", "2026-03-04", "2028-02-29"]) {
      assert.equal(readDate(columnType("date").display(day, locale), { today, locale }), day);
    }
  });
}
test("the last day of a month stays in the month that is meant", () => {
  const read = (text) => readDate(text, { today: new Date(2028, 0, 31), locale: "en" });
  assert.deepEqual(["+1m", "-2m", "+13m"].map(read), ["2028-02-29", "2027-11-30", "2029-02-28"]);
});
test("says what was understood with its weekday", () => {
  assert.deepEqual(["en-US", "de"].map((locale) => fullDate("2026-12-24", locale)), ["Thursday, December 24, 2026", "Donnerstag, 24. Dezember 2026"]);
});
test("a date column sends the day, or the text as it was typed", async () => {
  await columnType("date").prepare();
  const { typed, understood } = columnType("date");
  assert.deepEqual([typed("24.12.2026", "de"), typed("soon", "de")], ["2026-12-24", "soon"]);
  assert.deepEqual([understood("12/24/2026", "en-US"), understood("soon", "en-US")], ["Thursday, December 24, 2026", ""]);
});
