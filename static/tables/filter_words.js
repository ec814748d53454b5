// A condition as a sentence, in the words that the server has for each operator. Pure.

import { displayText } from "./values.js";

/** By type: operator, words with {} for each value, what it takes. @typedef {Record<string, string[][]>} Operators */

/** @param {Operators} operators @param {Column | undefined} column @param {string} op @returns {string[]} */
function operatorOf(operators, column, op) {
  const found = (operators[column?.type ?? ""] ?? []).find(([name]) => name === op);
  return found ?? [op, `${op.replaceAll("_", " ")} {}`, "value"];
}

/** @param {Operators} operators @param {Column | undefined} column @param {string} op @returns {string} as `takes_of` of the server */
export function takesOf(operators, column, op) {
  return operatorOf(operators, column, op)[2];
}

/** @param {string} words @returns {string} with a gap for each value, but for a single one at the end */
export function labelOf(words) {
  const single = words.indexOf("{}") === words.lastIndexOf("{}");
  return (single ? words.replace(/ \{\}$/, "") : words).replaceAll("{}", "…");
}

/**
 * @param {any} condition @param {Column | undefined} column  undefined for one that is gone @param {Operators} operators
 * @param {string} [locale]
 * @returns {string} “Salary is at least 1,000”
 */
export function sentence(condition, column, operators, locale) {
  const op = String(condition?.op ?? "");
  const [, words, takes] = operatorOf(operators, column, op);
  const shown = (value) => (takes === "part" || takes === "days" || !column ? String(value ?? "") : displayText(column, value, locale));
  const { value } = condition ?? {};
  const list = Array.isArray(value) ? value : [];
  const values = { pair: list.map(shown), options: [list.map(shown).join(", ")], truth: [value ? "yes" : "no"] }[takes] ?? [shown(value)];
  const pieces = words.split("{}");
  const filled = pieces.map((piece, place) => piece + (place < pieces.length - 1 ? values[place] ?? "" : "")).join("");
  return `${column?.name ?? "A column that is gone"} ${filled}`.trim();
}
