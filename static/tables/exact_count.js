// Reads the exact number of matching rows, after the rows were read with an estimate.

import { api, ownChanges } from "../api.js";

/** @param {number | string} tableId @param {{search?: string, filter?: string}} view @returns {Promise<number>} the exact number of rows */
export async function exactCount(tableId, { search, filter }) {
  const query = new URLSearchParams({ limit: "1", count: "exact" });
  if (search) query.set("search", search);
  if (filter) query.set("filter", filter);
  return (await api.get(`/api/tables/${tableId}/rows/?${query}`)).count.value;
}

/**
 * Show the exact number of rows. After an error the estimate remains, until the rows are read again.
 * @param {TableGrid} grid @returns {Promise<void>} resolves when the number is shown, also if a later call shows it
 */
export async function showExactCount(grid) {
  const { store, reading } = grid;
  const { counting } = reading;
  // The rows are read again: their number is requested after them.
  if (!counting) return;
  const isOutdated = ownChanges.watch();
  const count = await exactCount(grid.tableId, grid.query).catch(() => null);
  // Rows that were added or deleted meanwhile may not be included.
  if (isOutdated()) await ownChanges.idle();
  if (reading.counting !== counting) return reading.counting ?? undefined;
  if (isOutdated()) return showExactCount(grid);
  if (count === null) return;
  reading.counting = null;
  store.setCount(count);
  grid.cursor.find();
  if (grid.ranges.rect && grid.ranges.rect.bottom >= store.length) grid.ranges.follow();
  // The length of the scrollbar changes; visible rows stay in their positions.
  grid.window.measure();
  grid.showCounts();
  grid.window.scheduleDraw();
}
