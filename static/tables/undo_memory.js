// What Ctrl+Z can undo in this tab, remembered beyond a reload and the way to another page of the table and back.

const MOST = 100;

/** One person's changes of one table. The store is the tab's, so other people and tables have their own entries in it. */
export class UndoMemory {
  /** @param {Pick<Storage, "getItem" | "setItem">} store @param {{readerId?: string, tableId?: string}} whose  data attributes of the page's part */
  constructor(store, { readerId = "", tableId = "" }) {
    this.store = store;
    this.key = `undo:${readerId}:${tableId}`;
  }

  /** @returns {{done: number[], undone: number[]}} ids of changes, the latest last; empty where what is stored is none of ours */
  read() {
    try {
      const { done, undone } = JSON.parse(this.store.getItem(this.key) ?? "{}");
      return { done: changeIds(done), undone: changeIds(undone) };
    } catch {
      return { done: [], undone: [] };
    }
  }

  /** @param {{done: number[], undone: number[]}} stack  only its latest changes are remembered */
  write({ done, undone }) {
    try {
      this.store.setItem(this.key, JSON.stringify({ done: done.slice(-MOST), undone: undone.slice(-MOST) }));
    } catch {
      // A full store: then they are forgotten with the page, as they would be without it.
    }
  }

  /** @param {number | null | undefined} change  made on a page that has no undo of its own */
  add(change) {
    if (change) this.write({ done: [...this.read().done, change], undone: [] });
  }
}

/** @param {unknown} list @returns {number[]} */
function changeIds(list) {
  return Array.isArray(list) ? list.filter(Number.isInteger) : [];
}
