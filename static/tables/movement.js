// Where the cell cursor goes for a key. Pure: places in, place out.

/** @typedef {{row: number, col: number}} Place */

/**
 * @param {Place} place
 * @param {{key: string, ctrl?: boolean, shift?: boolean}} pressed
 * @param {{rows: number, cols: number, page: number, first?: number}} size  `page` is how many rows fit on the screen,
 *   `first` is the leftmost column: -1 where the gutter can be reached
 * @returns {Place | null} null when the key is not about moving, or leads out of the grid (Tab at the end)
 */
export function moved(place, { key, ctrl = false, shift = false }, { rows, cols, page, first = 0 }) {
  if (rows === 0 || cols === 0) return null;
  const lastRow = rows - 1;
  const lastCol = cols - 1;
  switch (key) {
    case "ArrowUp":
      return { ...place, row: ctrl ? 0 : Math.max(0, place.row - 1) };
    case "ArrowDown":
      return { ...place, row: ctrl ? lastRow : Math.min(lastRow, place.row + 1) };
    case "ArrowLeft":
      return { ...place, col: ctrl ? 0 : Math.max(first, place.col - 1) };
    case "ArrowRight":
      return { ...place, col: ctrl ? lastCol : Math.min(lastCol, place.col + 1) };
    case "Home":
      return { row: ctrl ? 0 : place.row, col: 0 };
    case "End":
      return { row: ctrl ? lastRow : place.row, col: lastCol };
    case "PageUp":
      return { ...place, row: Math.max(0, place.row - page) };
    case "PageDown":
      return { ...place, row: Math.min(lastRow, place.row + page) };
    case "Tab":
      return tabbed(place, { shift, lastRow, lastCol });
    default:
      return null;
  }
}

/** @param {Place} place @param {{shift: boolean, lastRow: number, lastCol: number}} how */
function tabbed(place, { shift, lastRow, lastCol }) {
  if (shift) {
    if (place.col > 0) return { ...place, col: place.col - 1 };
    return place.row > 0 ? { row: place.row - 1, col: lastCol } : null;
  }
  if (place.col < lastCol) return { ...place, col: place.col + 1 };
  return place.row < lastRow ? { row: place.row + 1, col: 0 } : null;
}
