// Pasted rows that were not added because of missing or invalid required values: names them and adds them as unsaved rows.

import { t, tn } from "../locale.js";

const MAX_NUMBERS = 6;
const MAX_DRAFTS = 100;
const ROW_PATH = /^rows\[(\d+)\]/;

/** @typedef {{data: Record<string, any>, number: number}} LeftOutRow  number: pasted line number, from 1 */
/** @typedef {import("./refused_cells.js").Fault} Fault */

/** @typedef {{key: string, draft: import("./new_rows.js").Draft | null}} UnsavedRow  draft: set while its paste is undone */

/** Unsaved rows of a paste, by its change. @type {WeakMap<TableGrid, Map<number, UnsavedRow[]>>} */
const draftsByGrid = new WeakMap();

/**
 * @param {{not_added?: number[]}} outcome  of the request @param {Record<string, any>[]} added  cells of the new rows
 * @param {{first: number, numbers: number[]}} where  first: position of the first one in the request; numbers: line numbers
 * @returns {Map<number, LeftOutRow>} by position in the request
 */
export function leftOutRows({ not_added: positions = [] }, added, { first, numbers }) {
  return new Map(positions.map((position) => [position, { data: added[position - first], number: numbers[position - first] }]));
}

/** @param {Fault} fault @returns {number} position of its row in the request; -1 for none */
export function positionOf({ path = "" }) {
  return Number(ROW_PATH.exec(path)?.[1] ?? -1);
}

/**
 * @param {Map<number, LeftOutRow>} leftOut @param {Fault[]} faults
 * @returns {string[]} messages with the rows, grouped by reason
 */
export function leftOutMessages(leftOut, faults) {
  /** @type {Map<string, number[]>} */
  const numbersByReason = new Map();
  for (const [position, { number }] of leftOut) {
    const rowFaults = faults.filter((fault) => positionOf(fault) === position);
    const reason = (rowFaults.find(({ code }) => code === "required") ?? rowFaults[0])?.detail ?? "";
    numbersByReason.set(reason, [...(numbersByReason.get(reason) ?? []), number]);
  }
  return [...numbersByReason].map(([reason, numbers]) => {
    const rows = listed(numbers);
    if (!reason) return tn("Pasted row {rows} was not added.", "Pasted rows {rows} were not added.", numbers.length, { rows });
    return tn("Pasted row {rows} was not added: {reason}", "Pasted rows {rows} were not added: {reason}", numbers.length, { rows, reason });
  });
}

/** @param {number[]} numbers @returns {string} "3, 7 and 9" */
function listed(numbers) {
  const shown = numbers.length > MAX_NUMBERS ? numbers.slice(0, MAX_NUMBERS - 1) : numbers;
  const more = numbers.length - shown.length;
  const list = new Intl.ListFormat(document.documentElement.lang || "en", { type: "conjunction" });
  return list.format([...shown.map(String), ...(more ? [t("{count} more", { count: more })] : [])]);
}

/**
 * Add unsaved rows with the pasted values; unchanged ones are removed when the paste is undone, and restored when it is redone.
 * @param {TableGrid} grid @param {Map<number, LeftOutRow>} leftOut @param {{faults: Fault[], change: number | null}} how
 * @returns {{words: string, show: () => void}} words: message; show: moves the cursor to the first one
 */
export function openLeftOut(grid, leftOut, { faults, change }) {
  const { drafts } = grid;
  drafts.revealRequired();
  const ids = new Set(grid.allColumns.map(({ id }) => id));
  const rowElements = [...leftOut].slice(0, MAX_DRAFTS).map(([position, { data }]) => {
    const rowFaults = faults.filter((fault) => positionOf(fault) === position && fault.code !== "required");
    const reasons = rowFaults.map(({ path = "", detail }) => [path.slice(path.lastIndexOf(".") + 1), t("Not pasted. {reason}", { reason: detail })]);
    const draft = drafts.newDraft();
    return drafts.insert({ ...draft, data: { ...draft.data, ...data }, reasons: new Map(reasons.filter(([id]) => ids.has(id))) });
  });
  drafts.updateBlankRows();
  if (change) remember(grid, change, rowElements.map((tr) => tr.dataset.row ?? ""));
  const keys = rowElements.map((tr) => tr.dataset.row ?? "");
  const words = leftOut.size > MAX_DRAFTS
    ? t("The first {count} are below, not saved yet.", { count: MAX_DRAFTS })
    : tn("It is below, not saved yet.", "They are below, not saved yet.", leftOut.size);
  return { words, show: () => showFirst(grid, keys) };
}

/** @param {TableGrid} grid @param {number} change  of the paste @param {Record<string, any>[]} cells  to add to its unsaved rows, in order */
export function fillLeftOut(grid, change, cells) {
  const rows = draftsByGrid.get(grid)?.get(change) ?? [];
  rows.forEach(({ key }, at) => Object.assign(grid.drafts.drafts.get(key)?.data ?? {}, cells[at]));
  grid.drafts.redraw();
}

/** Move the cursor to the first cell that needs a value. @param {TableGrid} grid @param {string[]} keys  of unsaved rows */
function showFirst(grid, keys) {
  const tr = keys.map((key) => grid.rowElement(key)).find((one) => one && grid.drafts.has(one));
  if (!tr) return;
  const columnIndex = grid.columns.findIndex(({ id }) => tr.querySelector(`td[data-col="${id}"]`)?.matches(".is-required, .is-failed"));
  grid.ranges.clear();
  grid.cursor.put(tr, Math.max(0, columnIndex));
  grid.table.focus({ preventScroll: true });
}

/** @param {TableGrid} grid @param {number} change @param {string[]} keys */
function remember(grid, change, keys) {
  let byChange = draftsByGrid.get(grid);
  if (!byChange) {
    byChange = new Map();
    draftsByGrid.set(grid, byChange);
    grid.addEventListener("change-undo-toggled", (event) => {
      const { change: changeId, verb } = /** @type {CustomEvent} */ (event).detail;
      for (const row of byChange?.get(changeId) ?? []) (verb === "undo" ? removeRow : restoreRow)(grid, row);
    });
  }
  byChange.set(change, keys.map((key) => ({ key, draft: null })));
}

/** @param {TableGrid} grid @param {UnsavedRow} row */
function removeRow(grid, row) {
  const { cursor, drafts } = grid;
  const draft = drafts.drafts.get(row.key);
  row.draft = null;
  // Rows with typed values are not removed.
  if (!draft || draft.changed || draft.sending) return;
  drafts.drafts.delete(row.key);
  drafts.clearSaved();
  grid.showCounts();
  cursor.follow();
  row.draft = draft;
}

/** @param {TableGrid} grid @param {UnsavedRow} row */
function restoreRow({ drafts }, row) {
  if (row.draft) row.key = drafts.insert(row.draft).dataset.row ?? "";
  row.draft = null;
}
