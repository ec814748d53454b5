// What the filter bar can say, as the conditions of an address and back; the server draws by the same rules. Pure.

import { columnType } from "./column_types/index.js";

/** @param {string} filter @returns {any[]} the conditions joined by AND; none for a text that is no filter */
export function conditionsOf(filter) {
  let raw = [];
  try {
    raw = filter ? JSON.parse(filter) : [];
  } catch {
    return [];
  }
  if (Array.isArray(raw)) return raw;
  return Array.isArray(raw?.and) ? raw.and : [raw];
}

/** @param {Column} column */
function operatorOf(column) {
  return columnType(column).clicks === "truth" ? "is" : "any_of";
}

/** @param {any} condition @param {Column} column */
function isAbout(condition, column) {
  return (condition?.column === column.id || condition?.column === column.name) && condition.op === operatorOf(column) && "value" in condition;
}

/** @param {string} filter @param {Column} column @returns {any} a list of options, true, false, or undefined */
export function chosenIn(filter, column) {
  return conditionsOf(filter).find((condition) => isAbout(condition, column))?.value;
}

/** @param {string} filter @param {Column} column @param {any} value  null or an empty list takes the condition away @returns {string} */
export function withChosen(filter, column, value) {
  const others = conditionsOf(filter).filter((condition) => !isAbout(condition, column));
  const empty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  const all = empty ? others : [...others, { column: column.id, op: operatorOf(column), value }];
  return all.length ? JSON.stringify({ and: all }) : "";
}

/** @param {Column} column @returns {"tab" | "menu" | "truth" | ""} how a column can be filtered by a click */
export function filterKind(column) {
  const { clicks } = columnType(column);
  if (clicks !== "options") return clicks;
  if (!column.options?.length) return "";
  return column.filterDisplay === "tab" ? "tab" : "menu";
}

/** @param {any} value  @returns {any} All, then Yes, then No */
export function nextBoolean(value) {
  return value === undefined || value === null ? true : value === true ? false : null;
}

/** @param {Column} column @param {string[]} picked @param {string} option @returns {string[]} in the order of the options */
export function toggled(column, picked, option) {
  return (column.options ?? []).filter((each) => picked.includes(each) !== (each === option));
}
