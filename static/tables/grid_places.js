// Every row the cursor can reach, from top to bottom: proposed ones, the saved ones (in sight or not), drafts.

export class GridPlaces {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
  }

  /** @returns {HTMLTableRowElement[]} */
  get above() {
    return rowsOf(this.grid.proposedBody);
  }

  /** @returns {HTMLTableRowElement[]} */
  get below() {
    return rowsOf(this.grid.draftsBody);
  }

  /** @returns {number} how many saved rows can be reached */
  get saved() {
    return this.grid.rowsBody.hidden ? 0 : this.grid.store.length;
  }

  get total() {
    return this.above.length + this.saved + this.below.length;
  }

  /** @returns {number} the place of the cursor's row among all, -1 while it is nowhere */
  get current() {
    const { rowKey, index } = this.grid.cursor;
    const { above, below, saved } = this;
    if (index >= 0) return index < saved ? above.length + index : -1;
    const upper = above.findIndex((tr) => tr.dataset.row === rowKey);
    if (upper >= 0) return upper;
    const lower = below.findIndex((tr) => tr.dataset.row === rowKey);
    return lower < 0 ? -1 : above.length + saved + lower;
  }

  /** @returns {HTMLTableRowElement | undefined} where the cursor begins: nothing moves for it */
  get firstInSight() {
    const { window: shown } = this.grid;
    const { top } = shown.view;
    const index = shown.geometry.indexAt(top + shown.geometry.rowHeight - 1);
    return (top < 0 ? this.above[0] : undefined) ?? (this.saved ? shown.rowAt(index) : this.below[0]);
  }

  /** @param {number} place @returns {HTMLTableRowElement | undefined} the row there, scrolled into sight */
  at(place) {
    const { above, below, saved } = this;
    if (place < above.length) return above[place];
    if (place < above.length + saved) return this.grid.window.reveal(place - above.length);
    return below[place - above.length - saved];
  }
}

/** @param {HTMLTableSectionElement} body @returns {HTMLTableRowElement[]} */
function rowsOf(body) {
  return body.hidden ? [] : [...body.rows].filter((tr) => tr.dataset.row && !tr.classList.contains("opnote"));
}
