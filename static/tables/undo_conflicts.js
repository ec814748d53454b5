// Describes the cells that an undo would overwrite, with their current values, for the grid and for the chat.

import { isResolvable } from "../api.js";
import { toast } from "../element.js";
import { t } from "../locale.js";
import { displayText, isEmpty, quoted, rowLabel } from "./values.js";

const MAX_DESCRIBED = 3;

/** @typedef {{path?: string, code?: string, detail: string, value?: any}} Overwritten  a cell that an undo would overwrite */

/**
 * @param {any} error  a refused undo or redo, which may not list all conflicts @param {any} [grid]  if there is one
 * @returns {Promise<string[]>} descriptions of some cells
 */
export async function describeConflicts(error, grid) {
  /** @type {Overwritten[]} */
  const faults = error.status === 409 ? error.errors : [];
  const count = error.body?.conflicts ?? faults.length;
  const described = faults.slice(0, MAX_DESCRIBED);
  const descriptions = grid ? await describeCells(described, grid) : described.map(({ detail }) => detail);
  return count > described.length ? [...descriptions, t("And {count} more.", { count: count - described.length })] : descriptions;
}

/**
 * Show why an undo or redo was refused, with actions to resolve it.
 * @param {any} undoRedo  the `UndoRedo` of a grid
 * @param {{change: number, verb: "undo" | "redo", mine: boolean}} what  mine: a change of this tab, which stays on its undo stack
 * @param {any} error
 */
export async function showRefusal(undoRedo, { change, verb, mine }, error) {
  const reason = [error.message, ...(await describeConflicts(error, undoRedo.writer.grid))].join(" ");
  const resolveWith = (/** @type {"skip" | "overwrite"} */ choice) => () => {
    if (mine) undoRedo.stack.restore(change, verb);
    void undoRedo.undoOrRedo(verb, change, choice);
  };
  const actions = isResolvable(error) ? [{ label: t("Keep later changes"), run: resolveWith("skip") }, { label: t("Overwrite later changes"), run: resolveWith("overwrite") }] : [];
  toast(verb === "undo" ? t("Undo failed. {reason}", { reason }) : t("Redo failed. {reason}", { reason }), { kind: "error", actions });
}

/** @param {Overwritten[]} faults @param {any} grid @returns {Promise<string[]>} */
async function describeCells(faults, grid) {
  const { store, allColumns } = grid;
  const unloaded = await readUnloaded(faults, grid);
  return faults.map((fault) => {
    const { row, key } = cellOf(fault);
    const column = key && allColumns.find((one) => one.name === key || one.id === key);
    if (!column) return fault.detail;
    const empty = isEmpty(fault.value);
    const number = store.indexOf(row) + 1;
    const name = quoted(rowLabel(allColumns, unloaded.get(row)?.data ?? {}, ""));
    const cell = { column: column.name, number, name, value: quoted(displayText(column, fault.value)) };
    if (number) return empty ? t("{column} of row {number} is now empty.", cell) : t("{column} of row {number} is now “{value}”.", cell);
    // Its number in this view is unknown, and users do not know its id.
    if (name) return empty ? t("{column} of “{name}” is now empty.", cell) : t("{column} of “{name}” is now “{value}”.", cell);
    return fault.detail;
  });
}

/** @param {Overwritten[]} faults @param {any} grid @returns {Promise<Map<number, Row>>} the rows that are not loaded, by id */
async function readUnloaded(faults, { store, reading }) {
  const ids = new Set(faults.map((fault) => cellOf(fault).row).filter((row) => row && store.indexOf(row) < 0));
  const rows = ids.size ? await reading.readRows([...ids]).catch(() => []) : [];
  return new Map(rows.map((row) => [row.id, row]));
}

/** @param {Overwritten} fault @returns {{row: number, key: string}} its cell, with the name or id of the column; 0 and "" for none */
function cellOf({ path = "", code = "" }) {
  const [, row = "0", key = ""] = (["cell_changed", "filled_since"].includes(code) && /^rows\[(\d+)\]\.data\.(.+)$/s.exec(path)) || [];
  return { row: Number(row), key };
}
