import assert from "node:assert/strict";
import { test } from "node:test";
import { dropPosition, movedOrder, stepPosition } from "../../../static/tables/row_order.js";

const LETTERS = [..."ABCDEF"];

/** The order of the rows after moving those with these letters, or null if nothing changes. */
function after(moved, position) {
  if (!position) return null;
  const { first, order } = movedOrder(moved, position);
  const rows = [...LETTERS];
  order.forEach((index, step) => (rows[first + step] = LETTERS[index]));
  return rows.join("");
}

const indexes = (letters) => [...letters].map((letter) => LETTERS.indexOf(letter));

test("rows are moved to the drop position in their order", () => {
  for (const [letters, boundary, expected] of [
    ["C", 0, "CABDEF"], ["C", 1, "ACBDEF"], ["C", 2, null], ["C", 3, null], ["C", 4, "ABDCEF"], ["C", 6, "ABDEFC"],
    ["BC", 3, null], ["BE", 2, "ABECDF"], ["BE", 3, "ACBEDF"], ["AF", 0, "AFBCDE"], ["AB", 6, "CDEFAB"], ["ABCDEF", 3, null],
  ]) {
    assert.equal(after(indexes(letters), dropPosition(indexes(letters), boundary, 6)), expected, `${letters} at ${boundary}`);
  }
});

test("a step moves rows together past the next one, but not past the end", () => {
  for (const [letters, step, expected] of [
    ["C", -1, "ACBDEF"], ["C", 1, "ABDCEF"], ["A", -1, null], ["F", 1, null], ["BC", 1, "ADBCEF"], ["BC", -1, "BCADEF"],
    ["BE", -1, "BEACDF"], ["BE", 1, "ACDFBE"], ["AC", -1, "ACBDEF"], ["DF", 1, "ABCEDF"],
  ]) {
    assert.equal(after(indexes(letters), stepPosition(indexes(letters), step, 6)), expected, `${letters} by ${step}`);
  }
});
