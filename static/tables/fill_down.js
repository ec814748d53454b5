// Fills selected cells of the grid from the row above them: Ctrl+D.

import { t } from "../locale.js";
import { sameValue } from "./values.js";

/**
 * Copies the first row of a range into the others, as one change; a single row is filled from the row above it.
 * @param {GridClipboard} clipboard @param {Rect} rect
 */
export async function fillDown(clipboard, rect) {
  const { columns, writer, mayEdit } = clipboard.grid;
  const top = rect.top === rect.bottom ? rect.top - 1 : rect.top;
  if (!mayEdit || top < 0) return;
  const written = columns.slice(rect.left, rect.right + 1).filter((column) => !column.proposed);
  const [first, ...below] = (await clipboard.rowsOf({ ...rect, top }, "filled")) ?? [];
  const rows = below.flatMap((row) => {
    const filled = written.filter((column) => !sameValue(clipboard.shown(row, column), clipboard.shown(first, column)));
    const data = Object.fromEntries(filled.map((column) => [column.id, clipboard.shown(first, column)]));
    return filled.length ? [{ id: row.id, data, expected: clipboard.expected(row, filled) }] : [];
  });
  if (rows.length) writer.writeRows(rows, t("Nothing was filled."));
}
