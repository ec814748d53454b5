// What of the rows is asked for: search, sort, filter. Turns it into addresses, of the page and of the API, and what the
// filter bar can say into conditions and back, by the rules of the server; a condition as a sentence. Pure.

import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { displayText } from "./values.js";

/** @typedef {{search: string, sort: string, filter: string}} ViewState */

/** @param {ViewState} view @returns {string} the query of the page's own address, "" for the plain page */
export function pageQuery(view) {
  const query = new URLSearchParams();
  if (view.search) query.set("search", view.search);
  if (view.filter) query.set("filter", view.filter);
  if (view.sort) query.set("sort", view.sort);
  const text = query.toString();
  return text ? `?${text}` : "";
}

/** @param {string} query @returns {ViewState} what an address of the page asks for, without a filter that cannot be read */
export function readPageQuery(query) {
  const given = new URLSearchParams(query);
  const filter = given.get("filter") ?? "";
  return { search: given.get("search") ?? "", sort: given.get("sort") ?? "", filter: isJson(filter) ? filter : "" };
}

/** @param {string} text */
function isJson(text) {
  try {
    return text === "" || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * @param {number | string} tableId @param {ViewState} view @param {{offset: number, limit: number}} window
 * @returns {string} where the API has these rows
 */
export function rowsAddress(tableId, view, { offset, limit }) {
  const query = new URLSearchParams({ keys: "id", offset: String(offset), limit: String(limit) });
  if (view.search) query.set("search", view.search);
  if (view.filter) query.set("filter", view.filter);
  if (view.sort) query.set("sort", view.sort);
  return `/api/tables/${tableId}/rows/?${query}`;
}

/** @param {string} sort @param {string} columnId @returns {string} upwards, then downwards, then as the rows lie */
export function nextSort(sort, columnId) {
  if (sort === columnId) return `-${columnId}`;
  return sort === `-${columnId}` ? "" : columnId;
}

/** @typedef {{id: string, down: boolean}} SortKey  a column, and whether it begins with its greatest values */

/** The most columns that rows are sorted by; the server refuses more. */
export const MOST_KEYS = 10;

/** @param {string} sort @returns {SortKey[]} */
export function sortKeys(sort) {
  const parts = sort.split(",").filter(Boolean);
  return parts.map((part) => ({ id: part.replace(/^-/, ""), down: part.startsWith("-") }));
}

/** @param {SortKey[]} keys @returns {string} as it stands in an address */
export function sortText(keys) {
  return keys.map(({ id, down }) => (down ? `-${id}` : id)).join(",");
}

/** @param {string} sort @param {string} columnId @returns {"" | "ascending" | "descending"} */
export function sortDirection(sort, columnId) {
  const key = sortKeys(sort).find(({ id }) => id === columnId);
  return key ? (key.down ? "descending" : "ascending") : "";
}

/** @param {string} sort @param {string} columnId @returns {number} its place among several columns; 0 where it is not one of several */
export function sortNumber(sort, columnId) {
  const keys = sortKeys(sort);
  return keys.length > 1 ? keys.findIndex(({ id }) => id === columnId) + 1 : 0;
}

/** @param {string} sort @param {string} columnId @returns {string} sorted by it as well: upwards, then downwards, then not any more */
export function withSortKey(sort, columnId) {
  const keys = sortKeys(sort);
  const key = keys.find(({ id }) => id === columnId);
  if (key?.down) return sortText(keys.filter((one) => one !== key));
  if (key) return sortText(keys.map((one) => (one === key ? { ...one, down: true } : one)));
  return keys.length < MOST_KEYS ? sortText([...keys, { id: columnId, down: false }]) : sort;
}

/** @param {string} filter @returns {any[]} the clauses joined by AND; none for a text that is no filter */
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

/** @param {any[]} clauses @returns {string} */
export function filterOf(clauses) {
  return clauses.length ? JSON.stringify({ and: clauses }) : "";
}

/** @param {any} clause @returns {any[]} the conditions of which one must hold */
export function choicesOf(clause) {
  return Array.isArray(clause?.or) ? clause.or : [clause];
}

/** @param {Column[]} columns @param {string} ref  an id or a name @returns {Column | undefined} */
export function columnNamed(columns, ref) {
  return columns.find((column) => column.id === ref) ?? columns.find((column) => column.name === ref);
}

/** @param {Column} column */
function operatorOf(column) {
  return columnType(column).clicks === "truth" ? "is" : "any_of";
}

/** @param {any} condition @param {Column} column */
function isAbout(condition, column) {
  return (condition?.column === column.id || condition?.column === column.name) && condition.op === operatorOf(column) && "value" in condition;
}

/** @param {any[]} clauses @param {Column} column @returns {number} which of them the column's own chip shows; -1 for none */
function ownPlace(clauses, column) {
  return clauses.findIndex((condition) => isAbout(condition, column));
}

/** @param {string} filter @param {Column} column @returns {any} a list of options, true, false, or undefined */
export function chosenIn(filter, column) {
  const clauses = conditionsOf(filter);
  return clauses[ownPlace(clauses, column)]?.value;
}

/** @param {string} filter @param {Column} column @param {any} value  null or an empty list takes the condition away @returns {string} */
export function withChosen(filter, column, value) {
  const clauses = conditionsOf(filter);
  const own = ownPlace(clauses, column);
  const others = clauses.filter((_, place) => place !== own);
  const empty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  return filterOf(empty ? others : [...others, { column: column.id, op: operatorOf(column), value }]);
}

/**
 * @param {string} filter @param {Column[]} columns
 * @returns {{column: Column | undefined, condition: any, without: string, other: boolean}[]} the conditions that no chip of
 *   a column shows; `without`: the filter without it, `other`: whether it is a further choice beside the one before
 */
export function furtherConditions(filter, columns) {
  const clauses = conditionsOf(filter);
  const shown = new Set(columns.filter((column) => filterKind(column)).map((column) => ownPlace(clauses, column)));
  return clauses.flatMap((clause, place) => {
    if (shown.has(place)) return [];
    const choices = choicesOf(clause);
    return choices.map((condition, nth) => {
      const rest = choices.filter((_, other) => other !== nth);
      const left = rest.length > 1 ? [{ or: rest }] : rest;
      const without = filterOf([...clauses.slice(0, place), ...left, ...clauses.slice(place + 1)]);
      return { column: columnNamed(columns, condition?.column), condition, without, other: nth > 0 };
    });
  });
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

/** By type: operator, words with {} for each value, what it takes. @typedef {Record<string, string[][]>} Operators */

/** @param {Operators} operators @param {Column | undefined} column @param {string} op @returns {string[]} */
function wordsOf(operators, column, op) {
  const found = (operators[column?.type ?? ""] ?? []).find(([name]) => name === op);
  return found ?? [op, `${op.replaceAll("_", " ")} {}`, "value"];
}

/** @param {Operators} operators @param {Column | undefined} column @param {string} op @returns {string} as `takes_of` of the server */
export function takesOf(operators, column, op) {
  return wordsOf(operators, column, op)[2];
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
  const [, words, takes] = wordsOf(operators, column, op);
  const shown = (value) => (takes === "part" || takes === "days" || !column ? String(value ?? "") : displayText(column, value, locale));
  const { value } = condition ?? {};
  const list = Array.isArray(value) ? value : [];
  const values = { pair: list.map(shown), options: [list.map(shown).join(", ")], truth: [value ? t("yes") : t("no")] }[takes] ?? [shown(value)];
  const one = takes === "options" && list.length === 1 && { any_of: t("is {}"), none_of: t("is not {}") }[op];
  const pieces = (one || words).split("{}");
  const filled = pieces.map((piece, place) => piece + (place < pieces.length - 1 ? values[place] ?? "" : "")).join("");
  const name = column?.name ?? t("A column that is gone");
  return `${name} ${filled}`.trim();
}
