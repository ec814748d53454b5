// Filters that name options which are renamed. Loaded when a filtered table is read again.

import { pageQuery } from "./view_state.js";

/** @param {TableGrid} grid @param {Column[]} columns  as read @returns {boolean} whether its filter has new names, and its columns are these */
export function followRenamedOptions(grid, columns) {
  const filter = withRenamedOptions(grid.view.filter, grid.allColumns, columns);
  if (filter === grid.view.filter) return false;
  grid.setColumns(columns);
  grid.view = { ...grid.view, filter };
  history.replaceState(null, "", location.pathname + pageQuery(grid.view));
  return true;
}

/**
 * @param {string} filter  JSON; "" for none @param {Column[]} before @param {Column[]} now  the columns after a change
 * @returns {string} the filter with the new names. An option that was replaced at its position has a new name.
 */
export function withRenamedOptions(filter, before, now) {
  const renamed = new Map(before.flatMap((column) => {
    const names = renamedOptions(column.options, now.find(({ id }) => id === column.id)?.options);
    return names.size ? [[column.id, names], [column.name, names]] : [];
  }));
  return filter && renamed.size ? JSON.stringify(rename(JSON.parse(filter), renamed)) : filter;
}

/** @param {string[]} [before] @param {string[]} [now] @returns {Map<string, string>} new names by old name */
function renamedOptions(before = [], now = []) {
  const pairs = before.length === now.length ? before.map((option, at) => /** @type {const} */ ([option, now[at]])) : [];
  return new Map(pairs.filter(([was, is]) => !now.includes(was) && !before.includes(is)));
}

/** @param {any} condition  a group or a condition @param {Map<string, Map<string, string>>} renamed  by id and name of the column @returns {any} */
function rename(condition, renamed) {
  if (Array.isArray(condition)) return condition.map((each) => rename(each, renamed));
  if (typeof condition !== "object" || condition === null) return condition;
  const names = renamed.get(condition.column);
  if (!names) return Object.fromEntries(Object.entries(condition).map(([key, value]) => [key, rename(value, renamed)]));
  const named = (/** @type {any} */ value) => names.get(value) ?? value;
  return { ...condition, value: Array.isArray(condition.value) ? condition.value.map(named) : named(condition.value) };
}
