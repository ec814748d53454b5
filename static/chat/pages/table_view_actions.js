// Client actions of a table page: sort, filter, search, columns, export, print, sharing, history, undo. Each validates its data
// against the table and returns a receipt with the state that undoes it.

import { api } from "../../api.js";
import { load } from "../../element.js";
import { t } from "../../locale.js";
import { columnType } from "../../tables/column_types/registry.js";
import { alternativesOf, parseFilter, serializeFilter, conditionText } from "../../tables/filter_conditions.js";
import { findColumn, rowsUrl, sortText } from "../../tables/view_state.js";
import { closeTraySheet } from "../proposal_stages.js";

/**
 * @typedef {{text: string, state?: any, label?: string, opens?: boolean}} Receipt  state: the argument of the action's `undo`,
 *   undefined if there is nothing to undo; label: of its button; opens: a dialog or page, which no toast covers
 */

/** @param {Column[]} columns @param {unknown} name  an id or name; letter case is ignored if only one name matches @returns {Column} */
export function columnFor(columns, name) {
  const text = String(name ?? "");
  const matches = columns.filter((column) => column.name.toLowerCase() === text.toLowerCase());
  const found = findColumn(columns, text) ?? (matches.length === 1 ? matches[0] : undefined);
  if (!found) throw new Error(t("There is no column “{name}” in this table.", { name: text }));
  return found;
}

/** @param {Column[]} columns @param {any} by  [{column, descending}] @returns {{sort: string, keys: {column: Column, down: boolean}[]}} */
export function sortFrom(columns, by) {
  if (!Array.isArray(by)) throw new Error(t("The sort could not be read."));
  const keys = by.map((key) => ({ column: columnFor(columns, key?.column), down: key?.descending === true }));
  if (new Set(keys.map(({ column }) => column.id)).size < keys.length) throw new Error(t("A column can be sorted by only once."));
  return { sort: sortText(keys.map(({ column, down }) => ({ id: column.id, down }))), keys };
}

/** @param {Column[]} columns @param {any} filter  as in the API, null for none @returns {string} with column ids, "" for none */
export function filterFrom(columns, filter) {
  if (filter === null || filter === undefined) return "";
  if (typeof filter !== "object") throw new Error(t("The filter could not be read."));
  const byId = (/** @type {any} */ condition) => {
    if (typeof condition?.op !== "string") throw new Error(t("The filter could not be read."));
    return { ...condition, column: columnFor(columns, condition.column).id };
  };
  const empty = !Array.isArray(filter) && Object.keys(filter).length === 0;
  const clauses = empty ? [] : parseFilter(JSON.stringify(filter));
  return serializeFilter(clauses.map((clause) => (clause?.or?.length ? { or: clause.or.map(byId) } : byId(clause))));
}

/**
 * @param {Column[]} columns @param {Set<string>} hidden @param {{hide?: any, show?: any, only?: boolean}} wanted  lists of
 *   columns; show: undefined for all
 * @returns {string[]} the ids to hide
 */
export function hiddenFrom(columns, hidden, { hide, show, only = false }) {
  const ids = (/** @type {any} */ list) => {
    if (!Array.isArray(list) || !list.length) throw new Error(t("Name a column."));
    return new Set(list.map((name) => columnFor(columns, name).id));
  };
  const all = columns.map(({ id }) => id);
  const before = new Set(hidden);
  if (hide !== undefined) for (const id of ids(hide)) before.add(id);
  else if (show === undefined) before.clear();
  else {
    const shown = ids(show);
    if (only) for (const id of all) before.add(id);
    for (const id of shown) before.delete(id);
  }
  const after = all.filter((id) => before.has(id));
  if (after.length === all.length) throw new Error(t("At least one column has to stay visible."));
  return after;
}

/** @param {{column: Column, down: boolean}} key @returns {string} “Salary, highest first” */
function keyText({ column, down }) {
  return t("{column}, {order}", { column: column.name, order: columnType(column).sortLabels[Number(down)] });
}

/** @param {{column: Column, down: boolean}[]} keys @returns {string} “Sorted by Salary, highest first, then Company, A to Z” */
export function sortedText(keys) {
  if (!keys.length) return t("Sort cleared");
  const listed = keys.map(keyText).reduce((first, second) => t("{first}, then {second}", { first, second }));
  return t("Sorted by {keys}", { keys: listed });
}

/** @param {Column[]} columns @param {string} filter @param {any} operators @returns {string} */
export function filteredText(columns, filter, operators) {
  const clauses = parseFilter(filter);
  if (!clauses.length) return t("Filters cleared");
  const text = (/** @type {any} */ one) => conditionText(one, findColumn(columns, one.column), operators);
  const groups = clauses.map((clause) => alternativesOf(clause).map(text).reduce((first, second) => t("{first} or {second}", { first, second })));
  const conditions = groups.reduce((first, second) => t("{first} and {second}", { first, second }));
  return t("Filtered: {conditions}", { conditions });
}

/**
 * @param {TableGrid} grid
 * @param {Partial<ViewState>} change @param {string} text @returns {Promise<Receipt>} rejects if the server refuses it
 */
async function show(grid, change, text) {
  const before = grid.view;
  const view = { ...before, ...change };
  // Values and operators are validated by the server before they reach the URL.
  if (view.filter || view.sort || view.search) {
    await api.get(rowsUrl(grid.tableId, view, { offset: 0, limit: 1, count: "none" })).catch((error) => {
      throw new Error(error.errors?.[0]?.detail ?? error.message);
    });
  }
  const changed = Object.keys(change).filter((part) => before[part] !== view[part]);
  grid.filters.go({ ...grid.view, ...change });
  return changed.length ? { text, state: Object.fromEntries(changed.map((part) => [part, before[part]])) } : { text };
}

/** @param {TableGrid} grid @param {{hide?: any, show?: any, only?: boolean}} wanted @param {(columns: string) => string} words @returns {Receipt} */
function setHidden(grid, wanted, words) {
  const before = grid.allColumns.map(({ id }) => id).filter((id) => grid.viewSettings.hidden.has(id));
  const after = hiddenFrom(grid.allColumns, grid.viewSettings.hidden, wanted);
  const text = words((wanted.hide ?? wanted.show ?? []).map((name) => columnFor(grid.allColumns, name).name).join(", "));
  if (before.join() === after.join()) return { text };
  grid.viewSettings.hide(after);
  return { text, state: { hid: after.filter((id) => !before.includes(id)), showed: before.filter((id) => !after.includes(id)) } };
}

/**
 * Revert a change of hidden columns; later changes by the user are preserved.
 * @param {Iterable<string>} hidden  the ids that are hidden now @param {{hid: string[], showed: string[]}} done @returns {string[]}
 */
export function revertHidden(hidden, { hid, showed }) {
  const ids = new Set([...hidden, ...showed]);
  for (const id of hid) ids.delete(id);
  return [...ids];
}

/** @param {TableGrid} grid @param {"undo" | "redo"} verb @param {number} [wanted]  only this change @returns {Promise<number>} the change */
async function undoOrRedo({ writer }, verb, wanted) {
  await writer.queue;
  const { undoRedo } = writer;
  const next = () => (verb === "undo" ? undoRedo.stack.nextUndo : undoRedo.stack.nextRedo);
  const change = next();
  if (!change || (wanted && change !== wanted)) {
    throw new Error(verb === "undo" ? t("Nothing to undo here. See the history for all changes.") : t("Nothing to redo here. See the history for all changes."));
  }
  await undoRedo.undoOrRedo(verb, change);
  const changed = verb === "undo" ? undoRedo.stack.nextRedo : undoRedo.stack.nextUndo;
  if (changed !== change) throw new Error(verb === "undo" ? t("The change was not undone.") : t("The change was not redone."));
  return change;
}

/** @param {HTMLElement | null} target  the control of the action @param {string} text @returns {Receipt} */
function press(target, text) {
  if (!target) throw new Error(t("This is not available here."));
  target.click();
  return { text };
}

/** Press an item of the menu, whose effect a chat that covers the page would hide. @param {string} selector @param {string} text @returns {Receipt} */
function pressInMenu(selector, text) {
  const item = /** @type {HTMLElement | null} */ (document.querySelector(`#table-menu ${selector}`));
  if (item) closeTraySheet();
  return { ...press(item, text), opens: true };
}

/** @param {TableGrid} grid */
function requireNoReview(grid) {
  if (grid.review) throw new Error(t("A proposal is open. Apply or dismiss it first."));
}

/** @type {Record<string, (grid: TableGrid, data: any) => Receipt | Promise<Receipt>>} */
const ACTIONS = {
  sort_rows: (grid, { by }) => {
    const { sort, keys } = sortFrom(grid.allColumns, by);
    return show(grid, { sort }, sort || grid.view.sort ? sortedText(keys) : t("No sort is set"));
  },
  filter_rows: (grid, { filter }) => {
    requireNoReview(grid);
    const wanted = filterFrom(grid.allColumns, filter);
    const text = wanted || grid.view.filter ? filteredText(grid.allColumns, wanted, grid.filters.operators) : t("No filters are set");
    return show(grid, { filter: wanted }, text);
  },
  search_table: (grid, { text }) => {
    requireNoReview(grid);
    const search = String(text ?? "").trim();
    return show(grid, { search }, search ? t("Searched for “{text}”", { text: search }) : t("Search cleared"));
  },
  clear_view: (grid) => {
    requireNoReview(grid);
    return show(grid, { search: "", sort: "", filter: "" }, t("Sort, filters and search cleared"));
  },
  hide_columns: (grid, { columns }) => {
    requireNoReview(grid);
    return setHidden(grid, { hide: columns ?? [] }, (names) => t("Hidden: {columns}", { columns: names }));
  },
  show_columns: (grid, { columns, only }) => {
    requireNoReview(grid);
    const words = (/** @type {string} */ names) => (only ? t("Showing only: {columns}", { columns: names }) : t("Showing: {columns}", { columns: names }));
    return setHidden(grid, { show: columns, only }, columns ? words : () => t("All columns are shown"));
  },
  export_table: async (grid, { format, rows }) => {
    const menu = document.querySelector("[data-export]");
    const [{ updateExportLinks }] = await Promise.all([load(() => import("../../tables/export_links.js")), grid.reading.settled()]);
    updateExportLinks(grid, menu);
    const part = grid.isNarrowed && rows !== "all" ? "shown" : "all";
    const link = /** @type {HTMLElement | null} */ (document.querySelector(`[data-export-part="${part}"] a[data-format="${CSS.escape(String(format))}"]`));
    return press(link, part === "shown" ? t("Export started: rows as filtered") : t("Export started: all rows"));
  },
  print_table: () => pressInMenu("[data-print]", t("Print dialog opened")),
  open_sharing: (grid) => pressInMenu(`a[href$="/tables/${grid.tableId}/sharing/"]`, t("Sharing opened")),
  open_history: (grid) => pressInMenu(`a[href$="/tables/${grid.tableId}/history/"]`, t("History opened")),
  undo_change: async (grid) => ({ text: t("Your last change was undone"), state: { redo: await undoOrRedo(grid, "undo") }, label: t("Redo") }),
  redo_change: async (grid) => ({ text: t("Your change was redone"), state: { undo: await undoOrRedo(grid, "redo") }, label: t("Undo") }),
};

/** @param {TableGrid} grid @param {string} action @param {any} data @returns {Promise<Receipt>} rejects with a message for the user */
export async function run(grid, action, data) {
  return ACTIONS[action](grid, data);
}

/** @param {TableGrid} grid @param {any} state  of a receipt @returns {Promise<string>} a message */
export async function undo(grid, { hid, showed, undo, redo, ...view }) {
  if (undo) await undoOrRedo(grid, "undo", undo);
  else if (redo) await undoOrRedo(grid, "redo", redo);
  else if (hid) grid.viewSettings.hide(revertHidden(grid.viewSettings.hidden, { hid, showed }));
  else grid.filters.go({ ...grid.view, ...view });
  return redo ? t("Redone") : t("Undone");
}
