// Reads the exact number of matching rows after the rows were read with an estimate.

import { api, ownChanges } from "../api.js";
import { countUrl } from "./view_state.js";

/** @param {TableGrid} grid @param {AbortSignal} signal @returns {Promise<void>} rejects if the server cannot be reached */
export async function readCount(grid, signal) {
  const isOutdated = ownChanges.watch();
  const { count } = await api.get(countUrl(grid.tableId, grid.query), { signal });
  if (isOutdated()) {
    // Rows that were added or deleted meanwhile may not be included.
    await ownChanges.idle();
    if (!signal.aborted) await readCount(grid, signal);
    return;
  }
  if (signal.aborted) return;
  grid.store.setCount(count.value);
  grid.cursor.find();
  if (grid.ranges.rect && grid.ranges.rect.bottom >= grid.store.length) grid.ranges.follow();
  grid.reading.onCount();
}
