// What can be done with one column, in the order in which its menu offers it.

import { isMirrored, toast } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { deleteColumn, duplicateColumn, moveColumn } from "./column_moves.js";
import { editOptions } from "./grid_editor.js";
import { placedByStep } from "./grid_head.js";
import { sortDirection, sortKeys, sortText } from "./view_state.js";

/** @param {TableGrid} grid @param {Column} column @returns {(MenuAct | null)[]} null is a line between */
export function columnActs(grid, column) {
  const groups = [sorting(grid, column), looking(grid, column), grid.mayEdit && !grid.review ? changing(grid, column) : [], asking(grid, column)];
  return groups.filter((group) => group.length).flatMap((group, place) => (place ? [null, ...group] : group));
}

/** @param {TableGrid} grid @param {Column} column @returns {MenuAct[]} */
function sorting(grid, column) {
  const direction = sortDirection(grid.view.sort, column.id);
  const keys = sortKeys(grid.view.sort);
  const sort = (/** @type {SortKey[]} */ by) => () => grid.goTo({ ...grid.view, sort: sortText(by) });
  // Where it is one of several that rows are sorted by, the others stay.
  const by = (/** @type {boolean} */ down) => sort(direction ? keys.map((key) => (key.id === column.id ? { ...key, down } : key)) : [{ id: column.id, down }]);
  const acts = [
    { label: t("Sort ascending"), icon: "arrow-up", chosen: direction === "ascending", run: by(false) },
    { label: t("Sort descending"), icon: "arrow-down", chosen: direction === "descending", run: by(true) },
  ];
  return direction ? [...acts, { label: t("Remove sorting"), icon: "x", run: sort(keys.filter((key) => key.id !== column.id)) }] : acts;
}

/** @param {TableGrid} grid @param {Column} column @returns {MenuAct[]} theirs alone */
function looking(grid, column) {
  const { look } = grid;
  const edge = () => grid.table.tHead.querySelector(`th[data-col="${CSS.escape(column.id)}"] .col__edge`);
  const automatic = { label: t("Automatic width"), icon: "rotate-ccw", run: () => look.forgetWidth(column.id) };
  const hide = () => {
    look.hide([...look.hidden, column.id]);
    toast(t("{column} is hidden for you", { column: column.name }), { action: { label: t("Show"), run: () => look.hide([...look.hidden].filter((id) => id !== column.id)) } });
  };
  return [
    { label: t("Change width"), icon: "move-horizontal", run: () => edge()?.focus() },
    ...(look.widths[column.id] ? [automatic] : []),
    ...(grid.review || !grid.store.length ? [] : [{ label: t("Select column"), icon: "square-check", keys: [t("Ctrl"), t("Space")], run: () => selectColumn(grid, column.id) }]),
    ...(grid.review ? [] : [{ label: t("Filter by this column"), icon: "funnel", run: () => grid.filters.begin(column) }]),
    ...(grid.review ? [] : [{ label: t("Hide column"), icon: "eye", run: hide, off: grid.columns.length === 1 }]),
  ];
}

/** @param {TableGrid} grid @param {string} id  of the column; the cursor goes there, too */
export function selectColumn(grid, id) {
  const col = grid.columns.findIndex((column) => column.id === id);
  const tr = grid.cursor.here?.tr ?? grid.places.firstInSight;
  if (col < 0 || !tr) return;
  grid.cursor.put(tr, col, { scroll: false });
  grid.ranges.select({ top: 0, bottom: grid.store.length - 1, left: col, right: col }, { whole: true });
  grid.table.focus({ preventScroll: true });
}

/** @param {TableGrid} grid @param {Column} column @returns {MenuAct[]} for everybody */
function changing(grid, column) {
  const ids = grid.columns.map((one) => one.id);
  const all = grid.allColumns.map((one) => one.id);
  const move = (/** @type {string} */ label, /** @type {-1 | 1} */ step) => {
    const after = placedByStep(all, ids, column.id, step);
    return { label, icon: step < 0 ? "arrow-left" : "arrow-right", off: after === undefined, run: () => moveColumn(grid, column, after ?? null) };
  };
  const edit = `/tables/${grid.tableId}/edit/`;
  return [
    ...(isMirrored() ? [move(t("Move right"), -1), move(t("Move left"), 1)] : [move(t("Move left"), -1), move(t("Move right"), 1)]),
    ...(columnType(column).hasOptions ? [{ label: t("Edit options"), icon: "circle-chevron-down", run: () => void editOptions(grid, column.id) }] : []),
    { label: t("Edit column"), icon: "pencil", href: `${edit}#${column.id}` },
    { label: t("Add a column"), icon: "plus", href: `${edit}#new` },
    { label: t("Duplicate column"), icon: "copy", run: () => duplicateColumn(grid, column) },
    { label: t("Delete column"), icon: "trash-2", off: grid.allColumns.length === 1, run: () => deleteColumn(grid, column) },
  ];
}

/** @param {TableGrid} grid @param {Column} column @returns {MenuAct[]} */
function asking(grid, column) {
  const tray = document.querySelector("chat-tray");
  if (!tray) return [];
  const words = (/** @type {string} */ text) => () => document.dispatchEvent(new CustomEvent("chat-reveal", { detail: { text } }));
  const names = { column: column.name, table: grid.dataset.name ?? "" };
  const filling = t("Fill in the column “{column}” of the table “{table}” in the rows where it is empty. Work out each value from the other cells of its row, and leave it empty where they do not tell.", names);
  const fill = { label: t("Fill with the assistant"), icon: "list-plus", run: words(filling) };
  const ask = { label: t("Ask the assistant about this column"), icon: "message-square-text", run: words(t("About the column “{column}”:", { column: column.name }) + " ") };
  // Which value follows from the other cells is beyond the demo model.
  const fills = !tray.hasAttribute("data-demo");
  return grid.mayEdit && fills ? [ask, fill] : [ask];
}
