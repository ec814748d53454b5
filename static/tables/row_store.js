// The loaded rows of a grid by index, read and evicted in blocks. No DOM, no requests.

import { MAX_ROWS } from "./grid_geometry.js";

/** @typedef {{id: number | string, version: number, data: Record<string, any>}} Row */

export const BLOCK = 100;
const MAX_BLOCKS = 12;

export class RowStore {
  /** @param {Row[]} rows @param {{offset?: number, count?: number, isExact?: boolean}} [where] */
  constructor(rows, { offset = 0, count = rows.length, isExact = true } = {}) {
    /** Rows that were just added and have no index yet. @type {Map<string, Row>} */
    this.added = new Map();
    /** Number of added rows that are not in the server's count. */
    this.uncounted = 0;
    /** Rows that are still shown but do not match any more after an edit. @type {Set<string>} */
    this.unmatched = new Set();
    /** @type {Map<number, Row>} */
    this.byIndex = new Map();
    /** @type {Map<string, number>} */
    this.indexById = new Map();
    this.reset(rows, { offset, count, isExact });
  }

  /** @param {Row[]} rows @param {{offset: number, count: number, isExact?: boolean}} where  all other rows are forgotten */
  reset(rows, where) {
    rows = rows.map((row) => this.newest(row));
    for (const known of [this.added, this.byIndex, this.indexById]) known.clear();
    this.setRows(rows, where);
  }

  /** @param {Row[]} rows  from `offset` on @param {{offset: number, count: number, isExact?: boolean}} where  isExact: whether the count is */
  setRows(rows, { offset, count, isExact = true }) {
    this.total = count;
    this.isExact = isExact;
    this.uncounted = 0;
    this.unmatched.clear();
    rows.forEach((row, step) => this.put(row, offset + step));
    this.forgetBeyond();
  }

  /** @param {number} count  exact number of matching rows; added and unmatched rows are shown as before */
  setCount(count) {
    this.total = Math.max(0, count + this.unmatched.size - this.uncounted);
    this.isExact = true;
    this.forgetBeyond();
  }

  forgetBeyond() {
    for (const index of [...this.byIndex.keys()]) if (index >= this.total) this.forget(index);
  }

  /** @param {Row} row  from a response @returns {Row} the newer version of it and the loaded row */
  newest(row) {
    const known = this.get(row.id);
    return known && known.version > row.version ? known : row;
  }

  /** @param {Row} row @param {number} index  removes a previous index of the row */
  put(row, index) {
    const id = String(row.id);
    const newest = this.newest(row);
    const before = this.indexById.get(id);
    if (before !== undefined && before !== index) this.byIndex.delete(before);
    if (this.byIndex.has(index)) this.indexById.delete(String(this.byIndex.get(index).id));
    this.byIndex.set(index, newest);
    this.indexById.set(id, index);
  }

  /** @param {number} index */
  forget(index) {
    const row = this.byIndex.get(index);
    if (!row) return;
    this.byIndex.delete(index);
    this.indexById.delete(String(row.id));
  }

  /** @returns {number} number of matching rows, including added ones */
  get count() {
    return Math.max(0, this.displayedCount - this.unmatched.size);
  }

  /** @returns {number} number of rows that are shown, including unmatched ones */
  get displayedCount() {
    return this.total + this.uncounted;
  }

  /** @returns {number} number of rows that can be scrolled to */
  get length() {
    return Math.min(this.total, MAX_ROWS);
  }

  /** @returns {Row[]} the loaded rows, in order */
  get rows() {
    return [...this.byIndex].sort(([one], [other]) => one - other).map(([, row]) => row);
  }

  /** @param {number} index @returns {Row | undefined} */
  at(index) {
    return this.byIndex.get(index);
  }

  /** @param {Row} row  a new row whose index is unknown until it is read */
  addUnplaced(row) {
    if (!this.added.has(String(row.id))) this.uncounted += 1;
    this.added.set(String(row.id), row);
  }

  /** @param {number | string} id */
  get(id) {
    const index = this.indexById.get(String(id));
    return index === undefined ? this.added.get(String(id)) : this.byIndex.get(index);
  }

  /** @param {number | string} id @returns {number} its index, -1 if unknown */
  indexOf(id) {
    return this.indexById.get(String(id)) ?? -1;
  }

  /** @param {Row} row  replaces the loaded one, unless that is newer */
  update(row) {
    const known = this.get(row.id);
    if (!known || row.version < known.version) return false;
    known.version = row.version;
    known.data = row.data;
    return true;
  }

  /**
   * Apply changes that were written, before the rows are read again.
   * @param {{changed: Map<number, Record<string, any>>, deleted: number[], added: Row[]}} done
   * @param {{atEnd: boolean}} how  whether added rows are the last ones; else their index is unknown
   */
  applyChanges({ changed, deleted, added }, { atEnd }) {
    for (const [id, cells] of changed) {
      const row = this.get(id);
      if (row) row.data = { ...row.data, ...cells };
    }
    this.remove(deleted);
    for (const row of added) {
      if (!atEnd) this.addUnplaced(row);
      else this.put(row, this.total++);
    }
  }

  /** @param {number[]} ids  of deleted rows; rows below move up */
  remove(ids) {
    const deleted = ids.map((id) => this.indexOf(id)).filter((index) => index >= 0).sort((one, other) => one - other);
    const rows = [...this.byIndex].sort(([one], [other]) => one - other);
    this.byIndex.clear();
    this.indexById.clear();
    let above = 0;
    for (const [index, row] of rows) {
      while (deleted[above] < index) above += 1;
      if (deleted[above] !== index) this.put(row, index - above);
    }
    this.total = Math.max(0, this.total - ids.length);
    this.forgetBeyond();
  }

  /** @param {{first: number, last: number}} span @returns {number[]} blocks with rows that are not loaded */
  missing({ first, last }) {
    const end = Math.min(last, this.length);
    const blocks = [];
    for (let block = Math.floor(first / BLOCK); block * BLOCK < end; block += 1) if (!this.isWhole(block)) blocks.push(block);
    return blocks;
  }

  /** @param {number} block */
  isWhole(block) {
    const end = Math.min((block + 1) * BLOCK, this.length);
    for (let index = block * BLOCK; index < end; index += 1) if (!this.byIndex.has(index)) return false;
    return true;
  }

  /** @param {{first: number, last: number}} span  evicts the farthest blocks if there are many */
  evictFar({ first, last }) {
    if (this.byIndex.size <= MAX_BLOCKS * BLOCK) return;
    const middle = (first + last) / 2 / BLOCK;
    const blocks = [...new Set([...this.byIndex.keys()].map((index) => Math.floor(index / BLOCK)))];
    blocks.sort((one, other) => Math.abs(one + 0.5 - middle) - Math.abs(other + 0.5 - middle));
    const nearest = new Set(blocks.slice(0, MAX_BLOCKS));
    for (const index of [...this.byIndex.keys()]) if (!nearest.has(Math.floor(index / BLOCK))) this.forget(index);
  }
}

/** All rows that the cursor can reach, from top to bottom: proposed, stored (visible or not), unsaved. */
export class ReachableRows {
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

  /** @returns {number} number of stored rows that can be reached */
  get saved() {
    return this.grid.rowsBody.hidden ? 0 : this.grid.store.length;
  }

  get total() {
    return this.above.length + this.saved + this.below.length;
  }

  /** @returns {number} number of rows above the blank ones */
  get filled() {
    return this.total - this.grid.drafts.blankRows.length;
  }

  /** @returns {number} position of the cursor's row, -1 if it is in none */
  get current() {
    const { rowKey, index } = this.grid.cursor;
    const { above, below, saved } = this;
    if (index >= 0) return index < saved ? above.length + index : -1;
    const upper = above.findIndex((tr) => tr.dataset.row === rowKey);
    if (upper >= 0) return upper;
    const lower = below.findIndex((tr) => tr.dataset.row === rowKey);
    return lower < 0 ? -1 : above.length + saved + lower;
  }

  /** @returns {HTMLTableRowElement | undefined} the first visible row, where the cursor starts without scrolling */
  get firstInSight() {
    const { window: shown } = this.grid;
    const { top } = shown.view;
    const index = shown.geometry.indexAt(top + shown.geometry.rowHeight - 1);
    return (top < 0 ? this.above[0] : undefined) ?? (this.saved ? shown.rowAt(index) : this.below[0]);
  }

  /** @param {number} position @returns {HTMLTableRowElement | undefined} the row, scrolled into view */
  at(position) {
    const { above, below, saved } = this;
    if (position < above.length) return above[position];
    if (position < above.length + saved) return this.grid.window.reveal(position - above.length);
    return below[position - above.length - saved];
  }
}

/** @param {HTMLTableSectionElement} body @returns {HTMLTableRowElement[]} */
function rowsOf(body) {
  return body.hidden ? [] : [...body.rows].filter((tr) => tr.dataset.row && !tr.classList.contains("opnote"));
}
