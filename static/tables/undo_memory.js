// What Ctrl+Z can undo in this tab, remembered beyond a reload and the way to another page of the table and back.

const MOST = 100;

/** For Ctrl+Z: what can be taken back, and what can be done again. */
export class UndoStack {
  /** @param {{done: number[], undone: number[]}} [remembered]  changes that can be undone and redone, the latest last */
  constructor({ done, undone } = { done: [], undone: [] }) {
    this.done = done;
    this.undone = undone;
  }

  /** @param {number | null | undefined} change  a new change makes what was undone unreachable */
  made(change) {
    if (!change) return;
    this.done.push(change);
    this.undone = [];
  }

  /** @returns {number | undefined} the change that Ctrl+Z takes back */
  get nextUndo() {
    return this.done.at(-1);
  }

  /** @returns {number | undefined} the change that Ctrl+Shift+Z does again */
  get nextRedo() {
    return this.undone.at(-1);
  }

  /** @param {number} change  it was undone, here or in another way: it is the next to be redone */
  tookBack(change) {
    this.forget(change);
    this.undone.push(change);
  }

  /** @param {number} change  it was redone, and is the next to be undone */
  didAgain(change) {
    this.forget(change);
    this.done.push(change);
  }

  /** @param {number} change */
  holds(change) {
    return this.done.includes(change) || this.undone.includes(change);
  }

  /** @param {number} change @param {"undo" | "redo"} verb  it can be, after all, and is the next for it */
  putBack(change, verb) {
    (verb === "undo" ? this.done : this.undone).push(change);
  }

  /** @param {number} change  it cannot be undone or redone any more */
  forget(change) {
    this.done = this.done.filter((one) => one !== change);
    this.undone = this.undone.filter((one) => one !== change);
  }
}

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

  /** What was done on a page that has no undo of its own. @param {string} step  "made", "undone" or "redone" @param {number | null | undefined} change */
  take(step, change) {
    if (!change) return;
    const stack = new UndoStack(this.read());
    if (step === "made") stack.made(change);
    else if (step === "undone") stack.tookBack(change);
    else stack.didAgain(change);
    this.write(stack);
  }
}

/** @param {unknown} list @returns {number[]} */
function changeIds(list) {
  return Array.isArray(list) ? list.filter(Number.isInteger) : [];
}
