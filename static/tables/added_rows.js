// Adds rows, and leads to rows that a change has added: in the table's own order, whatever is filtered or sorted now.

import { api, newId } from "../api.js";
import { t } from "../locale.js";
import { toast } from "../element.js";
import { MOST_ROWS } from "./grid_geometry.js";
import { leftOutRows } from "./refused_rows.js";
import { isLost, manyRowsAddress, rowsRefused, tellLost } from "./range_writes.js";

/** How many ids a request may hold. */
const MOST_ASKED = 200;
const OWN_ORDER = { search: "", sort: "", filter: "" };

/** @typedef {{after_row_id: number} | {before_row_id: number}} RowPlace  directly after or before this row */

/**
 * Adds rows as one change, all or nothing.
 * @param {TableGrid} grid @param {Record<string, any>[]} rows  the cells of each
 * @param {{told: (count: number) => string, place?: RowPlace, found?: (ids: number[], change: number | null, notAdded: number[]) => boolean, skipInvalid?: boolean, lead?: boolean, numbers?: number[]}} how
 *   told: what is said once they are there; place: else at the end; found: leads to them where they can be seen, and says whether it
 *   did: then nothing is said of rows at a place; it is called with the places in `rows` of those that were not added, too; skipInvalid: cells whose values do not fit are left empty and named; lead: goes to
 *   the rows, unless `found` did, where nothing narrows or sorts the view; numbers: of their lines in what was pasted
 */
export function addRows(grid, rows, { told, place, found = () => false, skipInvalid = false, lead: leads = false, numbers = [] }) {
  const { writer } = grid;
  const once = newId();
  const post = () => writer.inTurn(async () => {
    try {
      writer.demandRight();
      const { rows: added, ...outcome } = await api.post(manyRowsAddress(writer, skipInvalid), { rows, ...place }, { once });
      const { change } = outcome;
      writer.past.record("made", change);
      const ids = added.map((/** @type {Row} */ row) => row.id);
      const tell = () => toast(told(ids.length), { actions: [{ label: t("Show"), run: () => showAddedRows(grid, ids) }, writer.past.undoAction(change)] });
      if (!place) tell();
      await grid.reload();
      const leftOut = leftOutRows(outcome, rows, { first: 0, numbers });
      const isFound = found(ids, change, [...leftOut.keys()]);
      if (place && !isFound) tell();
      const { search, sort, filter } = grid.view;
      if (leads && !isFound && !search && !sort && !filter) await showAddedRows(grid, ids);
      const next = added.values();
      const known = rows.map((_, at) => (leftOut.has(at) ? undefined : next.next().value));
      if (outcome.skipped_count) writer.refusals().then((cells) => cells.skipped(known, outcome, { leftOut, numbers }), () => {});
    } catch (error) {
      if (isLost(error)) tellLost(t("The rows may have been added or not. {reason}", { reason: error.message }), () => void post());
      else if (numbers.length && isAboutRows(error)) {
        // Not one of them could be added.
        const leftOut = leftOutRows({ not_added: rows.map((_, at) => at) }, rows, { first: 0, numbers });
        const outcome = { skipped: error.errors, skipped_count: error.errors.length, change: null };
        writer.refusals().then((cells) => cells.skipped([], outcome, { leftOut }), () => rowsRefused(writer, [], t("No row was added."), error));
      } else rowsRefused(writer, [], t("No row was added."), error);
      throw error;
    }
  });
  return post();
}

/** @param {any} error @returns {boolean} whether values of the rows were refused, and nothing else */
function isAboutRows({ status, errors = [] }) {
  return status === 422 && errors.length > 0 && errors.every(({ path = "" }) => path.startsWith("rows["));
}

/**
 * @typedef {object} Words
 * @property {string} proposed @property {string} missing @property {string} beyond @property {(reason: string) => string} unfound
 * @property {string} widened @property {boolean} [keepsView]  a row that the present filters leave is shown among those
 */

/** @type {Words} */
const OF_ADDED = {
  proposed: t("Only proposed changes are shown now. The added rows can be seen once they are applied or dismissed."),
  missing: t("The added rows are not there any more."),
  beyond: t("The added rows lie beyond those that can be shown. A filter or another order brings them nearer."),
  unfound: (reason) => t("The added rows could not be found. {reason}", { reason }),
  widened: t("All rows are shown, in their own order, so that the added ones can be seen."),
};

/** @param {TableGrid} grid @param {number[]} ids  one at least */
export function showAddedRows(grid, ids) {
  return showRows(grid, ids, OF_ADDED);
}

/**
 * The cursor goes to the first of the rows that is still there. What narrows or sorts the rows so that they are not seen
 * together gives way, and the note that says so leads back.
 * @param {TableGrid} grid @param {number[]} ids  one at least @param {Words} words  what is said where they cannot be shown as they are
 */
export async function showRows(grid, ids, words) {
  await grid.reading.settled();
  if (grid.rowsBody.hidden) {
    toast(words.proposed);
    return;
  }
  const known = ids.map((id) => grid.store.indexOf(id));
  if (known.every((place) => place >= 0)) {
    lead(grid, Math.min(...known), ids);
    return;
  }
  const before = grid.view;
  const narrowed = !grid.review && Boolean(before.search || before.sort || before.filter);
  try {
    if (words.keepsView && narrowed) {
      const place = await placeOfFirst(grid, ids, before);
      if (place >= 0 && place < MOST_ROWS) return lead(grid, place, ids);
    }
    const place = await placeOfFirst(grid, ids, grid.review ? grid.asked : OWN_ORDER);
    if (place < 0) return void toast(words.missing);
    if (narrowed) {
      grid.filters.go({ ...OWN_ORDER });
      await grid.reading.settled();
      const action = { label: t("Back to the view before"), run: () => grid.filters.go(before) };
      toast(words.widened, { action });
    }
    if (place >= MOST_ROWS) toast(words.beyond);
    else lead(grid, place, ids);
  } catch (error) {
    toast(words.unfound(error.message), { kind: "error", action: { label: t("Try again"), run: () => showRows(grid, ids, words) } });
  }
}

/** @param {TableGrid} grid @param {number} place @param {number[]} ids */
function lead(grid, place, ids) {
  const tr = grid.window.reveal(place, { center: true });
  grid.dispatchEvent(new CustomEvent("rows-of-note", { detail: { ids } }));
  grid.ranges.clear();
  if (tr) grid.cursor.put(tr, Math.max(0, grid.cursor.col));
  grid.table.focus({ preventScroll: true });
}

/**
 * @param {TableGrid} grid @param {number[]} ids @param {ViewState} view
 * @returns {Promise<number>} the place of the first that is there, in the order of the view; -1 where none is
 */
async function placeOfFirst(grid, ids, view) {
  const query = new URLSearchParams({ ids: ids.slice(0, MOST_ASKED).join(",") });
  for (const [name, value] of Object.entries(view)) if (value) query.set(name, value);
  const { found } = await api.get(`/api/tables/${grid.tableId}/rows/find/?${query}`);
  return found[0]?.index ?? -1;
}
