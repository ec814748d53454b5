// Reports cells that were not written, with reasons, shows them, and marks them until they are written again.

import { el, toast as showErrorToast } from "../element.js";
import { positionPopover } from "../popover_position.js";
import { t, tn } from "../locale.js";
import { leftOutMessages, openLeftOut, positionOf } from "./refused_rows.js";
import { restoreUnsaved } from "./range_writes.js";
import { displayText, isEmpty, quoted } from "./values.js";

const MAX_REASONS = 3;
const MESSAGES = {
  pasted: { count: (/** @type {number} */ count) => tn("{count} cell was not pasted.", "{count} cells were not pasted.", count), mark: (/** @type {Values} */ values) => t("Not pasted. {reason}", values) },
  emptied: { count: (/** @type {number} */ count) => tn("{count} cell was not cleared.", "{count} cells were not cleared.", count), mark: (/** @type {Values} */ values) => t("Not cleared. {reason}", values) },
};
// New rows have no stored cells.
const CELL_PATH = /^rows\[(\d+)\]\.(?:data\.)?([^.]+)$/;

/** @typedef {{path?: string, code?: string, detail: string}} Fault */
/** @typedef {import("./grid_writer.js").UnsavedEdit} UnsavedEdit */

export class RefusedCells {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.note = el("div", { class: "value-hint", popover: "manual" });
    /** The toast about the last bulk write with errors. @type {HTMLElement | undefined} */
    this.toast = undefined;
    grid.addEventListener("grid-redrawn", () => this.discardOfColumns());
    for (const eventName of ["grid-drawn", "grid-redrawn", "grid-written"]) grid.addEventListener(eventName, () => this.showNote());
    grid.addEventListener("change-undo-toggled", (event) => this.forget(/** @type {CustomEvent} */ (event).detail.change));
    grid.addEventListener("cell-cursor", () => this.showNote());
    grid.table.addEventListener("focus", () => this.showNote());
    grid.table.addEventListener("blur", () => this.note.remove());
  }

  /** Show one toast about all unsaved edits. */
  showUnsaved() {
    const { writer } = this.grid;
    this.discardOfColumns();
    this.discardOfRows();
    const { unsaved } = writer;
    writer.toast?.remove();
    if (!unsaved.length) return;
    const [first] = unsaved;
    const one = unsaved.length === 1;
    const text = one ? t("{column} was not saved. {reason}", { column: first.column.name, reason: first.reason }) : tn("{count} cell is not saved.", "{count} cells are not saved.", unsaved.length);
    writer.toast = showErrorToast(text, { kind: "error", actions: one ? this.actionsForOne(first) : this.actionsForMany(unsaved) });
  }

  /**
   * @param {Column} column
   * @param {any} mine @param {any} theirs  differ @returns {string} text with the typed value and the one that another user has stored
   */
  bothValues(column, mine, theirs) {
    const [written, now] = [mine, theirs].map((value) => quoted(displayText(column, value)));
    if (isEmpty(mine)) return t("You cleared it. It is now “{value}”.", { value: now });
    if (isEmpty(theirs)) return t("You entered “{written}”. It is now empty.", { written });
    return t("You entered “{written}”. It is now “{value}”.", { written, value: now });
  }

  /** @param {UnsavedEdit} edit @returns {{label: string, run: () => void}[]} */
  actionsForOne(edit) {
    const { writer } = this.grid;
    const discard = { label: t("Discard"), run: () => void writer.discard(edit.rowId, edit.column) };
    if (edit.failure === "invalid") return [{ label: t("Edit"), run: () => this.edit(edit) }, discard];
    const label = edit.failure === "conflict" ? t("Overwrite") : t("Retry");
    return [{ label, run: () => writer.retry(edit) }, discard];
  }

  /**
   * @param {UnsavedEdit[]} edits
   * @returns {{label: string, run: () => void}[]} invalid values and conflicts are not sent again with the others
   */
  actionsForMany(edits) {
    const { writer } = this.grid;
    const repeatable = edits.filter(({ failure }) => failure !== "invalid" && failure !== "conflict");
    const retry = { label: t("Retry"), run: () => repeatable.forEach((edit) => writer.retry(edit)) };
    const discard = { label: t("Discard all"), run: () => writer.discardAll(writer.unsaved) };
    const show = () => {
      const cells = edits.map(({ rowId, column }) => ({ rowId, columnId: column.id }));
      this.goTo(cells.find((cell) => this.isShown(cell)) ?? cells[0]);
      this.showUnsaved();
    };
    return [...(repeatable.length ? [retry] : []), discard, { label: t("Show"), run: show }];
  }

  /** Discard edits of deleted columns. */
  discardOfColumns() {
    const ids = new Set(this.grid.allColumns.map(({ id }) => id));
    this.discardDeleted(({ column }) => !ids.has(column.id));
  }

  /** Discard edits of deleted rows; a 404 may also be about the whole table. */
  discardOfRows() {
    const { reading, writer } = this.grid;
    const missing = writer.unsaved.filter(({ failure }) => failure === "missing");
    if (!missing.length) return;
    reading.readRows(missing.map(({ rowId }) => Number(rowId))).then((rows) => {
      const ids = new Set(rows.map(({ id }) => String(id)));
      this.discardDeleted((edit) => missing.includes(edit) && !ids.has(edit.rowId));
    }, () => {});
  }

  /** @param {(edit: UnsavedEdit) => boolean} isDeleted  whether its row or column was deleted */
  discardDeleted(isDeleted) {
    const { writer } = this.grid;
    const deleted = writer.unsaved.filter(isDeleted);
    if (!deleted.length) return;
    writer.discardAll(deleted);
    const values = deleted.map(({ column, value }) => (isEmpty(value) ? column.name : `${column.name} “${quoted(displayText(column, value))}”`)).join(", ");
    showErrorToast(t("Not saved, because the row or column was deleted: {values}.", { values }), { kind: "error" });
  }

  /** @param {UnsavedEdit} edit  open its cell with the typed text */
  edit({ rowId, column }) {
    if (this.goTo({ rowId, columnId: column.id })) this.grid.cursor.edit();
    this.showUnsaved();
  }

  /** Report that nothing was written. @param {{id: number}[]} rows  empty for new rows @param {string} refusal @param {any} error */
  refused(rows, refusal, error) {
    /** @type {Fault[]} */
    const faults = error.errors ?? [];
    this.mark(faults, rows);
    const reasons = faults.length ? this.reasonTexts(faults, { rows, count: faults.length }) : [error.message];
    this.showToast([refusal, ...reasons], this.actions(faults, rows));
  }

  /**
   * Report skipped cells and rows.
   * @param {({id: number} | undefined)[]} rows  undefined for rows that were not added
   * @param {{skipped: Fault[], skipped_count: number, skipped_of_not_added?: number, change: number | null}} outcome
   * @param {{unsaved?: Map<string, import("./grid_writer.js").CellError>, done?: keyof typeof MESSAGES, leftOut?: Map<number,
   *   import("./refused_rows.js").LeftOutRow>, numbers?: number[]}} [how]
   *   unsaved: previous edits of the cells; leftOut: rows that were not added; numbers: pasted line numbers of all rows, from
   *   1, used in messages if rows were left out
   */
  skipped(rows, { skipped: faults, skipped_count: all, skipped_of_not_added: skippedOfLeftOut, change }, { unsaved = new Map(), done = "pasted", leftOut = new Map(), numbers = [] } = {}) {
    const skipped = faults.filter((fault) => !leftOut.has(positionOf(fault)));
    const count = all - (skippedOfLeftOut ?? faults.length - skipped.length);
    const keys = skipped.map((fault) => cellOf(fault, rows)).map((cell) => `${cell?.rowId} ${cell?.columnId}`);
    restoreUnsaved(this.grid.writer, new Map([...unsaved].filter(([key]) => keys.includes(key))));
    this.mark(skipped, rows, { done, change });
    const draftRows = leftOut.size ? openLeftOut(this.grid, leftOut, { faults, change }) : null;
    const aboutRows = draftRows ? [...leftOutMessages(leftOut, faults), draftRows.words] : [];
    const aboutCells = count ? [MESSAGES[done].count(count), ...this.reasonTexts(skipped, { rows, count, numbers: leftOut.size ? numbers : [] })] : [];
    const undo = change ? [this.grid.writer.undoRedo.undoAction(change)] : [];
    const show = draftRows ? [{ label: t("Show"), run: draftRows.show }] : this.actions(skipped, rows);
    this.showToast([...aboutRows, ...aboutCells], [...show, ...undo]);
  }

  /** @param {string[]} sentences  replace those about the previous write @param {{label: string, run: () => void}[]} actions */
  showToast(sentences, actions) {
    this.toast?.remove();
    this.toast = showErrorToast(sentences.join(" "), { kind: "error", actions });
  }

  /**
   * @param {Fault[]} faults
   * @param {{rows: {id: number}[], count: number, numbers?: number[]}} all  count: total; numbers: as for `skipped` @returns {string[]}
   */
  reasonTexts(faults, { rows, count, numbers = [] }) {
    const first = faults.slice(0, MAX_REASONS).map((fault) => this.reasonText(fault, rows, numbers));
    return count > first.length ? [...first, t("And {count} more.", { count: count - first.length })] : first;
  }

  /** @param {Fault} fault @param {{id: number}[]} rows @param {number[]} [numbers] @returns {string} with the number of its row */
  reasonText({ path = "", detail }, rows, numbers = []) {
    const position = /^rows\[(\d+)\]/.exec(path)?.[1];
    const number = numbers[Number(position ?? -1)];
    if (number) return t("Pasted row {number}: {detail}", { number, detail });
    const index = position === undefined ? -1 : this.grid.store.indexOf(rows[Number(position)]?.id);
    if (position !== undefined && !rows.length) return t("New row {number}: {detail}", { number: Number(position) + 1, detail });
    return index < 0 ? detail : t("Row {number}: {detail}", { number: index + 1, detail });
  }

  /** @param {Fault[]} faults @param {{id: number}[]} rows @returns {{label: string, run: () => void}[]} shows the first marked cell */
  actions(faults, rows) {
    const first = cellOf(faults[0], rows);
    return first ? [{ label: t("Show"), run: () => this.goTo(first) }] : [];
  }

  /** @param {{rowId: string, columnId: string}} cell */
  isShown({ rowId, columnId }) {
    return this.grid.store.indexOf(rowId) >= 0 && this.grid.columns.some((column) => column.id === columnId);
  }

  /** @param {{rowId: string, columnId: string}} cell @returns {boolean} whether it is visible */
  goTo({ rowId, columnId }) {
    const { grid } = this;
    const index = grid.store.indexOf(rowId);
    const col = grid.columns.findIndex((column) => column.id === columnId);
    const tr = index < 0 || col < 0 ? undefined : grid.window.reveal(index, { center: true });
    if (!tr) {
      showErrorToast(t("This cell is hidden or deleted."));
      return false;
    }
    grid.cursor.put(tr, col);
    grid.table.focus({ preventScroll: true });
    return true;
  }

  /**
   * @param {Fault[]} faults
   * @param {{id: number}[]} rows @param {{done?: keyof typeof MESSAGES, change?: number | null}} [how]  done: command for the
   *   other cells
   */
  mark(faults, rows, { done, change = null } = {}) {
    const { writer } = this.grid;
    for (const fault of faults) {
      const cell = cellOf(fault, rows);
      // A previous unsaved edit still has its own reason.
      if (!cell || writer.cellErrors.get(`${cell.rowId} ${cell.columnId}`)?.edit) continue;
      const reason = { reason: fault.detail };
      const words = done ? MESSAGES[done].mark(reason) : t("Not saved. {reason}", reason);
      writer.cellErrors.set(`${cell.rowId} ${cell.columnId}`, { words, change });
    }
    writer.showRows(rows.flatMap((row) => row ?? []));
    this.showNote();
  }

  /** @param {number} change  which was undone */
  forget(change) {
    const { writer } = this.grid;
    const marked = [...writer.cellErrors].filter(([, cellError]) => cellError.change === change && change !== null);
    for (const [key] of marked) writer.cellErrors.delete(key);
    writer.showRows(marked.map(([key]) => ({ id: Number(key.split(" ")[0]) })));
    this.showNote();
  }

  /** Show the reason below the cell of the cursor, if it is marked. */
  showNote() {
    const { cell } = this.grid.cursor;
    const reason = cell?.classList.contains("is-failed") ? cell.getAttribute("aria-description") : null;
    if (!reason || document.activeElement !== this.grid.table) return void this.note.remove();
    this.note.textContent = reason;
    if (!this.note.isConnected) {
      document.body.append(this.note);
      this.note.showPopover();
    }
    positionPopover(this.note, cell);
  }
}

/**
 * @param {Fault | undefined} fault
 * @param {{id: number}[]} rows @returns {{rowId: string, columnId: string} | null} the cell of a stored row
 */
function cellOf(fault, rows) {
  const found = CELL_PATH.exec(fault?.path ?? "");
  const row = found && rows[Number(found[1])];
  return row ? { rowId: String(row.id), columnId: found[2] } : null;
}
