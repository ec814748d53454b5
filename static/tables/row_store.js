// The rows a grid knows: a run of rows from `offset` on, out of `count`. Knows neither page nor server.

/** @typedef {{id: number | string, version: number, data: Record<string, any>}} Row */

export class RowStore {
  /** @param {Row[]} rows @param {{offset?: number, count?: number}} [where] */
  constructor(rows, { offset = 0, count = rows.length } = {}) {
    this.reset(rows, { offset, count });
  }

  /** @param {Row[]} rows @param {{offset: number, count: number}} where */
  reset(rows, { offset, count }) {
    this.offset = offset;
    this.count = count;
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Map<string, Row>} */
    this.byId = new Map();
    /** @type {Set<string>} */
    this.placed = new Set();
    this.append(rows);
  }

  /** @param {Row[]} rows @returns {Row[]} those that were not known yet (a row may have moved while pages were read) */
  append(rows) {
    const fresh = rows.filter((row) => !this.placed.has(String(row.id)));
    for (const row of fresh) {
      this.placed.add(String(row.id));
      this.byId.set(String(row.id), row);
    }
    this.rows.push(...fresh);
    return fresh;
  }

  /** @param {Row} row  a row that was just added; its place is not known until its page is read */
  know(row) {
    this.byId.set(String(row.id), row);
    this.count += 1;
  }

  /** @param {number | string} id */
  get(id) {
    return this.byId.get(String(id));
  }

  /** @param {number | string} id @returns {number} its place among the known rows, -1 for an unknown one */
  indexOf(id) {
    return this.rows.findIndex((row) => String(row.id) === String(id));
  }

  /** @param {Row} row  replaces what is known of it */
  put(row) {
    const known = this.get(row.id);
    if (!known) return false;
    known.version = row.version;
    known.data = row.data;
    return true;
  }

  /** @returns {boolean} whether rows are still to be read behind the last known one */
  get hasMore() {
    return this.offset + this.rows.length < this.count;
  }

  /** @returns {number} where the next page begins */
  get nextOffset() {
    return this.offset + this.rows.length;
  }
}
