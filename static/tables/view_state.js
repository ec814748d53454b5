// The view of a table: search, sort and filter. Converts it to URLs of the page and the API; parses and builds conditions of
// the filter bar by the rules of the server; describes conditions as text. No DOM.

import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { displayText } from "./values.js";

/** @typedef {{search: string, sort: string, filter: string}} ViewState */

/** @param {ViewState} view @returns {string} query string of the page, "" for the default view */
export function pageQuery(view) {
  const query = new URLSearchParams();
  if (view.search) query.set("search", view.search);
  if (view.filter) query.set("filter", view.filter);
  if (view.sort) query.set("sort", view.sort);
  const text = query.toString();
  return text ? `?${text}` : "";
}

/** @param {string} query @returns {ViewState} of the page; a filter that cannot be parsed is ignored */
export function readPageQuery(query) {
  const params = new URLSearchParams(query);
  const filter = params.get("filter") ?? "";
  return { search: params.get("search") ?? "", sort: params.get("sort") ?? "", filter: isJson(filter) ? filter : "" };
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
 * @param {number | string} tableId @param {ViewState} view @param {{offset: number, limit: number, count?: string}} window
 * @returns {string} API URL of the rows
 */
export function rowsUrl(tableId, view, { offset, limit, count = "estimate" }) {
  const query = new URLSearchParams({ keys: "id", offset: String(offset), limit: String(limit), count });
  if (view.search) query.set("search", view.search);
  if (view.filter) query.set("filter", view.filter);
  if (view.sort) query.set("sort", view.sort);
  return `/api/tables/${tableId}/rows/?${query}`;
}

/** @param {RowStore} store @param {number} count @returns {number | string} for texts: 12,000 or "about 12,000" */
export function countValue({ isExact }, count) {
  return isExact ? count : t("about {number}", { number: count });
}

/** @param {string} sort @param {string} columnId @returns {string} ascending, then descending, then unsorted */
export function nextSort(sort, columnId) {
  if (sort === columnId) return `-${columnId}`;
  return sort === `-${columnId}` ? "" : columnId;
}

/** @typedef {{id: string, down: boolean}} SortKey  down: descending */

/** Maximum number of sort columns; the server has the same limit. */
export const MAX_SORT_KEYS = 10;

/** @param {string} sort @returns {SortKey[]} */
export function sortKeys(sort) {
  const parts = sort.split(",").filter(Boolean);
  return parts.map((part) => ({ id: part.replace(/^-/, ""), down: part.startsWith("-") }));
}

/** @param {SortKey[]} keys @returns {string} as in a URL */
export function sortText(keys) {
  return keys.map(({ id, down }) => (down ? `-${id}` : id)).join(",");
}

/** @param {string} sort @param {string} columnId @returns {"" | "ascending" | "descending"} */
export function sortDirection(sort, columnId) {
  const key = sortKeys(sort).find(({ id }) => id === columnId);
  return key ? (key.down ? "descending" : "ascending") : "";
}

/** @param {string} sort @param {string} columnId @returns {number} its position among several sort columns; 0 if there is only one */
export function sortNumber(sort, columnId) {
  const keys = sortKeys(sort);
  return keys.length > 1 ? keys.findIndex(({ id }) => id === columnId) + 1 : 0;
}

/**
 * @param {string} sort
 * @param {string} columnId @returns {string} with the column as further sort key: ascending, then descending, then removed
 */
export function withSortKey(sort, columnId) {
  const keys = sortKeys(sort);
  const key = keys.find(({ id }) => id === columnId);
  if (key?.down) return sortText(keys.filter((one) => one !== key));
  if (key) return sortText(keys.map((one) => (one === key ? { ...one, down: true } : one)));
  return keys.length < MAX_SORT_KEYS ? sortText([...keys, { id: columnId, down: false }]) : sort;
}

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

/** @param {Column[]} columns @param {string} ref  an id or name @returns {Column | undefined} */
export function findColumn(columns, ref) {
  return columns.find((column) => column.id === ref) ?? columns.find((column) => column.name === ref);
}

/** @param {any} condition @param {Column} column */
function isAbout(condition, column) {
  return (condition?.column === column.id || condition?.column === column.name) && condition.op === columnType(column).clickOperator && "value" in condition;
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

/** @param {Column} column @returns {"tab" | "menu" | "truth" | ""} kind of the column's filter */
export function filterKind(column) {
  const { clicks } = columnType(column);
  if (clicks !== "options") return clicks;
  if (!column.options?.length) return "";
  return column.filterDisplay === "tab" ? "tab" : "menu";
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
