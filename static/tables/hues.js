// The colours of options. Pure.

const HUES = 9;

/** @param {Column} column @param {string} option @returns {number} the colour of an option: its place, so renaming keeps it */
export function hueOf(column, option) {
  const place = (column.options ?? []).indexOf(option);
  return place < 0 ? 0 : (place % HUES) + 1;
}
