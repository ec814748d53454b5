// The rows a grid knows: some of `count`, each at its place, read and given up in blocks. Knows neither page nor server.

import { MOST_ROWS } from "./grid_geometry.js";

/** @typedef {{id: number | string, version: number, data: Record<string, any>}} Row */

export const BLOCK = 100;
const MOST_BLOCKS = 12;

export class RowStore {
  /** @param {Row[]} rows @param {{offset?: number, count?: number}} [where] */
  constructor(rows, { offset = 0, count = rows.length } = {}) {
    /** Rows that were just added: nowhere yet. @type {Map<string, Row>} */
    this.added = new Map();
    /** How many of them the server has not counted yet. */
    this.uncounted = 0;
    /** Rows that stand among the others but are none of them any more, by what was written into them here. @type {Set<string>} */
    this.unfit = new Set();
    /** @type {Map<number, Row>} */
    this.placed = new Map();
    /** @type {Map<string, number>} */
    this.places = new Map();
    this.reset(rows, { offset, count });
  }

  /** @param {Row[]} rows @param {{offset: number, count: number}} where  nothing else is known from now on */
  reset(rows, { offset, count }) {
    rows = rows.map((row) => this.newest(row));
    for (const known of [this.added, this.placed, this.places]) known.clear();
    this.place(rows, { offset, count });
  }

  /** @param {Row[]} rows  as they lie from `offset` on @param {{offset: number, count: number}} where */
  place(rows, { offset, count }) {
    this.total = count;
    this.uncounted = 0;
    this.unfit.clear();
    rows.forEach((row, step) => this.put(row, offset + step));
    for (const index of [...this.placed.keys()]) if (index >= count) this.forget(index);
  }

  /** @param {Row} row  as it was read @returns {Row} as it is known: an answer may have been overtaken by a later one */
  newest(row) {
    const known = this.get(row.id);
    return known && known.version > row.version ? known : row;
  }

  /** @param {Row} row @param {number} index  a row that moved meanwhile is known at its new place only */
  put(row, index) {
    const id = String(row.id);
    const newest = this.newest(row);
    const before = this.places.get(id);
    if (before !== undefined && before !== index) this.placed.delete(before);
    if (this.placed.has(index)) this.places.delete(String(this.placed.get(index).id));
    this.placed.set(index, newest);
    this.places.set(id, index);
  }

  /** @param {number} index */
  forget(index) {
    const row = this.placed.get(index);
    if (!row) return;
    this.placed.delete(index);
    this.places.delete(String(row.id));
  }

  /** @returns {number} how many rows there are, those that were just added among them */
  get count() {
    return Math.max(0, this.standing - this.unfit.size);
  }

  /** @returns {number} how many rows are there to be seen: some of them, perhaps, until rows are read again */
  get standing() {
    return this.total + this.uncounted;
  }

  /** @returns {number} how many rows have a place to be scrolled to */
  get length() {
    return Math.min(this.total, MOST_ROWS);
  }

  /** @returns {Row[]} the known ones, in their order */
  get rows() {
    return [...this.placed].sort(([one], [other]) => one - other).map(([, row]) => row);
  }

  /** @param {number} index @returns {Row | undefined} */
  at(index) {
    return this.placed.get(index);
  }

  /** @param {Row} row  a row that was just added; its place is not known until it is read */
  know(row) {
    if (!this.added.has(String(row.id))) this.uncounted += 1;
    this.added.set(String(row.id), row);
  }

  /** @param {number | string} id */
  get(id) {
    const index = this.places.get(String(id));
    return index === undefined ? this.added.get(String(id)) : this.placed.get(index);
  }

  /** @param {number | string} id @returns {number} its place among all rows, -1 while that is not known */
  indexOf(id) {
    return this.places.get(String(id)) ?? -1;
  }

  /** @param {Row} row  replaces what is known of it, unless that is newer */
  renew(row) {
    const known = this.get(row.id);
    if (!known || row.version < known.version) return false;
    known.version = row.version;
    known.data = row.data;
    return true;
  }

  /**
   * What was written, before it is read again: nothing that is over by now stands there meanwhile.
   * @param {{changed: Map<number, Record<string, any>>, deleted: number[], added: Row[]}} done
   * @param {{atEnd: boolean}} how  whether rows that are added come after all others; else their place is not known
   */
  carryOut({ changed, deleted, added }, { atEnd }) {
    for (const [id, cells] of changed) {
      const row = this.get(id);
      if (row) row.data = { ...row.data, ...cells };
    }
    this.remove(deleted);
    for (const row of added) {
      if (!atEnd) this.know(row);
      else this.put(row, this.total++);
    }
  }

  /** @param {number[]} ids  of rows that are gone; those below them move up */
  remove(ids) {
    const gone = ids.map((id) => this.indexOf(id)).filter((index) => index >= 0).sort((one, other) => one - other);
    const rows = [...this.placed].sort(([one], [other]) => one - other);
    this.placed.clear();
    this.places.clear();
    let above = 0;
    for (const [index, row] of rows) {
      while (gone[above] < index) above += 1;
      if (gone[above] !== index) this.put(row, index - above);
    }
    this.total = Math.max(0, this.total - ids.length);
    for (const index of [...this.placed.keys()]) if (index >= this.total) this.forget(index);
  }

  /** @param {{first: number, last: number}} span @returns {number[]} numbers of blocks with rows that are not known */
  missing({ first, last }) {
    const end = Math.min(last, this.length);
    const blocks = [];
    for (let block = Math.floor(first / BLOCK); block * BLOCK < end; block += 1) if (!this.isWhole(block)) blocks.push(block);
    return blocks;
  }

  /** @param {number} block */
  isWhole(block) {
    const end = Math.min((block + 1) * BLOCK, this.length);
    for (let index = block * BLOCK; index < end; index += 1) if (!this.placed.has(index)) return false;
    return true;
  }

  /** @param {{first: number, last: number}} span  gives up the blocks that lie farthest from it, when there are many */
  keepNear({ first, last }) {
    if (this.placed.size <= MOST_BLOCKS * BLOCK) return;
    const middle = (first + last) / 2 / BLOCK;
    const blocks = [...new Set([...this.placed.keys()].map((index) => Math.floor(index / BLOCK)))];
    blocks.sort((one, other) => Math.abs(one + 0.5 - middle) - Math.abs(other + 0.5 - middle));
    const kept = new Set(blocks.slice(0, MOST_BLOCKS));
    for (const index of [...this.placed.keys()]) if (!kept.has(Math.floor(index / BLOCK))) this.forget(index);
  }
}

/** Every row the cursor can reach, from top to bottom: proposed ones, the saved ones (in sight or not), drafts. */
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

  /** @returns {number} how many rows there are above the blank ones */
  get filled() {
    return this.total - this.grid.drafts.blankRows.length;
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
