// Moves, duplicates and deletes a column of the table: each one change of the table's definition, with its undo.

import { api } from "../api.js";
import { t } from "../locale.js";
import { toast } from "../element.js";

/**
 * @param {TableGrid} grid @param {Column} column @param {string | null} after  id of the column it goes after; null: to the front
 * @returns {Promise<void>} once it is saved, or was refused
 */
export function moveColumn(grid, column, after) {
  const operation = { action: "reorder", column_id: column.id, ...(after === null ? {} : { after_column_id: after }) };
  const refused = (/** @type {string} */ reason) => t("{column} was not moved. {reason}", { column: column.name, reason });
  return change(grid, operation, { done: t("Moved {column}", { column: column.name }), refused });
}

/** Adds a column of the same kind and values, behind it. @param {TableGrid} grid @param {Column} column */
export function duplicateColumn(grid, column) {
  const taken = new Set(grid.allColumns.map((one) => one.name.toLocaleLowerCase()));
  let name = t("{column} (copy)", { column: column.name });
  for (let number = 2; taken.has(name.toLocaleLowerCase()); number += 1) name = t("{column} (copy {number})", { column: column.name, number: String(number) });
  const operation = { action: "add", column: { name }, copy_of: column.id, after_column_id: column.id };
  const refused = (/** @type {string} */ reason) => t("{column} was not duplicated. {reason}", { column: column.name, reason });
  return change(grid, operation, { done: t("Added {column}", { column: name }), refused });
}

/** @param {TableGrid} grid @param {Column} column */
export function deleteColumn(grid, column) {
  const refused = (/** @type {string} */ reason) => t("{column} was not deleted. {reason}", { column: column.name, reason });
  return change(grid, { action: "remove", column_id: column.id }, { done: t("Deleted {column}", { column: column.name }), refused });
}

/** @param {TableGrid} grid @param {object} operation @param {{done: string, refused: (reason: string) => string}} words */
function change(grid, operation, { done, refused }) {
  return grid.writer.inTurn(async () => {
    try {
      const { change } = await api.post(`/api/tables/${grid.tableId}/proposals/schema/`, { mode: "update", operations: [operation] });
      grid.writer.past.record("made", change);
      toast(done, { action: grid.writer.past.undoAction(change) });
      await grid.reload();
      // The heading that had the keyboard may be gone.
      if (document.activeElement === document.body) grid.table.focus({ preventScroll: true });
    } catch (error) {
      toast(refused(error.errors?.[0]?.detail ?? error.message), { kind: "error" });
      throw error;
    }
  });
}
