// What an undo would do away with, said by its cells as they are now: in the note of the grid, and in the chat beside it.

import { isDecidable } from "../api.js";
import { toast } from "../element.js";
import { t } from "../locale.js";
import { displayText, isEmpty, quoted, rowLabel } from "./values.js";

const MOST_NAMED = 3;

/** @typedef {{path?: string, code?: string, detail: string, value?: any}} Overwritten  what an undo would do away with */

/**
 * @param {any} error  a refused undo or redo, whose conflicts may be more than it lists @param {any} [grid]  where there is one
 * @returns {Promise<string[]>} some of it, as it is now
 */
export async function changedSince(error, grid) {
  /** @type {Overwritten[]} */
  const faults = error.status === 409 ? error.errors : [];
  const count = error.body?.conflicts ?? faults.length;
  const named = faults.slice(0, MOST_NAMED);
  const told = grid ? await inTheGrid(named, grid) : named.map(({ detail }) => detail);
  return count > named.length ? [...told, t("And {count} more.", { count: count - named.length })] : told;
}

/**
 * Says why a change could not be undone or redone, and offers what can be done about it.
 * @param {any} past  the `OwnChangesPast` of a grid
 * @param {{change: number, verb: "undo" | "redo", mine: boolean}} what  mine: a change of this tab, which can be turned round again
 * @param {any} error
 */
export async function showRefusal(past, { change, verb, mine }, error) {
  const reason = [error.message, ...(await changedSince(error, past.writer.grid))].join(" ");
  const decide = (/** @type {"keep" | "overwrite"} */ word) => () => {
    if (mine) past.stack.putBack(change, verb);
    void past.turnBack(verb, change, word);
  };
  const actions = isDecidable(error) ? [{ label: t("Keep the later changes"), run: decide("keep") }, { label: t("Overwrite them"), run: decide("overwrite") }] : [];
  toast(verb === "undo" ? t("That could not be undone. {reason}", { reason }) : t("That could not be done again. {reason}", { reason }), { kind: "error", actions });
}

/** @param {Overwritten[]} faults @param {any} grid @returns {Promise<string[]>} */
async function inTheGrid(faults, grid) {
  const { store, allColumns } = grid;
  const far = await farRows(faults, grid);
  return faults.map((fault) => {
    const { row, id } = cellOf(fault);
    const column = allColumns.find((one) => one.id === id);
    if (!column) return fault.detail;
    const empty = isEmpty(fault.value);
    const number = store.indexOf(row) + 1;
    const name = quoted(rowLabel(allColumns, far.get(row)?.data ?? {}, ""));
    const cell = { column: column.name, number, name, value: quoted(displayText(column, fault.value)) };
    if (number) return empty ? t("{column} of row {number} is empty now.", cell) : t("{column} of row {number} is now “{value}”.", cell);
    // Its number in this view is not known, and its id would tell nobody which row that is.
    if (name) return empty ? t("{column} of “{name}” is empty now.", cell) : t("{column} of “{name}” is now “{value}”.", cell);
    return fault.detail;
  });
}

/** @param {Overwritten[]} faults @param {any} grid @returns {Promise<Map<number, Row>>} the rows of these cells that have no place here, by their ids */
async function farRows(faults, { store, reading }) {
  const ids = new Set(faults.map((fault) => cellOf(fault).row).filter((row) => row && store.indexOf(row) < 0));
  const rows = ids.size ? await reading.readRows([...ids]).catch(() => []) : [];
  return new Map(rows.map((row) => [row.id, row]));
}

/** @param {Overwritten} fault @returns {{row: number, id: string}} the cell that it is about, as it is now; 0 and "" where it is about none */
function cellOf({ path = "", code = "" }) {
  const [, row = "0", id = ""] = (["cell_changed", "filled_since"].includes(code) && /^(\d+):(col_\w+)$/.exec(path)) || [];
  return { row: Number(row), id };
}
