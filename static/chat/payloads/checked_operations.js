// The operations of a proposal with their checkboxes: defaults, what can be checked, dependencies.

/**
 * @typedef {object} Operation  one operation of a preview
 * @property {number} index @property {string} action @property {"ok" | "warning" | "conflict" | "error"} state
 * @property {number} [row_id] @property {string} [column_id] @property {any} [column]
 * @property {Record<string, any>} old @property {Record<string, any>} new
 * @property {{code: string, detail: string, column?: string, value?: any}[]} notes
 * @property {string} [reason] @property {any} [losses]
 */

// Nothing can be overwritten if the row or column does not exist any more.
const MISSING_CODES = new Set(["row_missing", "column_removed"]);

export class CheckedOperations {
  /** @param {Operation[]} operations */
  constructor(operations) {
    /** @type {Set<number>} */
    this.checked = new Set();
    /** @type {Map<number, Operation>} */
    this.byIndex = new Map();
    this.operations = [];
    this.update(operations);
  }

  /**
   * Take over a new preview. Decisions of the user stay, except for operations whose state has changed, and conflicts about
   * another value, which the user has not agreed to overwrite.
   * @param {Operation[]} operations
   */
  update(operations) {
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

  /** @param {number} index @param {boolean} on  unchecking an added column also unchecks operations on it */
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

  /** @param {boolean} on  conflicts are only checked one by one */
  setAll(on) {
    for (const { index, state } of this.operations) if (!on || state !== "conflict") this.set(index, on);
  }

  /** @param {string} action @returns {boolean} whether operations of this kind are checked now */
  toggleKind(action) {
    const ofKind = this.operations.filter((operation) => operation.action === action && startsChecked(operation));
    const on = !ofKind.every((operation) => this.checked.has(operation.index));
    for (const { index } of ofKind) this.set(index, on);
    return on;
  }

  /** @param {string} action @returns {boolean} */
  isKindChecked(action) {
    const ofKind = this.operations.filter((operation) => operation.action === action && startsChecked(operation));
    return ofKind.length > 0 && ofKind.every((operation) => this.checked.has(operation.index));
  }

  /** @returns {Record<string, number>} number of operations by action, and by state */
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

  /** @returns {number[]} the checked conflicts, in which the proposed value overwrites the current one */
  get overwrites() {
    return this.operations.filter(({ state, index }) => state === "conflict" && this.checked.has(index)).map(({ index }) => index);
  }

  /** @returns {"all" | number[]} */
  get chosen() {
    if (this.checked.size === this.operations.length) return "all";
    return [...this.checked].sort((a, b) => a - b);
  }
}

/** @param {Operation} operation */
export function startsChecked(operation) {
  return operation.state === "ok" || operation.state === "warning";
}

/** @param {Operation} known @param {Operation} operation  of a later preview */
function isAnotherConflict(known, operation) {
  return operation.state === "conflict" && JSON.stringify(known.old) !== JSON.stringify(operation.old);
}

/** @param {Operation} operation */
export function canCheck(operation) {
  return operation.state !== "error" && !operation.notes.some((note) => MISSING_CODES.has(note.code));
}
