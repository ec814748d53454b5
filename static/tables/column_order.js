// Where a column goes when it is moved among those that are seen. Pure: ids in, ids out.

/**
 * @param {string[]} all  every column's id, hidden ones too @param {string} id  of the one that moves
 * @param {string} neighbour @param {"before" | "after"} side
 * @returns {string | null | undefined} the column it stands after from then on; null: it is the first; undefined: nothing changes
 */
export function placedBeside(all, id, neighbour, side) {
  const from = all.indexOf(id);
  const others = all.filter((one) => one !== id);
  const to = others.indexOf(neighbour);
  if (from < 0 || to < 0) return undefined;
  const place = side === "after" ? to + 1 : to;
  return place === from ? undefined : others[place - 1] ?? null;
}

/**
 * @param {string[]} all @param {string[]} shown @param {string} id @param {-1 | 1} step  past the next one that is seen
 * @returns {string | null | undefined} as above
 */
export function placedByStep(all, shown, id, step) {
  const at = shown.indexOf(id);
  const neighbour = at < 0 ? undefined : shown[at + step];
  return neighbour === undefined ? undefined : placedBeside(all, id, neighbour, step < 0 ? "before" : "after");
}

/**
 * @param {{id: string, start: number, end: number}[]} heads  from left to right, px @param {number} x  px
 * @returns {{neighbour: string, side: "before" | "after"} | null} between which heads something dropped there comes to stand
 */
export function dropPlace(heads, x) {
  if (!heads.length) return null;
  const under = heads.find(({ end }) => x < end) ?? heads[heads.length - 1];
  return { neighbour: under.id, side: x < (under.start + under.end) / 2 ? "before" : "after" };
}
