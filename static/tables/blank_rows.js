// Blank rows below a short table: only on the screen, until a cell of one is written. That row is then the next new row.

import { MIN_ROWS } from "./grid_geometry.js";
import { isEmpty, redrawCell } from "./values.js";

export class BlankRows {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
  }

  /** @returns {number} how many blank rows are shown now: none where rows are hidden, or have their places by what is in them */
  get wanted() {
    const { mayEdit, columns, review, isNarrowed, view, store, draftsBody } = this.grid;
    if (!mayEdit || review || !columns.length || isNarrowed || view.search || view.filter || view.sort) return 0;
    return MIN_ROWS - store.standing - draftsBody.querySelectorAll(":scope > .is-draft").length;
  }

  lay() {
    const { grid, wanted } = this;
    const { cursor, draftsBody: body, drafts } = grid;
    const shown = drafts.blankRows;
    const spare = shown.slice(Math.max(0, wanted)).filter((tr) => !grid.editor.isIn(tr));
    for (const tr of spare) {
      drafts.drafts.delete(tr.dataset.row ?? "");
      tr.remove();
    }
    for (let count = shown.length; count < wanted; count += 1) body.append(drafts.draw(drafts.keep({ ...drafts.fresh(), blank: true })));
    body.hidden = body.rows.length === 0;
    const last = grid.places.below.at(-1);
    if (last && spare.some((tr) => tr.dataset.row === cursor.rowKey)) cursor.put(last, cursor.col, { scroll: false });
  }

  /** The row becomes a new row that is not saved yet; the blank rows above it follow it. @param {HTMLTableRowElement} tr */
  begin(tr) {
    const { grid } = this;
    const { drafts } = grid;
    const key = tr.dataset.row ?? "";
    const draft = drafts.drafts.get(key);
    draft.blank = false;
    // Columns and defaults may have changed since it was drawn.
    draft.data = drafts.fresh().data;
    drafts.revealRequired();
    // Columns that were shown again have drawn it anew.
    const row = grid.rowElement(key);
    row.classList.replace("is-blank", "is-draft");
    for (const column of grid.columns) {
      const cell = row.querySelector(`td[data-col="${column.id}"]`);
      if (!isEmpty(draft.data[column.id]) && !grid.editor.isIn(cell)) redrawCell(cell, column, draft.data[column.id]);
    }
    // The row itself is not moved: a field in it would lose the focus.
    row.after(...drafts.blankRows.filter((one) => one.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING));
    grid.showCounts();
    return row;
  }
}
