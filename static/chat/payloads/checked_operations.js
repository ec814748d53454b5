// The operations of a proposal as the person has checked them: what starts checked, what can be, and what comes with what.

/**
 * @typedef {object} Operation  one operation of a preview
 * @property {number} index @property {string} action @property {"ok" | "warning" | "conflict" | "error"} state
 * @property {number} [row_id] @property {string} [column_id] @property {any} [column]
 * @property {Record<string, any>} old @property {Record<string, any>} new
 * @property {{code: string, detail: string, column?: string, value?: any}[]} notes
 * @property {string} [reason] @property {any} [losses]
 */

// There is nothing to overwrite when what it was about is gone.
const GONE = new Set(["row_missing", "column_removed"]);

export class CheckedOperations {
  /** @param {Operation[]} operations */
  constructor(operations) {
    /** @type {Set<number>} */
    this.checked = new Set();
    /** @type {Map<number, Operation>} */
    this.byIndex = new Map();
    this.operations = [];
    this.take(operations);
  }

  /**
   * A fresh preview: what the person decided stays, new operations and those whose state changed start anew. So does a
   * conflict about another value: the person has not agreed to overwrite that one.
   * @param {Operation[]} operations
   */
  take(operations) {
    const before = this.byIndex;
    this.operations = operations;
    this.byIndex = new Map(operations.map((operation) => [operation.index, operation]));
    for (const operation of operations) {
      const known = before.get(operation.index);
      const same = known && startsChecked(known) === startsChecked(operation) && !isAnotherConflict(known, operation);
      if (!same) this.set(operation.index, startsChecked(operation));
      else if (!canCheck(operation)) this.checked.delete(operation.index);
    }
  }

  /** @param {number} index @param {boolean} on  an added column takes along what builds on it when it is unchecked */
  set(index, on) {
    const operation = this.byIndex.get(index);
    if (!operation || (on && !canCheck(operation))) return;
    if (on) this.checked.add(index);
    else this.checked.delete(index);
    if (operation.action !== "add" || !operation.column_id) {
      const added = operation.column_id && this.addedBy(operation.column_id);
      if (on && added) this.checked.add(added.index);
    } else if (!on) {
      for (const other of this.operations) if (other.column_id === operation.column_id) this.checked.delete(other.index);
    }
  }

  /** @param {string} columnId @returns {Operation | undefined} the operation that adds this column */
  addedBy(columnId) {
    return this.operations.find((operation) => operation.action === "add" && operation.column_id === columnId);
  }

  /** @param {boolean} on  conflicts are never checked by a sweep */
  setAll(on) {
    for (const { index, state } of this.operations) if (!on || state !== "conflict") this.set(index, on);
  }

  /** @param {string} action @returns {boolean} whether those of this kind are checked now */
  toggleKind(action) {
    const those = this.operations.filter((operation) => operation.action === action && startsChecked(operation));
    const on = !those.every((operation) => this.checked.has(operation.index));
    for (const { index } of those) this.set(index, on);
    return on;
  }

  /** @param {string} action @returns {boolean} */
  allOfKind(action) {
    const those = this.operations.filter((operation) => operation.action === action && startsChecked(operation));
    return those.length > 0 && those.every((operation) => this.checked.has(operation.index));
  }

  /** @returns {Record<string, number>} how many there are by action, and by state */
  get counts() {
    const counts = { ok: 0, warning: 0, conflict: 0, error: 0 };
    for (const { action, state } of this.operations) {
      counts[action] = (counts[action] ?? 0) + 1;
      counts[state] += 1;
    }
    return counts;
  }

  get total() {
    return this.operations.length;
  }

  get selected() {
    return this.checked.size;
  }

  /** @returns {number[]} the conflicts that are checked: the person wants the proposed value all the same */
  get overwrites() {
    return this.operations.filter(({ state, index }) => state === "conflict" && this.checked.has(index)).map(({ index }) => index);
  }

  /** @returns {"all" | number[]} */
  get choice() {
    if (this.checked.size === this.operations.length) return "all";
    return [...this.checked].sort((a, b) => a - b);
  }
}

/** @param {Operation} operation */
export function startsChecked(operation) {
  return operation.state === "ok" || operation.state === "warning";
}

/** @param {Operation} known @param {Operation} operation  the same one in a later preview */
function isAnotherConflict(known, operation) {
  return operation.state === "conflict" && JSON.stringify(known.old) !== JSON.stringify(operation.old);
}

/** @param {Operation} operation */
export function canCheck(operation) {
  return operation.state !== "error" && !operation.notes.some((note) => GONE.has(note.code));
}
