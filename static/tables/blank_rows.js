// Blank rows below a short table. They are not stored until a cell is written; then the row becomes a new row.

import { MIN_ROWS } from "./grid_geometry.js";
import { isEmpty, redrawCell } from "./values.js";

export class BlankRows {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
  }

  /** @returns {number} number of blank rows to show: none if rows are hidden, filtered or sorted */
  get count() {
    const { mayEdit, columns, review, isNarrowed, view, store, draftsBody } = this.grid;
    if (!mayEdit || review || !columns.length || isNarrowed || view.search || view.filter || view.sort) return 0;
    return MIN_ROWS - store.displayedCount - draftsBody.querySelectorAll(":scope > .is-draft").length;
  }

  update() {
    const { grid, count: wanted } = this;
    const { cursor, draftsBody: body, drafts } = grid;
    const shown = drafts.blankRows;
    const surplus = shown.slice(Math.max(0, wanted)).filter((tr) => !grid.editor.isIn(tr));
    for (const tr of surplus) {
      drafts.drafts.delete(tr.dataset.row ?? "");
      tr.remove();
    }
    for (let count = shown.length; count < wanted; count += 1) body.append(drafts.draw(drafts.register({ ...drafts.newDraft(), blank: true })));
    body.hidden = body.rows.length === 0;
    const last = grid.rowRange.below.at(-1);
    if (last && surplus.some((tr) => tr.dataset.row === cursor.rowKey)) cursor.put(last, cursor.col, { scroll: false });
  }

  /** Turn a blank row into an unsaved new row; the blank rows above it are moved below it. @param {HTMLTableRowElement} tr */
  startRow(tr) {
    const { grid } = this;
    const { drafts } = grid;
    const key = tr.dataset.row ?? "";
    const draft = drafts.drafts.get(key);
    draft.blank = false;
    // Columns and defaults may have changed since it was drawn.
    draft.data = drafts.newDraft().data;
    drafts.revealRequired();
    // Revealed columns have redrawn the row.
    const row = grid.rowElement(key);
    row.classList.replace("is-blank", "is-draft");
    for (const column of grid.columns) {
      const cell = row.querySelector(`td[data-col="${column.id}"]`);
      if (!isEmpty(draft.data[column.id]) && !grid.editor.isIn(cell)) redrawCell(cell, column, draft.data[column.id]);
    }
    // The row itself is not moved, since a field in it would lose the focus.
    row.after(...drafts.blankRows.filter((one) => one.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING));
    grid.showCounts();
    return row;
  }
}
