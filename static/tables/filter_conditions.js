// Conditions of filters: parses and builds those of the filter bar by the rules of the server; describes conditions as text. No DOM.

import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { displayText } from "./values.js";
import { filterKind, findColumn } from "./view_state.js";

/** @param {string} filter @returns {any[]} the clauses joined by AND; empty if it cannot be parsed */
export function parseFilter(filter) {
  let raw = [];
  try {
    raw = filter ? JSON.parse(filter) : [];
  } catch {
    return [];
  }
  if (Array.isArray(raw)) return raw;
  return Array.isArray(raw?.and) ? raw.and : [raw];
}

/** @param {any[]} clauses @returns {string} */
export function serializeFilter(clauses) {
  return clauses.length ? JSON.stringify({ and: clauses }) : "";
}

/** @param {any} clause @returns {any[]} the conditions joined by OR */
export function alternativesOf(clause) {
  return Array.isArray(clause?.or) ? clause.or : [clause];
}

/** The operator that matches the user who reads the rows. */
export const ME = "is_me";

/** @param {any} condition @param {Column} column @returns {boolean} whether the filter bar sets such conditions of the column */
function isAbout(condition, column) {
  if (condition?.column !== column.id && condition?.column !== column.name) return false;
  const { clicks, clickOperator } = columnType(column);
  if (clicks === "people" && condition.op === ME) return true;
  if (condition.op !== clickOperator || !("value" in condition)) return false;
  // The menu has no deleted accounts.
  return clicks !== "people" || [condition.value].flat().every((value) => personIn(column, value));
}

/** @param {Column} column @param {string | number} value  id or name */
const personIn = (column, value) => column.people?.find(({ id, name }) => id === value || name === value);

/** @param {string} filter @param {Column} column @returns {number[] | typeof ME} ids of the chosen people */
export function chosenPeople(filter, column) {
  const clauses = parseFilter(filter);
  const own = clauses[ownIndex(clauses, column)];
  return own?.op === ME ? ME : [own?.value ?? []].flat().map((value) => personIn(column, value).id);
}

/**
 * @param {string} filter @param {Column} column @param {number[] | typeof ME} chosen  ids of people; empty: removes the condition
 * @returns {string}
 */
export function withPeople(filter, column, chosen) {
  if (chosen !== ME) {
    const people = (column.people ?? []).filter(({ id }) => chosen.includes(id));
    return withChosen(filter, column, people.map((person) => (columnType(column).hasPeople ? person.id : person.name)));
  }
  const clauses = parseFilter(withChosen(filter, column, null));
  return serializeFilter([...clauses, { column: column.id, op: ME }]);
}

/** @param {any[]} clauses @param {Column} column @returns {number} index of the clause shown by the column's chip; -1 for none */
function ownIndex(clauses, column) {
  return clauses.findIndex((condition) => isAbout(condition, column));
}

/** @param {string} filter @param {Column} column @returns {any} a list of options, true, false, or undefined */
export function chosenValue(filter, column) {
  const clauses = parseFilter(filter);
  return clauses[ownIndex(clauses, column)]?.value;
}

/** @param {string} filter @param {Column} column @param {any} value  null or an empty list removes the condition @returns {string} */
export function withChosen(filter, column, value) {
  const clauses = parseFilter(filter);
  const own = ownIndex(clauses, column);
  const others = clauses.filter((_, index) => index !== own);
  const empty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  return serializeFilter(empty ? others : [...others, { column: column.id, op: columnType(column).clickOperator, value }]);
}

/**
 * @param {string} filter @param {Column[]} columns
 * @returns {{column: Column | undefined, condition: any, without: string, other: boolean}[]} conditions without a chip;
 *   `without`: the filter without it, `other`: whether it is joined by OR with the previous one
 */
export function otherConditions(filter, columns) {
  const clauses = parseFilter(filter);
  const shown = new Set(columns.filter((column) => filterKind(column)).map((column) => ownIndex(clauses, column)));
  return clauses.flatMap((clause, index) => {
    if (shown.has(index)) return [];
    const choices = alternativesOf(clause);
    return choices.map((condition, position) => {
      const rest = choices.filter((_, other) => other !== position);
      const remaining = rest.length > 1 ? [{ or: rest }] : rest;
      const without = serializeFilter([...clauses.slice(0, index), ...remaining, ...clauses.slice(index + 1)]);
      return { column: findColumn(columns, condition?.column), condition, without, other: position > 0 };
    });
  });
}

/** @param {any} value  @returns {any} next of all, yes, no */
export function nextBoolean(value) {
  return value === undefined || value === null ? true : value === true ? false : null;
}

/** @param {Column} column @param {string[]} chosen @param {string} option @returns {string[]} in the order of the options */
export function toggled(column, chosen, option) {
  return (column.options ?? []).filter((each) => chosen.includes(each) !== (each === option));
}

/** By type: operator, label with {} for each value, kind of value, label for a single choice. @typedef {Record<string, string[][]>} Operators */

/** @param {Operators} operators @param {Column | undefined} column @param {string} op @returns {string[]} */
function operatorEntry(operators, column, op) {
  const found = (operators[column?.type ?? ""] ?? []).find(([name]) => name === op);
  return found ?? [op, `${op.replaceAll("_", " ")} {}`, "value"];
}

/** @param {Operators} operators @param {Column | undefined} column @param {string} op @returns {string} as `takes_of` on the server */
export function valueKindOf(operators, column, op) {
  return operatorEntry(operators, column, op)[2];
}

/** @param {string} words @returns {string} with … for each value, except a single one at the end */
export function operatorLabel(words) {
  const single = words.indexOf("{}") === words.lastIndexOf("{}");
  return (single ? words.replace(/ \{\}$/, "") : words).replaceAll("{}", "…");
}

/**
 * @param {any} condition @param {Column | undefined} column  undefined if deleted @param {Operators} operators
 * @param {string} [locale]
 * @returns {string} “Salary is at least 1,000”
 */
export function conditionText(condition, column, operators, locale) {
  const op = String(condition?.op ?? "");
  const [, words, takes, wordsOfOne] = operatorEntry(operators, column, op);
  const shown = (value) => (takes === "part" || takes === "days" || !column ? String(value ?? "") : displayText(column, value, locale));
  const { value } = condition ?? {};
  const list = Array.isArray(value) ? value : [];
  const values = { pair: list.map(shown), options: [list.map(shown).join(", ")], truth: [value ? t("yes") : t("no")] }[takes] ?? [shown(value)];
  const pieces = ((list.length === 1 && wordsOfOne) || words).split("{}");
  const filled = pieces.map((piece, index) => piece + (index < pieces.length - 1 ? values[index] ?? "" : "")).join("");
  const name = column?.name ?? t("A deleted column");
  return `${name} ${filled}`.trim();
}
