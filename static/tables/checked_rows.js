// Finds out on the server which checked rows that are not loaded still match the search and filter.

import { toast } from "../element.js";
import { tn } from "../locale.js";

/** Maximum number of rows in a request. */
const MAX_UNKNOWN = 1000;

/**
 * Check matching rows again and uncheck the others; if there are too many, report that they are no longer checked.
 *
 * @param {import("./grid_selection.js").RowSelection} selection
 * @param {string[]} unknown  their ids
 * @param {{shown: any, isCurrent: () => boolean}} options  shown: the search and filter; isCurrent: whether they still apply
 */
export async function updateChecked(selection, unknown, { shown, isCurrent }) {
  const { uncertain, grid } = selection;
  if (unknown.length > MAX_UNKNOWN) {
    const { size } = uncertain;
    uncertain.clear();
    if (size) toast(tn("{count} row is no longer selected, because it may not match.", "{count} rows are no longer selected, because they may not match.", size));
    return;
  }
  const found = await grid.reading.readRows(unknown.map(Number), shown).catch(() => null);
  if (!found || !isCurrent()) return;
  const matching = new Set(found.map((row) => String(row.id)));
  const stillMatching = [...uncertain].filter((id) => matching.has(id));
  selection.uncheck(unknown.filter((id) => !matching.has(id)));
  for (const id of stillMatching) uncertain.delete(id);
  if (stillMatching.length) selection.setMany(stillMatching, true);
}
