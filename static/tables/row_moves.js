// Moves rows to another place in the order of the table: by keys, from a menu, or where they are dropped.

import { api, newId } from "../api.js";
import { toast } from "../element.js";
import { t, tn } from "../locale.js";
import { tellTooMany } from "./cell_commands.js";
import { MOST_TOGETHER } from "./range_figures.js";
import { isLost } from "./range_writes.js";
import { droppedPlace, movedOrder, steppedPlace } from "./row_order.js";
import { quoted, rowLabel } from "./values.js";
import { columnNamed, sortKeys } from "./view_state.js";

/** @typedef {import("./row_order.js").Beside} Beside */
/**
 * @typedef {{ids: number[], row: Row, side: "before" | "after", begun: boolean, change: number | null}} Move
 *   begun: it is sent; change: once it is made
 */

/**
 * Moves of a grid that are not answered yet, and the note that offers to send a lost one again.
 * @typedef {{waiting: Move[], note?: HTMLElement, last?: number}} Moves  last: the last change of this tab when it was lost
 */
/** @type {WeakMap<TableGrid, Moves>} */
const movesByGrid = new WeakMap();

/** @param {TableGrid} grid @returns {boolean} whether rows have an order that can be changed here */
export function hasOwnOrder({ mayEdit, review, view }) {
  return mayEdit && !review && !view.sort;
}

/** @param {TableGrid} grid @param {"ArrowUp" | "ArrowDown"} key */
export async function moveByKey(grid, key) {
  const { cursor, store, view, writer } = grid;
  if (cursor.index < 0 || !cursor.rowKey) return;
  if (view.sort) return tellSorted(grid);
  // Rows that are being read would be drawn over this move, and the next key would begin from there.
  await grid.reading.settled();
  const ids = await rowsMeant(grid, cursor.index);
  if (!ids || !hasOwnOrder(grid)) return;
  const step = key === "ArrowUp" ? -1 : 1;
  const place = steppedPlace(indexesOf(grid, ids), step, store.length);
  if (place) await moveBeside(grid, ids, place, { byKey: true });
  else writer.status.tell(step < 0 ? t("Already at the top") : t("Already at the bottom"));
}

/** @param {TableGrid} grid @param {number[]} ids @param {"top" | "bottom"} end  of the rows that are shown */
export async function moveToEnd(grid, ids, end) {
  const { length } = grid.store;
  const place = droppedPlace(indexesOf(grid, ids), end === "top" ? 0 : length, length);
  if (place) await moveBeside(grid, ids, place);
}

/**
 * @param {TableGrid} grid @param {number} index  of a row under the cursor or a pointer
 * @returns {Promise<number[] | null>} the ids of the selected or checked rows if it is one of them, else its own; null after a message
 */
export async function rowsMeant(grid, index) {
  const { clipboard, ranges, selection, store } = grid;
  const { rect } = ranges;
  const id = store.at(index)?.id;
  if (rect && index >= rect.top && index <= rect.bottom) {
    return (await clipboard.rowsOf(rect, "moved"))?.map((/** @type {Row} */ row) => Number(row.id)) ?? null;
  }
  if (!selection.ids.has(String(id))) return id === undefined ? null : [Number(id)];
  if (selection.ids.size <= MOST_TOGETHER) return selection.numbers;
  tellTooMany("moved", selection.ids.size);
  return null;
}

/** @param {TableGrid} grid @param {number[]} ids @returns {number[]} their places among the rows that are shown, as far as these are known */
export function indexesOf({ store }, ids) {
  return ids.map((id) => store.indexOf(id)).filter((index) => index >= 0).sort((one, other) => one - other);
}

/** @param {TableGrid} grid @param {number[]} ids @param {Beside} place @param {{byKey?: boolean}} [how]  byKey: told in a word, without a note */
export async function moveBeside(grid, ids, place, { byKey = false } = {}) {
  const { writer } = grid;
  try {
    const row = await rowBeside(grid, ids, place);
    if (!row) return;
    show(grid, ids, place, { byKey });
    const move = await send(grid, ids, row, place.side);
    if (!move?.change) return;
    if (byKey) writer.status.tell(wordsOf(grid, move));
    else toast(wordsOf(grid, move), { action: writer.past.undoAction(move.change) });
  } catch (error) {
    toast(t("Nothing was moved. {reason}", { reason: error.message }), { kind: "error" });
  }
}

/** @param {TableGrid} grid @param {number[]} ids @param {Beside} place @returns {Promise<Row | undefined>} the nearest row there that is not moved */
async function rowBeside({ reading, store }, ids, { index, side }) {
  const stays = (/** @type {Row | undefined} */ row) => row !== undefined && !ids.includes(Number(row.id));
  const known = store.at(index);
  if (known && stays(known)) return known;
  // Rows that are moved without being known may lie there themselves.
  const run = side === "after" ? { first: Math.max(0, index - ids.length), last: index + 1 } : { first: index, last: index + 1 + ids.length };
  const { rows } = await reading.readRun(run);
  return side === "after" ? rows.findLast(stays) : rows.find(stays);
}

/** @param {TableGrid} grid */
function tellSorted({ allColumns, view }) {
  const names = sortKeys(view.sort).map(({ id }) => columnNamed(allColumns, id)?.name).filter(Boolean);
  toast(t("Rows are sorted by {columns}. Remove the sort to move rows.", { columns: names.join(", ") }));
}

/** @param {TableGrid} grid @param {Move} move @returns {string} */
function wordsOf({ columns }, { ids, row, side }) {
  const said = { name: quoted(rowLabel(columns, row.data, "")) || t("a row without values"), count: ids.length };
  if (side === "after") return tn("Row moved below {name}", "{count} rows moved below {name}", ids.length, said);
  return tn("Row moved above {name}", "{count} rows moved above {name}", ids.length, said);
}

/** Shows rows at their new place before the server has answered. @param {TableGrid} grid @param {number[]} ids @param {Beside} place @param {{byKey: boolean}} how */
function show(grid, ids, place, { byKey }) {
  const { cursor, store } = grid;
  const moved = indexesOf(grid, ids);
  const { first, order } = movedOrder(moved, place);
  const rows = order.map((index) => store.at(index));
  // Rows that are not known have their new places once they are read.
  if (moved.length < ids.length || !rows.every(Boolean)) return;
  rows.forEach((row, step) => store.put(row, first + step));
  grid.drawKnown();
  const tr = byKey ? grid.window.reveal(store.indexOf(cursor.rowKey)) : undefined;
  if (tr) cursor.put(tr, cursor.col);
}

/** @param {TableGrid} grid @returns {Moves} */
function movesOf(grid) {
  const known = movesByGrid.get(grid);
  if (known) return known;
  /** @type {Moves} */
  const moves = { waiting: [] };
  movesByGrid.set(grid, moves);
  // A move that is sent again after a later change would be undone before it.
  grid.addEventListener("grid-written", () => {
    if (grid.writer.past.stack.nextUndo !== moves.last) moves.note?.remove();
  });
  return moves;
}

/**
 * Moves that follow one another before they are sent are one.
 * @param {TableGrid} grid @param {number[]} ids @param {Row} row  beside which they go @param {"before" | "after"} side
 * @returns {Promise<Move | null>} once it is answered; null where an earlier one tells of it
 */
async function send(grid, ids, row, side) {
  const { writer } = grid;
  const moves = movesOf(grid);
  const { waiting } = moves;
  // Sent again after this move, an earlier one would override it.
  moves.note?.remove();
  const last = waiting.at(-1);
  if (last && !last.begun && last.ids.join() === ids.join()) {
    Object.assign(last, { row, side });
    return null;
  }
  /** @type {Move} */
  const move = { ids, row, side, begun: false, change: null };
  const once = newId();
  const post = () => {
    waiting.push(move);
    return writer.inTurn(async () => {
      move.begun = true;
      const place = move.side === "after" ? { after_row_id: Number(move.row.id) } : { before_row_id: Number(move.row.id) };
      try {
        writer.demandRight();
        move.change = (await api.post(`${writer.address}/rows/move/`, { ids, ...place }, { once })).change;
        writer.past.record("made", move.change);
      } catch (error) {
        if (isLost(error)) {
          const reason = error.code === "in_progress" ? t("The first attempt is still running.") : error.message;
          const isLast = waiting.at(-1) === move;
          const actions = isLast ? [{ label: t("Retry"), run: () => void post() }] : [];
          const note = toast(t("The rows may have been moved or not. {reason}", { reason }), { kind: "error", actions });
          if (isLast) Object.assign(moves, { note, last: writer.past.stack.nextUndo });
        } else toast(t("Nothing was moved. {reason}", { reason: error.message }), { kind: "error" });
        throw error;
      } finally {
        waiting.splice(waiting.indexOf(move), 1);
        // What is read while further moves wait would be older than what is shown.
        if (!waiting.length) await grid.reload();
      }
    });
  };
  await post();
  return move;
}
