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

/** @param {string} query @returns {ViewState} what an address of the page asks for */
export function readPageQuery(query) {
  const given = new URLSearchParams(query);
  return { search: given.get("search") ?? "", sort: given.get("sort") ?? "", filter: given.get("filter") ?? "" };
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

/** @param {string} sort @param {string} columnId @returns {"" | "ascending" | "descending"} */
export function sortDirection(sort, columnId) {
  if (sort === columnId) return "ascending";
  return sort === `-${columnId}` ? "descending" : "";
}
