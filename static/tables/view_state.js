// What of the rows is asked for: search, sort, filter. Turns it into addresses, of the page and of the API.

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
