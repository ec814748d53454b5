// Checked rows that are not loaded: the server says which of them still match the search and filter.

import { toast } from "../element.js";
import { tn } from "../locale.js";

/** How many of them the server is asked about. */
const MAX_UNKNOWN = 1000;

/**
 * Checks those rows again that match, and unchecks the others; of too many, it says that they are no longer checked.
 *
 * @param {import("./grid_selection.js").RowSelection} selection
 * @param {string[]} unknown  their ids
 * @param {{shown: any, isCurrent: () => boolean}} options  shown: the search and filter; isCurrent: whether they still apply
 */
export async function keepMatching(selection, unknown, { shown, isCurrent }) {
  const { doubtful, grid } = selection;
  if (unknown.length > MAX_UNKNOWN) {
    const { size } = doubtful;
    doubtful.clear();
    if (size) toast(tn("{count} row is no longer selected, because it may not match.", "{count} rows are no longer selected, because they may not match.", size));
    return;
  }
  const found = await grid.reading.readRows(unknown.map(Number), shown).catch(() => null);
  if (!found || !isCurrent()) return;
  const matching = new Set(found.map((row) => String(row.id)));
  const back = [...doubtful].filter((id) => matching.has(id));
  selection.uncheck(unknown.filter((id) => !matching.has(id)));
  for (const id of back) doubtful.delete(id);
  if (back.length) selection.setMany(back, true);
}
