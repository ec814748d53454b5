// Moves rows to another position: by keys, from a menu, or by dragging.

import { api, newId } from "../api.js";
import { toast } from "../element.js";
import { t, tn } from "../locale.js";
import { showTooManyRows } from "./cell_commands.js";
import { MAX_BULK_ROWS } from "./grid_geometry.js";
import { isLost } from "./range_writes.js";
import { dropPosition, movedOrder, stepPosition } from "./row_order.js";
import { quoted, rowLabel } from "./values.js";
import { findColumn, sortKeys } from "./view_state.js";

/** @typedef {import("./row_order.js").Beside} Beside */
/**
 * @typedef {{ids: number[], row: Row, side: "before" | "after", started: boolean, change: number | null}} Move
 *   started: whether it was sent; change: id of the change
 */

/**
 * Pending moves of a grid, and the toast with a retry of a lost one.
 * @typedef {{pending: Move[], note?: HTMLElement, last?: number}} Moves  last: the last change of this tab at that time
 */
/** @type {WeakMap<TableGrid, Moves>} */
const movesByGrid = new WeakMap();

/** @param {TableGrid} grid @returns {boolean} whether the order of rows can be changed in this view */
export function hasOwnOrder({ mayEdit, review, view }) {
  return mayEdit && !review && !view.sort;
}

/** @param {TableGrid} grid @param {"ArrowUp" | "ArrowDown"} key */
export async function moveByKey(grid, key) {
  const { cursor, store, view, writer } = grid;
  if (cursor.index < 0 || !cursor.rowKey) return;
  if (view.sort) return showSorted(grid);
  // Otherwise a reload could overwrite this move, and the next key would start from an old position.
  await grid.reading.settled();
  const ids = await rowsToMove(grid, cursor.index);
  if (!ids || !hasOwnOrder(grid)) return;
  const step = key === "ArrowUp" ? -1 : 1;
  const position = stepPosition(indexesOf(grid, ids), step, store.length);
  if (position) await moveBeside(grid, ids, position, { byKey: true });
  else writer.status.showMessage(step < 0 ? t("Already at the top") : t("Already at the bottom"));
}

/** @param {TableGrid} grid @param {number[]} ids @param {"top" | "bottom"} end  of the view */
export async function moveToEnd(grid, ids, end) {
  const { length } = grid.store;
  const position = dropPosition(indexesOf(grid, ids), end === "top" ? 0 : length, length);
  if (position) await moveBeside(grid, ids, position);
}

/**
 * @param {TableGrid} grid @param {number} index  of the row at the cursor or pointer
 * @returns {Promise<number[] | null>} the ids of the selected or checked rows if the row is one of them, else its own; null after a message
 */
export async function rowsToMove(grid, index) {
  const { clipboard, ranges, selection, store } = grid;
  const { rect } = ranges;
  const id = store.at(index)?.id;
  if (rect && index >= rect.top && index <= rect.bottom) {
    return (await clipboard.rowsOf(rect, "moved"))?.map((/** @type {Row} */ row) => Number(row.id)) ?? null;
  }
  if (!selection.ids.has(String(id))) return id === undefined ? null : [Number(id)];
  if (selection.ids.size <= MAX_BULK_ROWS) return selection.numbers;
  showTooManyRows("moved", selection.ids.size);
  return null;
}

/** @param {TableGrid} grid @param {number[]} ids @returns {number[]} indexes of the loaded rows */
export function indexesOf({ store }, ids) {
  return ids.map((id) => store.indexOf(id)).filter((index) => index >= 0).sort((one, other) => one - other);
}

/**
 * @param {TableGrid} grid
 * @param {number[]} ids @param {Beside} position @param {{byKey?: boolean}} [how]  byKey: report in the status instead of a
 *   toast
 */
export async function moveBeside(grid, ids, position, { byKey = false } = {}) {
  const { writer } = grid;
  try {
    const row = await rowBeside(grid, ids, position);
    if (!row) return;
    show(grid, ids, position, { byKey });
    const move = await send(grid, ids, row, position.side);
    if (!move?.change) return;
    if (byKey) writer.status.showMessage(messageFor(grid, move));
    else toast(messageFor(grid, move), { action: writer.undoRedo.undoAction(move.change) });
  } catch (error) {
    toast(t("Nothing was moved. {reason}", { reason: error.message }), { kind: "error" });
  }
}

/**
 * @param {TableGrid} grid
 * @param {number[]} ids @param {Beside} position @returns {Promise<Row | undefined>} the nearest row that is not moved
 */
async function rowBeside({ reading, store }, ids, { index, side }) {
  const isFixed = (/** @type {Row | undefined} */ row) => row !== undefined && !ids.includes(Number(row.id));
  const known = store.at(index);
  if (known && isFixed(known)) return known;
  // Moved rows that are not loaded may be among them.
  const run = side === "after" ? { first: Math.max(0, index - ids.length), last: index + 1 } : { first: index, last: index + 1 + ids.length };
  const { rows } = await reading.readRun(run);
  return side === "after" ? rows.findLast(isFixed) : rows.find(isFixed);
}

/** @param {TableGrid} grid */
function showSorted({ allColumns, view }) {
  const names = sortKeys(view.sort).map(({ id }) => findColumn(allColumns, id)?.name).filter(Boolean);
  toast(t("Rows are sorted by {columns}. Remove the sort to move rows.", { columns: names.join(", ") }));
}

/** @param {TableGrid} grid @param {Move} move @returns {string} */
function messageFor({ columns }, { ids, row, side }) {
  const values = { name: quoted(rowLabel(columns, row.data, "")) || t("an empty row"), count: ids.length };
  if (side === "after") return tn("Row moved below {name}", "{count} rows moved below {name}", ids.length, values);
  return tn("Row moved above {name}", "{count} rows moved above {name}", ids.length, values);
}

/**
 * Optimistic update: show rows at their new position.
 * @param {TableGrid} grid @param {number[]} ids @param {Beside} position @param {{byKey: boolean}} how
 */
function show(grid, ids, position, { byKey }) {
  const { cursor, store } = grid;
  const moved = indexesOf(grid, ids);
  const { first, order } = movedOrder(moved, position);
  const rows = order.map((index) => store.at(index));
  // Rows that are not loaded are shown at their new position after the reload.
  if (moved.length < ids.length || !rows.every(Boolean)) return;
  rows.forEach((row, step) => store.put(row, first + step));
  grid.redrawFromStore();
  const tr = byKey ? grid.window.reveal(store.indexOf(cursor.rowKey)) : undefined;
  if (tr) cursor.put(tr, cursor.col);
}

/** @param {TableGrid} grid @returns {Moves} */
function movesOf(grid) {
  const known = movesByGrid.get(grid);
  if (known) return known;
  /** @type {Moves} */
  const moves = { pending: [] };
  movesByGrid.set(grid, moves);
  // A move repeated after a later change would be undone before it.
  grid.addEventListener("grid-written", () => {
    if (grid.writer.undoRedo.stack.nextUndo !== moves.last) moves.note?.remove();
  });
  return moves;
}

/**
 * Send a move; consecutive moves of the same rows are merged until they are sent.
 * @param {TableGrid} grid @param {number[]} ids @param {Row} row  their new neighbor @param {"before" | "after"} side
 * @returns {Promise<Move | null>} the move with its change; null if merged
 */
async function send(grid, ids, row, side) {
  const { writer } = grid;
  const moves = movesOf(grid);
  const { pending } = moves;
  // Repeated after this move, an earlier one would override it.
  moves.note?.remove();
  const last = pending.at(-1);
  if (last && !last.started && last.ids.join() === ids.join()) {
    Object.assign(last, { row, side });
    return null;
  }
  /** @type {Move} */
  const move = { ids, row, side, started: false, change: null };
  const idempotencyKey = newId();
  const post = () => {
    pending.push(move);
    return writer.enqueue(async () => {
      move.started = true;
      const position = move.side === "after" ? { after_row_id: Number(move.row.id) } : { before_row_id: Number(move.row.id) };
      try {
        writer.requireEditRight();
        move.change = (await api.post(`${writer.address}/rows/move/`, { ids, ...position }, { idempotencyKey })).change;
        writer.undoRedo.record("made", move.change);
      } catch (error) {
        if (isLost(error)) {
          const reason = error.code === "in_progress" ? t("The first attempt is still running.") : error.message;
          const isLast = pending.at(-1) === move;
          const actions = isLast ? [{ label: t("Retry"), run: () => void post() }] : [];
          const note = toast(t("It is not clear whether the rows were moved. {reason}", { reason }), { kind: "error", actions });
          if (isLast) Object.assign(moves, { note, last: writer.undoRedo.stack.nextUndo });
        } else toast(t("Nothing was moved. {reason}", { reason: error.message }), { kind: "error" });
        throw error;
      } finally {
        pending.splice(pending.indexOf(move), 1);
        // Rows read before further moves would be outdated.
        if (!pending.length) await grid.reload();
      }
    });
  };
  await post();
  return move;
}
