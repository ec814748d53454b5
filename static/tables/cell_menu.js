// The menu of cells and rows: what keys and buttons do elsewhere, for the selected cells, the row under them or the checked rows.

import { toast } from "../element.js";
import { t, tn } from "../locale.js";
import { chosenRect, clipboardText, copyCells, copyLater, cutCells, emptyCells, fillDown, fillFromAbove, heldCells } from "./cell_commands.js";
import { openMenu } from "./popup_menu.js";
import { holds, rowsIn } from "./range_figures.js";
import { deleteRows, duplicateRows, insertRow } from "./row_commands.js";
import { indexesOf, moveToEnd } from "./row_moves.js";
import { droppedPlace } from "./row_order.js";

/**
 * @typedef {{rect: Rect, held: () => Rect | null, checked: boolean}} Chosen
 *   the selected cells, as they are when the menu opens; where they are once something is chosen; whether the checked rows are
 *   meant in their place
 */

/** @typedef {{id: string, col: number, x: number, y: number}} ClickedSpot  a row, a column (-1 is the number of the row), the pointer, px */

/** @param {TableGrid} grid @param {ClickedSpot | null} spot  null: by keys, at the cursor */
export function openCellMenu(grid, spot) {
  const tr = spot ? grid.rowElement(spot.id) : grid.cursor.here?.tr;
  if (tr && grid.drafts.editable(tr)) return openDraftMenu(grid, tr, spot);
  const chosen = chosenAt(grid, spot);
  const cell = grid.cursor.cell;
  if (!chosen || !cell) return;
  const groups = [copying(grid, chosen), grid.mayEdit ? changing(grid, chosen) : [], opening(grid, chosen), grid.mayEdit ? moving(grid, chosen) : [], grid.mayEdit ? deleting(grid, chosen) : []];
  const acts = groups.filter((group) => group.length).flatMap((group, place) => (place ? [null, ...group] : group));
  const box = spot?.x || spot?.y ? { left: spot.x, right: spot.x, bottom: spot.y } : cell.getBoundingClientRect();
  const label = chosen.checked ? t("Selected rows") : t("Selected cells");
  openMenu(grid, acts, { label, box, ahead: true, back: () => grid.table.focus({ preventScroll: true }) });
}

/** @param {TableGrid} grid @param {HTMLTableRowElement} tr  a new row that is not saved, or a blank one @param {ClickedSpot | null} spot */
function openDraftMenu(grid, tr, spot) {
  const { cursor, drafts } = grid;
  if (spot) {
    grid.ranges.clear();
    cursor.put(tr, Math.max(0, spot.col), { scroll: false });
  }
  const acts = [
    { label: t("Paste"), icon: "clipboard", keys: [t("Ctrl"), "V"], run: () => pasteAtCursor(grid) },
    { label: t("Fill down"), icon: "chevrons-down", keys: [t("Ctrl"), "D"], off: cursor.col < 0, run: () => fillFromAbove(grid) },
    ...(drafts.has(tr) ? [null, { label: t("Discard this new row"), icon: "x", run: () => drafts.discard(tr) }] : []),
  ];
  const box = spot?.x || spot?.y ? { left: spot.x, right: spot.x, bottom: spot.y } : cursor.cell.getBoundingClientRect();
  openMenu(grid, acts, { label: t("New row"), box, ahead: true, back: () => grid.table.focus({ preventScroll: true }) });
}

/** @param {TableGrid} grid */
async function pasteAtCursor(grid) {
  const text = await readClipboard();
  if (text) grid.clipboard.pasteText(text);
}

/** @param {TableGrid} grid @param {ClickedSpot | null} spot @returns {Chosen | null} a click beside the selected cells selects what is under it */
function chosenAt(grid, spot) {
  const { cursor, ranges, selection } = grid;
  if (spot) {
    const index = grid.store.indexOf(spot.id);
    const tr = grid.window.rowAt(index);
    if (!tr) return null;
    // The number of a checked row stands for all that are checked.
    const isChecked = spot.col < 0 && selection.ids.has(spot.id);
    if (isChecked || !ranges.rect || !holds(ranges.rect, { index, col: Math.max(0, spot.col) })) {
      ranges.clear();
      cursor.put(tr, Math.max(0, spot.col), { scroll: false });
      if (spot.col < 0 && !isChecked) ranges.select(rowRect(grid, index));
    }
  } else if (cursor.col < 0 && !selection.ids.has(cursor.rowKey)) {
    ranges.select(rowRect(grid, cursor.index));
  }
  const alone = cursor.index < 0 ? null : { top: cursor.index, bottom: cursor.index, left: Math.max(0, cursor.col), right: Math.max(0, cursor.col) };
  const rect = chosenRect(grid) ?? alone;
  return rect && { rect, held: heldCells(grid, rect), checked: !ranges.rect && selection.ids.has(cursor.rowKey) };
}

/** @param {TableGrid} grid @param {number} index */
function rowRect(grid, index) {
  return { top: index, bottom: index, left: 0, right: grid.columns.length - 1 };
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuAct[]} */
function copying(grid, { held, checked }) {
  const { clipboard, columns, mayEdit, selection } = grid;
  const copy = (/** @type {{headers?: boolean}} */ how) => () => (checked ? copyLater(clipboard, Promise.resolve(selection.rows()), columns, how) : within(held, (rect) => copyCells(clipboard, rect, how)));
  const cut = { label: t("Cut"), icon: "scissors", keys: [t("Ctrl"), "X"], run: () => cutCells(clipboard, held) };
  const paste = { label: t("Paste"), icon: "clipboard", keys: [t("Ctrl"), "V"], run: () => pasteHere(grid, held) };
  return [
    ...(mayEdit && !checked ? [cut] : []),
    { label: t("Copy"), icon: "copy", keys: [t("Ctrl"), "C"], run: copy({}) },
    { label: t("Copy with headers"), icon: "table-2", run: copy({ headers: true }) },
    ...(mayEdit && !checked ? [paste] : []),
  ];
}

/** @template T @param {() => Rect | null} held @param {(rect: Rect) => T} run  with the cells where they are now @returns {T | null} */
function within(held, run) {
  const rect = held();
  return rect && run(rect);
}

/** @param {TableGrid} grid @param {() => Rect | null} held */
async function pasteHere(grid, held) {
  const text = await readClipboard();
  if (text !== null) within(held, (rect) => grid.clipboard.pasteInto(text, rect));
}

/** @returns {Promise<string | null>} null, with a message, where the browser does not say what the clipboard holds */
async function readClipboard() {
  const text = await clipboardText();
  if (text === null) toast(t("Your browser does not let pages read the clipboard. Press Ctrl+V to paste."));
  return text;
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuAct[]} */
function changing(grid, { rect, held, checked }) {
  if (checked) return [];
  return [
    { label: t("Clear"), icon: "x", keys: [t("Del")], run: () => within(held, (now) => emptyCells(grid.clipboard, now)) },
    { label: t("Fill down"), icon: "chevrons-down", keys: [t("Ctrl"), "D"], off: rect.bottom === 0, run: () => within(held, (now) => fillDown(grid.clipboard, now)) },
  ];
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuAct[]} */
function opening(grid, chosen) {
  const { details, mayEdit, store, view } = grid;
  const count = countOf(grid, chosen);
  const [above, below] = [store.at(chosen.rect.top)?.id, store.at(chosen.rect.bottom)?.id];
  const id = String((chosen.checked ? [...grid.selection.ids][0] : above) ?? "");
  // Sorted rows have their places by what is in them.
  const off = (/** @type {any} */ row) => Boolean(view.sort) || row === undefined;
  const place = chosen.checked || off(below) ? undefined : { after_row_id: Number(below) };
  const duplicate = { label: count > 1 ? tn("Duplicate {count} row", "Duplicate {count} rows", count) : t("Duplicate row"), icon: "list-plus", run: () => duplicateRows(grid, count, () => rowsOf(grid, chosen, "duplicated"), place) };
  const inserting = [
    { label: t("Insert row above"), icon: "arrow-up", off: off(above), run: () => within(chosen.held, () => insertRow(grid, { before_row_id: Number(above) })) },
    { label: t("Insert row below"), icon: "arrow-down", off: off(below), run: () => within(chosen.held, () => insertRow(grid, { after_row_id: Number(below) })) },
  ];
  return [
    ...(mayEdit && !chosen.checked ? inserting : []),
    { label: t("Row details"), icon: "table-properties", keys: [t("Shift"), t("Enter")], off: count > 1 || !id, run: () => details.open(id) },
    ...(mayEdit ? [duplicate] : []),
  ];
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuAct[]} */
function moving(grid, chosen) {
  const { rect } = chosen;
  const { length } = grid.store;
  const moved = chosen.checked ? indexesOf(grid, grid.selection.numbers) : Array.from({ length: rowsIn(rect) }, (_, step) => rect.top + step);
  const run = (/** @type {"top" | "bottom"} */ end) => async () => {
    const rows = await rowsOf(grid, chosen, "moved");
    if (rows?.length) await moveToEnd(grid, rows.map((row) => Number(row.id)), end);
  };
  const off = (/** @type {number} */ boundary) => Boolean(grid.view.sort) || !droppedPlace(moved, boundary, length);
  return [
    { label: t("Move to top"), icon: "chevron-up", off: off(0), run: run("top") },
    { label: t("Move to bottom"), icon: "chevron-down", off: off(length), run: run("bottom") },
  ];
}

/** @param {TableGrid} grid @param {Chosen} chosen @returns {MenuAct[]} */
function deleting(grid, chosen) {
  const count = countOf(grid, chosen);
  // Beside checked rows, it says that those are not meant.
  const isOfCells = !chosen.checked && grid.selection.ids.size > 0;
  const several = isOfCells ? t("Delete {count} rows of the selected cells", { count }) : tn("Delete {count} row", "Delete {count} rows", count);
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
function rowsOf(grid, { held, checked }, done) {
  return checked ? grid.selection.rows() : within(held, (rect) => grid.clipboard.rowsOf(rect, done));
}
