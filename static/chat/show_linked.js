// Shows the row or the column that a link names: in the grid, with the cursor on it.

import { toast } from "../element.js";
import { t } from "../locale.js";
import { showRows } from "../tables/added_rows.js";
import { uncover } from "./proposal_stages.js";

const OF_LINKED = {
  proposed: t("Only proposed changes are shown now. The row can be seen once they are applied or dismissed."),
  missing: t("That row is no longer there."),
  beyond: t("That row is beyond those that can be shown. A filter or another order brings it nearer."),
  unfound: (/** @type {string} */ reason) => t("The row could not be found. {reason}", { reason }),
  keepsView: true,
  widened: t("All rows are shown, in their own order, so that the row can be seen."),
};

/** @typedef {{row_id?: number, column_id?: string}} Named  neither: the table itself */

/** @param {string} hash  of an address of the page @returns {Named | null} what it names in the table */
function namedIn(hash) {
  const [, kind, id] = /^#(row|column)-([A-Za-z0-9_-]{1,64})$/.exec(hash) ?? [];
  if (kind === "column") return { column_id: id };
  return kind === "row" && /^[1-9]\d{0,17}$/.test(id) ? { row_id: Number(id) } : null;
}

/** @param {TableGrid} grid @param {Named | string} what  or the hash of an address that names it */
export async function follow(grid, what) {
  const named = typeof what === "string" ? namedIn(what) : what;
  if (!named) return;
  uncover();
  await grid.reading.settled();
  if (named.row_id) await showRows(grid, [named.row_id], OF_LINKED);
  else if (named.column_id) showColumn(grid, named.column_id);
  else grid.table.focus();
}

/** The cursor goes to the column, in its own row or the first one in sight, and the column is selected.
 * @param {TableGrid} grid @param {string} id */
function showColumn(grid, id) {
  if (!grid.allColumns.some((column) => column.id === id)) {
    toast(t("That column is no longer there."));
    return;
  }
  grid.look.reveal((column) => column.id === id, t("A link leads to it."));
  const col = grid.columns.findIndex((column) => column.id === id);
  const head = grid.table.tHead.querySelector(`th[data-col="${CSS.escape(id)}"]`);
  const tr = grid.cursor.here?.tr ?? grid.places.firstInSight;
  if (tr && col >= 0) grid.cursor.put(tr, col);
  grid.table.focus({ preventScroll: true });
  head?.scrollIntoView({ block: "nearest", inline: "nearest" });
  grid.ranges.clear();
  grid.ranges.selectColumns();
}
