// Shows the row or column that a link refers to: scrolls the grid and moves the cursor.

import { toast } from "../../element.js";
import { t } from "../../locale.js";
import { showRows } from "../../tables/added_rows.js";
import { closeTraySheet } from "../proposal_stages.js";

const LINK_MESSAGES = {
  proposed: t("Apply or dismiss the proposal to see the row."),
  missing: t("That row no longer exists."),
  beyond: t("That row is too far down to be shown. Use a filter or another sort."),
  unfound: (/** @type {string} */ reason) => t("The row could not be found. {reason}", { reason }),
  keepsView: true,
  widened: t("Search, filters and sort were cleared to show the row."),
};

/** @typedef {{row_id?: number, column_id?: string}} LinkTarget  neither: the table itself */

/** @param {string} hash  of a URL of the page @returns {LinkTarget | null} */
function parseHash(hash) {
  const [, kind, id] = /^#(row|column)-([A-Za-z0-9_-]{1,64})$/.exec(hash) ?? [];
  if (kind === "column") return { column_id: id };
  return kind === "row" && /^[1-9]\d{0,17}$/.test(id) ? { row_id: Number(id) } : null;
}

/** @param {TableGrid} grid @param {LinkTarget | string} target  or a URL hash */
export async function follow(grid, target) {
  const parsed = typeof target === "string" ? parseHash(target) : target;
  if (!parsed) return;
  closeTraySheet();
  await grid.reading.settled();
  if (parsed.row_id) await showRows(grid, [parsed.row_id], LINK_MESSAGES);
  else if (parsed.column_id) showColumn(grid, parsed.column_id);
  else grid.table.focus();
}

/** Select the column and move the cursor to it, in its row or the first visible row.
 * @param {TableGrid} grid @param {string} id */
function showColumn(grid, id) {
  if (!grid.allColumns.some((column) => column.id === id)) {
    toast(t("That column no longer exists."));
    return;
  }
  grid.viewSettings.reveal((column) => column.id === id, t("A link points to it."));
  const col = grid.columns.findIndex((column) => column.id === id);
  const head = grid.table.tHead.querySelector(`th[data-col="${CSS.escape(id)}"]`);
  const tr = grid.cursor.current?.tr ?? grid.rowRange.firstInSight;
  if (tr && col >= 0) grid.cursor.put(tr, col);
  grid.table.focus({ preventScroll: true });
  head?.scrollIntoView({ block: "nearest", inline: "nearest" });
  grid.ranges.clear();
  grid.ranges.selectColumns();
}
