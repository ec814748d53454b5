// Moves, duplicates and deletes a column: each is a schema change with undo.

import { api } from "../api.js";
import { t } from "../locale.js";
import { toast } from "../element.js";

/**
 * @param {TableGrid} grid @param {Column} column @param {string | null} after  id of the previous column; null: first
 * @returns {Promise<void>} resolves when it was saved or refused
 */
export function moveColumn(grid, column, after) {
  const operation = { action: "reorder", column_id: column.id, ...(after === null ? {} : { after_column_id: after }) };
  const refused = (/** @type {string} */ reason) => t("{column} was not moved. {reason}", { column: column.name, reason });
  return change(grid, operation, { done: t("Moved {column}", { column: column.name }), refused });
}

/** Add a column with the same definition and values after it. @param {TableGrid} grid @param {Column} column */
export function duplicateColumn(grid, column) {
  const usedNames = new Set(grid.allColumns.map((one) => one.name.toLocaleLowerCase()));
  let name = t("{column} (copy)", { column: column.name });
  for (let number = 2; usedNames.has(name.toLocaleLowerCase()); number += 1) name = t("{column} (copy {number})", { column: column.name, number: String(number) });
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
  return grid.writer.enqueue(async () => {
    try {
      const { change } = await api.post(`/api/tables/${grid.tableId}/proposals/schema/`, { mode: "update", operations: [operation] });
      grid.writer.undoRedo.record("made", change);
      toast(done, { action: grid.writer.undoRedo.undoAction(change) });
      await grid.reload();
      // The focused header may have been removed.
      if (document.activeElement === document.body) grid.table.focus({ preventScroll: true });
    } catch (error) {
      toast(refused(error.errors?.[0]?.detail ?? error.message), { kind: "error" });
      throw error;
    }
  });
}
