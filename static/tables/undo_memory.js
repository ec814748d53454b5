// The undo and redo stacks of this tab, stored across reloads and other pages of the table.

const MAX_STORED = 100;

/** @typedef {"made" | "undone" | "redone" | "forget"} UndoStep  the last action on a change */

/** Changes that Ctrl+Z can undo, and those that Ctrl+Shift+Z can redo. */
export class UndoStack {
  /** @param {{done: number[], undone: number[]}} [stored]  changes that can be undone and redone, latest last */
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
   * @param {UndoStep} step  a new change clears the redo stack; an undone or redone change moves to the other stack; "forget" removes it
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
  contains(change) {
    return this.done.includes(change) || this.undone.includes(change);
  }

  /** @param {number} change @param {"undo" | "redo"} verb  restores it as the next one */
  restore(change, verb) {
    (verb === "undo" ? this.done : this.undone).push(change);
  }
}

/** One user's changes of one table. The store is the tab's, so other users and tables have their own entries in it. */
export class UndoMemory {
  /** @param {Pick<Storage, "getItem" | "setItem">} store @param {{readerId?: string, tableId?: string}} whose  data attributes */
  constructor(store, { readerId = "", tableId = "" }) {
    this.store = store;
    this.key = `undo:${readerId}:${tableId}`;
  }

  /** @returns {{done: number[], undone: number[]}} ids of changes, latest last; empty if the stored value is invalid */
  read() {
    try {
      const { done, undone } = JSON.parse(this.store.getItem(this.key) ?? "{}");
      return { done: changeIds(done), undone: changeIds(undone) };
    } catch {
      return { done: [], undone: [] };
    }
  }

  /** @param {{done: number[], undone: number[]}} stack  only the latest changes are stored */
  write({ done, undone }) {
    try {
      this.store.setItem(this.key, JSON.stringify({ done: done.slice(-MAX_STORED), undone: undone.slice(-MAX_STORED) }));
    } catch {
      // The storage is full: the stacks are lost with the page.
    }
  }

  /** Record a step on a page without undo buttons. @param {UndoStep} step @param {number | null | undefined} change */
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
