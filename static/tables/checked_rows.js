// Checked rows that are not loaded: the server says which of them still match the search and filter.

/** How many of them the server is asked about. */
const MAX_UNKNOWN = 1000;

/**
 * Checks those rows again that match, and unchecks the others.
 *
 * @param {import("./grid_selection.js").RowSelection} selection
 * @param {string[]} unknown  their ids
 * @param {{shown: any, isCurrent: () => boolean}} options  shown: the search and filter; isCurrent: whether they still apply
 */
export async function keepMatching(selection, unknown, { shown, isCurrent }) {
  const { doubtful, grid } = selection;
  if (unknown.length > MAX_UNKNOWN) return doubtful.clear();
  const found = await grid.reading.readRows(unknown.map(Number), shown).catch(() => null);
  if (!found || !isCurrent()) return;
  const matching = new Set(found.map((row) => String(row.id)));
  const back = [...doubtful].filter((id) => matching.has(id));
  selection.uncheck(unknown.filter((id) => !matching.has(id)));
  for (const id of back) doubtful.delete(id);
  if (back.length) selection.setMany(back, true);
}
