// The view of a table: search, sort and filter. Converts it to URLs of the page and the API. No DOM.

import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";

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

/** @param {Column[]} columns @param {string} ref  an id or name @returns {Column | undefined} */
export function findColumn(columns, ref) {
  return columns.find((column) => column.id === ref) ?? columns.find((column) => column.name === ref);
}

/** @param {Column} column @returns {"tab" | "menu" | "truth" | ""} kind of the column's filter */
export function filterKind(column) {
  const { clicks } = columnType(column);
  if (clicks === "people") return column.people ? "menu" : "";
  if (clicks !== "options") return clicks;
  if (!column.options?.length) return "";
  return column.filterDisplay === "tab" ? "tab" : "menu";
}
