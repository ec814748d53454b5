import assert from "node:assert/strict";
import { test } from "node:test";

import { localTime, storedMoment } from "../../../static/tables/column_types/local_time.js";
import { fullMoment, readMoment, readOperand } from "../../../static/tables/column_types/moment_text.js";
import { columnType } from "../../../static/tables/column_types/registry.js";
import { writeDraft } from "../../../static/tables/filter_draft.js";
import "./declared_types.mjs";

const zone = "Europe/Berlin";
// The next day in the time zone.
const now = Date.parse("2026-11-27T23:30Z");
const when = { id: "col_when", name: "When", type: "date", format: "datetime" };
const cases = {
  "en-US": {
    "2026-12-24 15:30": "2026-12-24T14:30Z", "24 Dec 2026 15:30": "2026-12-24T14:30Z", "Dec 24, 3:30 pm": "2026-12-24T14:30Z",
    "12/24/2026 3pm": "2026-12-24T14:00Z", "tomorrow 12:00 a.m.": "2026-11-28T23:00Z", "15:30": "2026-11-28T14:30Z",
    "2026-12-24T15:30:59.5Z": "2026-12-24T15:30Z", "2026-12-24T15:30−01:00": "2026-12-24T16:30Z", "2026-12-24": "2026-12-23T23:00Z",
    // Skipped, twice, and the later of the two.
    "2026-03-29 02:30": "2026-03-29T01:30Z", "2026-10-25 02:30": "2026-10-25T00:30Z", "2026-10-25 02:30+01:00": "2026-10-25T01:30Z",
  },
  de: {
    "24.12.2026 15:30": "2026-12-24T14:30Z", "24.12. 15 Uhr": "2026-12-24T14:00Z", "24.12.2026 um 15.30 Uhr": "2026-12-24T14:30Z",
    "morgen 9:00": "2026-11-29T08:00Z", "24.12": "2026-12-23T23:00Z",
  },
};
const invalid = ["", "soon", "24:00", "2026-12-24 24:00", "Dec 24 13 pm", "2026-02-30T10:00Z", "0000-01-01T00:00Z", "9999-12-31T23:59-14:00", "2026-12-24T00:00+99:99", "x".repeat(10_000)];

for (const [locale, texts] of Object.entries(cases)) {
  test(`parses dates with times in the formats of ${locale}`, () => {
    const read = Object.fromEntries(Object.keys(texts).map((text) => [text, readMoment(text, { now, locale, zone })?.moment]));
    assert.deepEqual(read, texts);
  });
}
test("does not parse other texts", () => {
  assert.deepEqual(invalid.filter((text) => readMoment(text, { now, locale: "en", zone })), []);
});
test("the value of a condition is a day or a moment", () => {
  const operands = ["Dec 24", "Dec 24 15:30", "today"].map((text) => readOperand(text, { now, locale: "en", zone }));
  assert.deepEqual(operands, ["2026-12-24", "2026-12-24T14:30Z", "2026-11-28"]);
});
test("local times are converted back in all zones, at changes of clocks and at the ends of the calendar", () => {
  for (const [name, times] of Object.entries({
    UTC: ["0001-01-01T00:00Z", "9999-12-31T23:59Z"], "Asia/Kathmandu": ["1800-05-05T10:00Z"], "America/New_York": ["1800-05-05T10:00Z", "0001-01-01T00:00Z"],
    "Europe/Berlin": ["2026-03-29T00:59Z", "2026-03-29T01:00Z", "2026-10-25T00:59Z", "2026-10-25T02:00Z"], "America/Sao_Paulo": ["2018-11-04T03:00Z", "2018-02-18T03:00Z"],
  })) {
    assert.deepEqual(times.map((time) => storedMoment(localTime(Date.parse(time), name), name)), times);
  }
});
test("moments and days are shown, edited and copied", async () => {
  const kind = columnType(when);
  await kind.prepare();
  assert.equal(kind.display("2026-12-24T15:30Z", "de"), "24.12.2026, 15:30");
  assert.equal(kind.display("2026-12-24", "de"), "24.12.2026");
  assert.equal(kind.copied("2026-12-24T15:30Z"), "2026-12-24 15:30");
  assert.equal(kind.typed(kind.editText("2026-12-24T15:30Z"), "de"), "2026-12-24T15:30Z");
  assert.equal(kind.valueHint("24.12.2026 15:30", "de"), "Donnerstag, 24. Dezember 2026 um 15:30 UTC");
  assert.equal(fullMoment("2026-12-24T14:30Z", "en-US", "America/New_York"), "Thursday, December 24, 2026 at 9:30 AM EST");
  const draft = [[{ column: "col_when", op: "eq", values: ["2026-12-24"] }]];
  const operators = { date: [["eq", "is on {}", "value"]] };
  assert.equal(JSON.parse(writeDraft(draft, [when], operators).filter).and[0].value, "2026-12-24");
});
test("the preview of a format shows midnight, or the day", async () => {
  assert.equal(await columnType(when).reformatted("2026-12-24", "datetime"), "2026-12-24T00:00Z");
  assert.equal(await columnType("date").reformatted("2026-12-24T15:30Z", "date"), "2026-12-24");
});
