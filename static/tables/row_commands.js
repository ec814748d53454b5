// What is done with rows of the grid as a whole, from its menu or for those that are checked.

import { t, tn } from "../locale.js";
import { toast } from "../element.js";
import { addRows } from "./added_rows.js";
import { tellTooMany } from "./cell_commands.js";
import { MOST_TOGETHER } from "./range_figures.js";
import { isEmpty } from "./values.js";

/**
 * Adds rows once more, at the end or at a place.
 * @param {TableGrid} grid @param {number} count @param {() => any[] | null | Promise<any[] | null>} read  the rows; null is told already
 * @param {RowPlace} [place]
 */
export async function duplicateRows(grid, count, read, place) {
  if (count > MOST_TOGETHER) return tellTooMany("duplicated", count);
  const { allColumns, store } = grid;
  // As they lie, not as they were checked.
  const index = (/** @type {any} */ row) => (store.indexOf(row.id) < 0 ? Infinity : store.indexOf(row.id));
  const found = await Promise.resolve(read()).catch((error) => void toast(t("The rows could not be read. {reason}", { reason: error.message }), { kind: "error" }));
  const rows = [...(found ?? [])].sort((one, other) => index(one) - index(other) || 0);
  const cells = rows.map((row) => Object.fromEntries(allColumns.map((column) => [column.id, grid.clipboard.shown(row, column)]).filter(([, value]) => value !== null)));
  if (cells.length) await addRows(grid, cells, { told: (added) => tn("Duplicated {count} row", "Duplicated {count} rows", added), place, found: leadTo(grid) });
}

/**
 * Adds an empty row beside another one; where it needs values first, it waits below the others until it has them.
 * @param {TableGrid} grid @param {RowPlace} place
 */
export async function insertRow(grid, place) {
  if (grid.allColumns.some((column) => column.required && isEmpty(column.default))) {
    grid.drafts.start(place);
    toast(t("Fill in the required cells. The new row then goes to its place."));
    return;
  }
  await addRows(grid, [{}], { told: () => t("Added a row, which the search or the filters hide"), place, found: leadTo(grid) });
}

/** @param {TableGrid} grid @returns {(ids: number[]) => boolean} puts the cursor into the first of rows that are in sight */
function leadTo(grid) {
  return (ids) => {
    const index = Math.min(...ids.map((id) => grid.store.indexOf(id)));
    const tr = index < 0 ? undefined : grid.window.reveal(index);
    if (!tr) return false;
    grid.ranges.clear();
    grid.cursor.put(tr, Math.max(0, grid.cursor.col));
    return true;
  };
}
