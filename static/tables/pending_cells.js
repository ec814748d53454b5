// Cells whose new values are on their way to the server: what is shown meanwhile, and what the server holds.

/** @typedef {{rowId: string, columnId: string, value: any, saved: any, writes: number}} PendingCell */

export class PendingCells {
  /** @type {Map<string, PendingCell>} */
  #cells = new Map();

  /** @param {string} rowId @param {string} columnId @returns {PendingCell | undefined} */
  at(rowId, columnId) {
    return this.#cells.get(`${rowId} ${columnId}`);
  }

  /** @param {string} rowId @returns {PendingCell[]} */
  ofRow(rowId) {
    return [...this.#cells.values()].filter((cell) => cell.rowId === rowId);
  }

  /** @param {string} rowId @param {string} columnId @param {{value: any, saved: any}} write  saved: what was there, for the first of several */
  begin(rowId, columnId, { value, saved }) {
    const before = this.at(rowId, columnId) ?? { rowId, columnId, saved, writes: 0 };
    this.#cells.set(`${rowId} ${columnId}`, { ...before, value, writes: before.writes + 1 });
  }

  /** One write has come to its end. @param {string} rowId @param {string} columnId @param {{saved?: any}} [outcome]  what the server holds now, if it took it */
  end(rowId, columnId, outcome = {}) {
    const cell = this.at(rowId, columnId);
    if (!cell) return;
    const left = { ...cell, ...("saved" in outcome ? { saved: outcome.saved } : {}), writes: cell.writes - 1 };
    if (left.writes > 0) this.#cells.set(`${rowId} ${columnId}`, left);
    else this.#cells.delete(`${rowId} ${columnId}`);
  }
}
