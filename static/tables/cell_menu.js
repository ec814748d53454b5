// The context menu of cells and rows: commands for the selected cells, the row under them, or the checked rows.

import { toast } from "../element.js";
import { t, tn } from "../locale.js";
import { selectedRect, clipboardText, copyCells, copyRead, cutCells, emptyCells, fillDown, fillFromAbove, trackCells } from "./cell_commands.js";
import { openMenu } from "./popup_menu.js";
import { contains, rowsIn } from "./grid_geometry.js";
import { deleteRows, duplicateRows, insertRow } from "./row_commands.js";
import { indexesOf, moveToEnd } from "./row_moves.js";
import { dropPosition } from "./row_order.js";

/**
 * @typedef {{rect: Rect, locate: () => Rect | null, checked: boolean}} Chosen
 *   rect: cells when the menu opens; locate: returns their position when a command is chosen; checked: the commands are for the checked rows
 */

/**
 * @typedef {{id: string, col: number, x: number, y: number}} ClickedCell  row id, column index (-1 is the row number), pointer
 *   position in px
 */

/** @param {TableGrid} grid @param {ClickedCell | null} clickedCell  null: opened by keyboard, at the cursor */
export function openCellMenu(grid, clickedCell) {
  const tr = clickedCell ? grid.rowElement(clickedCell.id) : grid.cursor.current?.tr;
  if (tr && grid.drafts.editable(tr)) return openDraftMenu(grid, tr, clickedCell);
  const chosen = selectAt(grid, clickedCell);
  const cell = grid.cursor.cell;
  if (!chosen || !cell) return;
  const groups = [copyActions(grid, chosen), grid.mayEdit ? editActions(grid, chosen) : [], rowActions(grid, chosen), grid.mayEdit ? moveActions(grid, chosen) : [], grid.mayEdit ? deleteActions(grid, chosen) : []];
  const items = groups.filter((group) => group.length).flatMap((group, index) => (index ? [null, ...group] : group));
  const box = clickedCell?.x || clickedCell?.y ? { left: clickedCell.x, right: clickedCell.x, bottom: clickedCell.y } : cell.getBoundingClientRect();
  const label = chosen.checked ? t("Selected rows") : t("Selected cells");
  openMenu(grid, items, { label, box, ahead: true, restoreFocus: () => grid.table.focus({ preventScroll: true }) });
}

/** @param {TableGrid} grid @param {HTMLTableRowElement} tr  an unsaved new row, or a blank one @param {ClickedCell | null} clickedCell */
function openDraftMenu(grid, tr, clickedCell) {
  const { cursor, drafts } = grid;
  if (clickedCell) {
    grid.ranges.clear();
    cursor.put(tr, Math.max(0, clickedCell.col), { scroll: false });
  }
  const items = [
    { label: t("Paste"), icon: "clipboard", keys: [t("Ctrl"), "V"], run: () => pasteAtCursor(grid) },
    { label: t("Fill down"), icon: "chevrons-down", keys: [t("Ctrl"), "D"], off: cursor.col < 0, run: () => fillFromAbove(grid) },
    ...(drafts.has(tr) ? [null, { label: t("Discard this new row"), icon: "x", run: () => drafts.discard(tr) }] : []),
  ];
  const box = clickedCell?.x || clickedCell?.y ? { left: clickedCell.x, right: clickedCell.x, bottom: clickedCell.y } : cursor.cell.getBoundingClientRect();
  openMenu(grid, items, { label: t("New row"), box, ahead: true, restoreFocus: () => grid.table.focus({ preventScroll: true }) });
}

/** @param {TableGrid} grid */
async function pasteAtCursor(grid) {
  const text = await readClipboard();
  if (text) grid.clipboard.pasteText(text);
}

/**
 * @param {TableGrid} grid
 * @param {ClickedCell | null} clickedCell @returns {Chosen | null} a click outside the selected cells selects the clicked one
 */
function selectAt(grid, clickedCell) {
  const { cursor, ranges, selection } = grid;
  if (clickedCell) {
    const index = grid.store.indexOf(clickedCell.id);
    const tr = grid.window.rowAt(index);
    if (!tr) return null;
    // The number of a checked row represents all checked rows.
    const isChecked = clickedCell.col < 0 && selection.ids.has(clickedCell.id);
    if (isChecked || !ranges.rect || !contains(ranges.rect, { index, col: Math.max(0, clickedCell.col) })) {
      ranges.clear();
      cursor.put(tr, Math.max(0, clickedCell.col), { scroll: false });
      if (clickedCell.col < 0 && !isChecked) ranges.select(rowRect(grid, index));
    }
  } else if (cursor.col < 0 && !selection.ids.has(cursor.rowKey)) {
    ranges.select(rowRect(grid, cursor.index));
  }
  const cursorRect = cursor.index < 0 ? null : { top: cursor.index, bottom: cursor.index, left: Math.max(0, cursor.col), right: Math.max(0, cursor.col) };
  const rect = selectedRect(grid) ?? cursorRect;
  return rect && { rect, locate: trackCells(grid, rect), checked: !ranges.rect && selection.ids.has(cursor.rowKey) };
}

/** @param {TableGrid} grid @param {number} index */
function rowRect(grid, index) {
  return { top: index, bottom: index, left: 0, right: grid.columns.length - 1 };
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuItem[]} */
function copyActions(grid, { locate, checked }) {
  const { clipboard, columns, mayEdit, selection } = grid;
  const copy = (/** @type {{headers?: boolean}} */ how) => () => (checked ? copyRead(clipboard, Promise.resolve(selection.rows()), columns, how) : runLocated(locate, (rect) => copyCells(clipboard, rect, how)));
  const cut = { label: t("Cut"), icon: "scissors", keys: [t("Ctrl"), "X"], run: () => cutCells(clipboard, locate) };
  const paste = { label: t("Paste"), icon: "clipboard", keys: [t("Ctrl"), "V"], run: () => pasteHere(grid, locate) };
  return [
    ...(mayEdit && !checked ? [cut] : []),
    { label: t("Copy"), icon: "copy", keys: [t("Ctrl"), "C"], run: copy({}) },
    { label: t("Copy with headers"), icon: "table-2", run: copy({ headers: true }) },
    ...(mayEdit && !checked ? [paste] : []),
  ];
}

/** @template T @param {() => Rect | null} locate @param {(rect: Rect) => T} run  with the current position @returns {T | null} */
function runLocated(locate, run) {
  const rect = locate();
  return rect && run(rect);
}

/** @param {TableGrid} grid @param {() => Rect | null} locate */
async function pasteHere(grid, locate) {
  const text = await readClipboard();
  if (text !== null) runLocated(locate, (rect) => grid.clipboard.pasteInto(text, rect));
}

/** @returns {Promise<string | null>} null, after a message, if the browser denies access to the clipboard */
async function readClipboard() {
  const text = await clipboardText();
  if (text === null) toast(t("Your browser blocks clipboard access. Press Ctrl+V to paste."));
  return text;
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuItem[]} */
function editActions(grid, { rect, locate, checked }) {
  if (checked) return [];
  return [
    { label: t("Clear"), icon: "x", keys: [t("Del")], run: () => runLocated(locate, (now) => emptyCells(grid.clipboard, now)) },
    { label: t("Fill down"), icon: "chevrons-down", keys: [t("Ctrl"), "D"], off: rect.bottom === 0, run: () => runLocated(locate, (now) => fillDown(grid.clipboard, now)) },
  ];
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuItem[]} */
function rowActions(grid, chosen) {
  const { details, mayEdit, store, view } = grid;
  const count = countOf(grid, chosen);
  const [above, below] = [store.at(chosen.rect.top)?.id, store.at(chosen.rect.bottom)?.id];
  const id = String((chosen.checked ? [...grid.selection.ids][0] : above) ?? "");
  // The position of rows in a sorted view depends on their values.
  const isDisabled = (/** @type {any} */ row) => Boolean(view.sort) || row === undefined;
  const index = chosen.checked || isDisabled(below) ? undefined : { after_row_id: Number(below) };
  const duplicate = { label: count > 1 ? tn("Duplicate {count} row", "Duplicate {count} rows", count) : t("Duplicate row"), icon: "list-plus", run: () => duplicateRows(grid, count, () => rowsOf(grid, chosen, "duplicated"), index) };
  const inserting = [
    { label: t("Insert row above"), icon: "arrow-up", off: isDisabled(above), run: () => runLocated(chosen.locate, () => insertRow(grid, { before_row_id: Number(above) })) },
    { label: t("Insert row below"), icon: "arrow-down", off: isDisabled(below), run: () => runLocated(chosen.locate, () => insertRow(grid, { after_row_id: Number(below) })) },
  ];
  return [
    ...(mayEdit && !chosen.checked ? inserting : []),
    { label: t("Row details"), icon: "table-properties", keys: [t("Shift"), t("Enter")], off: count > 1 || !id, run: () => details.open(id) },
    ...(mayEdit ? [duplicate] : []),
  ];
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuItem[]} */
function moveActions(grid, chosen) {
  const { rect } = chosen;
  const { length } = grid.store;
  const moved = chosen.checked ? indexesOf(grid, grid.selection.numbers) : Array.from({ length: rowsIn(rect) }, (_, step) => rect.top + step);
  const run = (/** @type {"top" | "bottom"} */ end) => async () => {
    const rows = await rowsOf(grid, chosen, "moved");
    if (rows?.length) await moveToEnd(grid, rows.map((row) => Number(row.id)), end);
  };
  const isDisabled = (/** @type {number} */ boundary) => Boolean(grid.view.sort) || !dropPosition(moved, boundary, length);
  return [
    { label: t("Move to top"), icon: "chevron-up", off: isDisabled(0), run: run("top") },
    { label: t("Move to bottom"), icon: "chevron-down", off: isDisabled(length), run: run("bottom") },
  ];
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuItem[]} */
function deleteActions(grid, chosen) {
  const count = countOf(grid, chosen);
  // If rows are checked too, the label states that the command is for the selected cells.
  const mentionsCells = !chosen.checked && grid.selection.ids.size > 0;
  const several = mentionsCells ? t("Delete {count} rows of the selected cells", { count }) : tn("Delete {count} row", "Delete {count} rows", count);
  const label = count > 1 ? several : t("Delete row");
  const run = async () => {
    if (chosen.checked) return grid.selection.deleteSelected();
    const rows = await rowsOf(grid, chosen, "deleted");
    if (!rows?.length) return;
    grid.ranges.clear();
    await deleteRows(grid, rows.map((row) => Number(row.id)));
  };
  return [{ label, icon: "trash-2", run }];
}

/** @param {TableGrid} grid @param {Chosen} chosen */
function countOf(grid, { rect, checked }) {
  return checked ? grid.selection.ids.size : rowsIn(rect);
}

/** @param {TableGrid} grid @param {Chosen} chosen @param {"deleted" | "duplicated" | "moved"} done @returns {any[] | Promise<any[] | null> | null} */
function rowsOf(grid, { locate, checked }, done) {
  return checked ? grid.selection.rows() : runLocated(locate, (rect) => grid.clipboard.rowsOf(rect, done));
}
