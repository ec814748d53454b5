// The items of a column's menu, in their order.

import { isMirrored, lazy, load, toast } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { deleteColumn, duplicateColumn, moveColumn } from "./column_moves.js";
import { editOptions } from "./grid_editor.js";
import { placedBeside } from "./column_drag.js";
import { sortDirection, sortKeys, sortText } from "./view_state.js";

/** @param {TableGrid} grid @param {Column} column @returns {(MenuItem | null)[]} null is a separator */
export function columnItems(grid, column) {
  const groups = [sortItems(grid, column), viewItems(grid, column), grid.mayEdit && !grid.review ? editItems(grid, column) : [], assistantItems(grid, column)];
  return groups.filter((group) => group.length).flatMap((group, index) => (index ? [null, ...group] : group));
}

/** @param {TableGrid} grid @param {Column} column @returns {MenuItem[]} */
function sortItems(grid, column) {
  const direction = sortDirection(grid.view.sort, column.id);
  const keys = sortKeys(grid.view.sort);
  const sort = (/** @type {SortKey[]} */ by) => () => grid.goTo({ ...grid.view, sort: sortText(by) });
  // Other sort keys are preserved.
  const by = (/** @type {boolean} */ down) => sort(direction ? keys.map((key) => (key.id === column.id ? { ...key, down } : key)) : [{ id: column.id, down }]);
  const [ascending, descending] = columnType(column).sortLabels;
  const items = [
    { label: t("Sort {order}", { order: ascending }), icon: "arrow-up", chosen: direction === "ascending", run: by(false) },
    { label: t("Sort {order}", { order: descending }), icon: "arrow-down", chosen: direction === "descending", run: by(true) },
  ];
  return direction ? [...items, { label: t("Remove sorting"), icon: "x", run: sort(keys.filter((key) => key.id !== column.id)) }] : items;
}

/** @param {TableGrid} grid @param {Column} column @returns {MenuItem[]} items that only affect this user's view */
function viewItems(grid, column) {
  const { viewSettings } = grid;
  const edge = () => grid.table.tHead.querySelector(`th[data-col="${CSS.escape(column.id)}"] .col__edge`);
  const automatic = { label: t("Automatic width"), icon: "rotate-ccw", run: () => viewSettings.resetWidth(column.id) };
  const hide = () => {
    viewSettings.hide([...viewSettings.hidden, column.id]);
    toast(t("{column} is hidden for you", { column: column.name }), { action: { label: t("Show"), run: () => viewSettings.hide([...viewSettings.hidden].filter((id) => id !== column.id)) } });
  };
  return [
    { label: t("Change width"), icon: "move-horizontal", run: () => edge()?.focus() },
    ...(viewSettings.widths[column.id] ? [automatic] : []),
    ...(grid.review || !grid.store.length ? [] : [{ label: t("Select column"), icon: "square-check", keys: [t("Ctrl"), t("Space")], run: () => selectColumn(grid, column.id) }]),
    ...(grid.review ? [] : [{ label: t("Filter by this column"), icon: "funnel", run: () => openFilterBuilder(grid, column) }]),
    ...(grid.review ? [] : [{ label: t("Hide column"), icon: "eye", run: hide, off: grid.columns.length === 1 }]),
  ];
}

/** @param {TableGrid} grid @param {Column} column  of the new condition */
function openFilterBuilder({ filters }, column) {
  filters.presetColumn = column;
  /** @type {HTMLElement} */ (filters.bar.querySelector("[data-build]")).click();
}

/** @param {TableGrid} grid @param {string} id  of the column, to which the cursor moves too */
export function selectColumn(grid, id) {
  const col = grid.columns.findIndex((column) => column.id === id);
  const tr = grid.cursor.current?.tr ?? grid.rowRange.firstInSight;
  if (col < 0 || !tr) return;
  grid.cursor.put(tr, col, { scroll: false });
  grid.reading.whenCounted(() => grid.ranges.select({ top: 0, bottom: grid.store.length - 1, left: col, right: col }, { wholeColumns: true }));
  grid.table.focus({ preventScroll: true });
}

/** @param {TableGrid} grid @param {Column} column @returns {MenuItem[]} items that change the table */
function editItems(grid, column) {
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

/** @param {TableGrid} grid @param {Column} column @returns {MenuItem[]} */
function assistantItems(grid, column) {
  const reveal = (/** @type {string} */ text) => () => document.dispatchEvent(new CustomEvent("chat-reveal", { detail: { text } }));
  const ask = { label: t("Ask the assistant about this column"), icon: "message-square-text", run: reveal(t("About the column “{column}”:", { column: column.name }) + " ") };
  const start = async () => {
    const { startFill } = await lazy(t("The dialog could not be loaded."), () => load(() => import("./fills/table_fills.js")));
    await startFill(grid, column.id);
  };
  const fill = { label: t("Fill with the assistant…"), icon: "list-plus", run: () => void start() };
  const { isComputed, hasFiles } = columnType(column);
  const canFill = grid.mayEdit && grid.dataset.fills !== undefined && !grid.review && !isComputed && !hasFiles;
  const trigger = JSON.parse(grid.dataset.standingFills || "{}")[column.id];
  const again = { label: { manual: t("Fill again…"), new_rows: t("Filled again for new rows…"), changes: t("Filled again after changes…") }[trigger] ?? t("Fill again when…"), icon: "refresh-cw", href: `/tables/${grid.tableId}/standing-fills/?${new URLSearchParams({ column: column.id, filter: grid.view.filter })}` };
  return [...(document.querySelector("chat-tray") ? [ask] : []), ...(canFill ? [fill, again] : [])];
}

/**
 * @param {string[]} all @param {string[]} shown @param {string} id @param {-1 | 1} step  over the next visible column
 * @returns {string | null | undefined} as `placedBeside`
 */
export function placedByStep(all, shown, id, step) {
  const position = shown.indexOf(id);
  const neighbour = position < 0 ? undefined : shown[position + step];
  return neighbour === undefined ? undefined : placedBeside(all, id, neighbour, step < 0 ? "before" : "after");
}
