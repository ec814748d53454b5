// Moves a column for everybody: one change of the table's definition, with its undo.

import { api } from "../api.js";
import { t } from "../locale.js";
import { toast } from "../element.js";

/**
 * @param {TableGrid} grid @param {Column} column @param {string | null} after  id of the column it goes after; null: to the front
 * @returns {Promise<void>} once it is saved, or was refused
 */
export function moveColumn(grid, column, after) {
  const operation = { action: "reorder", column_id: column.id, ...(after === null ? {} : { after_column_id: after }) };
  return grid.writer.inTurn(async () => {
    try {
      const { change } = await api.post(`/api/tables/${grid.tableId}/proposals/schema/`, { mode: "update", operations: [operation] });
      grid.writer.past.made(change);
      toast(t("Moved {column} for everybody", { column: column.name }), { action: grid.writer.past.undoAction(change) });
      await grid.reload();
    } catch (error) {
      toast(t("{column} was not moved. {reason}", { column: column.name, reason: error.errors?.[0]?.detail ?? error.message }), { kind: "error" });
      throw error;
    }
  });
}
