// What Ctrl+Z can undo in this tab, remembered beyond a reload and the way to another page of the table and back.

const MOST = 100;

/** @typedef {"made" | "undone" | "redone" | "forget"} UndoStep  what happened to a change */

/** Changes that Ctrl+Z can undo, and those that Ctrl+Shift+Z can redo. */
export class UndoStack {
  /** @param {{done: number[], undone: number[]}} [remembered]  changes that can be undone and redone, the latest last */
  constructor({ done, undone } = { done: [], undone: [] }) {
    this.done = done;
    this.undone = undone;
  }

  /** @returns {number | undefined} the change that Ctrl+Z undoes */
  get nextUndo() {
    return this.done.at(-1);
  }

  /** @returns {number | undefined} the change that Ctrl+Shift+Z redoes */
  get nextRedo() {
    return this.undone.at(-1);
  }

  /**
   * @param {UndoStep} step  a new change makes what was undone unreachable; one that was undone or redone, here or elsewhere, is the
   *   next to be redone or undone; one to forget cannot be either any more
   * @param {number | null | undefined} change
   */
  record(step, change) {
    if (!change) return;
    this.done = this.done.filter((one) => one !== change);
    this.undone = step === "made" ? [] : this.undone.filter((one) => one !== change);
    if (step === "undone") this.undone.push(change);
    else if (step !== "forget") this.done.push(change);
  }

  /** @param {number} change */
  holds(change) {
    return this.done.includes(change) || this.undone.includes(change);
  }

  /** @param {number} change @param {"undo" | "redo"} verb  it can be, after all, and is the next for it */
  putBack(change, verb) {
    (verb === "undo" ? this.done : this.undone).push(change);
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

  /** A step that was taken on a page that has no undo of its own. @param {UndoStep} step @param {number | null | undefined} change */
  record(step, change) {
    const stack = new UndoStack(this.read());
    stack.record(step, change);
    this.write(stack);
  }
}

/** @param {unknown} list @returns {number[]} */
function changeIds(list) {
  return Array.isArray(list) ? list.filter(Number.isInteger) : [];
}
