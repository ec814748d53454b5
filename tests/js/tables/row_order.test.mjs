import assert from "node:assert/strict";
import { test } from "node:test";
import { dropPosition, movedOrder, stepPosition } from "../../../static/tables/row_order.js";

const LETTERS = [..."ABCDEF"];

/** What the rows are once those with these letters were moved; null where nothing changes. */
function after(moved, place) {
  if (!place) return null;
  const { first, order } = movedOrder(moved, place);
  const rows = [...LETTERS];
  order.forEach((index, step) => (rows[first + step] = LETTERS[index]));
  return rows.join("");
}

const indexes = (letters) => [...letters].map((letter) => LETTERS.indexOf(letter));

test("rows go to where they are dropped and stay in their order", () => {
  for (const [letters, boundary, expected] of [
    ["C", 0, "CABDEF"], ["C", 1, "ACBDEF"], ["C", 2, null], ["C", 3, null], ["C", 4, "ABDCEF"], ["C", 6, "ABDEFC"],
    ["BC", 3, null], ["BE", 2, "ABECDF"], ["BE", 3, "ACBEDF"], ["AF", 0, "AFBCDE"], ["AB", 6, "CDEFAB"], ["ABCDEF", 3, null],
  ]) {
    assert.equal(after(indexes(letters), dropPosition(indexes(letters), boundary, 6)), expected, `${letters} at ${boundary}`);
  }
});

test("a step takes rows past the next one, together, and not past the end", () => {
  for (const [letters, step, expected] of [
    ["C", -1, "ACBDEF"], ["C", 1, "ABDCEF"], ["A", -1, null], ["F", 1, null], ["BC", 1, "ADBCEF"], ["BC", -1, "BCADEF"],
    ["BE", -1, "BEACDF"], ["BE", 1, "ACDFBE"], ["AC", -1, "ACBDEF"], ["DF", 1, "ABCEDF"],
  ]) {
    assert.equal(after(indexes(letters), stepPosition(indexes(letters), step, 6)), expected, `${letters} by ${step}`);
  }
});
