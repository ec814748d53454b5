// What is done with rows of the grid as a whole, from its menu or for those that are checked.

import { t, tn } from "../locale.js";
import { toast } from "../element.js";
import { tellTooMany } from "./cell_commands.js";
import { MOST_TOGETHER } from "./range_figures.js";

/**
 * Adds rows once more, at the end.
 * @param {TableGrid} grid @param {number} count @param {() => any[] | null | Promise<any[] | null>} read  the rows; null is told already
 */
export async function duplicateRows(grid, count, read) {
  if (count > MOST_TOGETHER) return tellTooMany("duplicated", count);
  const { allColumns, writer, store } = grid;
  // As they lie, not as they were checked.
  const place = (/** @type {any} */ row) => (store.indexOf(row.id) < 0 ? Infinity : store.indexOf(row.id));
  const found = await Promise.resolve(read()).catch((error) => void toast(t("The rows could not be read. {reason}", { reason: error.message }), { kind: "error" }));
  const rows = [...(found ?? [])].sort((one, other) => place(one) - place(other) || 0);
  const cells = rows.map((row) => Object.fromEntries(allColumns.map((column) => [column.id, grid.clipboard.shown(row, column)]).filter(([, value]) => value !== null)));
  if (cells.length) await writer.addRows(cells, (added) => tn("Duplicated {count} row", "Duplicated {count} rows", added));
}
