// Corrections of found values, by fill and row, in the storage of this browser until they are applied.

export class StoredEdits {
  constructor() {
    /** @type {Map<string, Record<string, Record<string, any>>>} */
    this.known = new Map();
  }

  /** @param {string} fillId @returns {Record<string, Record<string, any>>} by row id, then by column id */
  all(fillId) {
    const known = this.known.get(fillId) ?? readStored(keyOf(fillId));
    this.known.set(fillId, known);
    return known;
  }

  /** @param {string} fillId @param {string} rowId @returns {Record<string, any>} */
  of(fillId, rowId) {
    return this.all(fillId)[rowId] ?? {};
  }

  /** @param {string} fillId @param {string} rowId @param {string} columnId @param {any} value  undefined removes the correction */
  set(fillId, rowId, columnId, value) {
    const all = this.all(fillId);
    const { [columnId]: _, ...others } = all[rowId] ?? {};
    const cells = value === undefined ? others : { ...others, [columnId]: value };
    if (Object.keys(cells).length) all[rowId] = cells;
    else delete all[rowId];
    try {
      localStorage.setItem(keyOf(fillId), JSON.stringify(all));
    } catch {
      // Without storage, corrections last as long as the page.
    }
  }

  /** @param {string} fillId */
  clear(fillId) {
    this.known.delete(fillId);
    localStorage.removeItem(keyOf(fillId));
  }
}

/** @param {string} fillId */
const keyOf = (fillId) => `fill-edits ${fillId}`;

/** @param {string} key */
function readStored(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}");
  } catch {
    return {};
  }
}
