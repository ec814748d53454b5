// The changes this tab made, for Ctrl+Z: what can be taken back, and what can be done again.

export class UndoStack {
  constructor() {
    /** @type {number[]} */
    this.done = [];
    /** @type {number[]} */
    this.undone = [];
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

  /** The last change was taken back. */
  tookBack() {
    const change = this.done.pop();
    if (change) this.undone.push(change);
  }

  /** The last change that was taken back is in force again. */
  didAgain() {
    const change = this.undone.pop();
    if (change) this.done.push(change);
  }

  /** @param {number} change  it cannot be undone or redone any more */
  forget(change) {
    this.done = this.done.filter((one) => one !== change);
    this.undone = this.undone.filter((one) => one !== change);
  }
}
