// Says which cells were not written and why, leads to them, and marks them until they are written again.

import { el, placeBeside, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { leftOutWords, openLeftOut, positionOf } from "./refused_rows.js";
import { giveBack } from "./range_writes.js";
import { displayText, isEmpty, quoted } from "./values.js";

const MAX_REASONS = 3;
const LEFT = {
  pasted: { count: (/** @type {number} */ count) => tn("{count} cell was not pasted.", "{count} cells were not pasted.", count), mark: (/** @type {Values} */ values) => t("Not pasted. {reason}", values) },
  emptied: { count: (/** @type {number} */ count) => tn("{count} cell was not emptied.", "{count} cells were not emptied.", count), mark: (/** @type {Values} */ values) => t("Not emptied. {reason}", values) },
};
// Rows that are new have their cells beside nothing else.
const CELL_PATH = /^rows\[(\d+)\]\.(?:data\.)?([^.]+)$/;

/** @typedef {{path?: string, code?: string, detail: string}} Fault */
/** @typedef {import("./grid_writer.js").UnsavedEdit} UnsavedEdit */

export class RefusedCells {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.note = el("div", { class: "understood", popover: "manual" });
    /** The toast about the last paste, or the like, of which something was not written. @type {HTMLElement | undefined} */
    this.told = undefined;
    grid.addEventListener("grid-redrawn", () => this.forgetOfColumns());
    for (const drawn of ["grid-drawn", "grid-redrawn", "grid-written"]) grid.addEventListener(drawn, () => this.showNote());
    grid.addEventListener("change-turned-back", (event) => this.forget(/** @type {CustomEvent} */ (event).detail.change));
    grid.addEventListener("cell-cursor", () => this.showNote());
    grid.table.addEventListener("focus", () => this.showNote());
    grid.table.addEventListener("blur", () => this.note.remove());
  }

  /** Shows one note about all edits that are not saved. */
  tellUnsaved() {
    const { writer } = this.grid;
    this.forgetOfColumns();
    this.forgetOfRows();
    const { unsaved } = writer;
    writer.note?.remove();
    if (!unsaved.length) return;
    const [first] = unsaved;
    const one = unsaved.length === 1;
    const text = one ? t("{column} was not saved. {reason}", { column: first.column.name, reason: first.reason }) : tn("{count} cell is not saved.", "{count} cells are not saved.", unsaved.length);
    writer.note = toast(text, { kind: "error", actions: one ? this.actionsForOne(first) : this.actionsForMany(unsaved) });
  }

  /** @param {Column} column @param {any} mine @param {any} theirs  not the same @returns {string} the value that was typed, and the one that another person has stored meanwhile */
  bothValues(column, mine, theirs) {
    const [written, now] = [mine, theirs].map((value) => quoted(displayText(column, value)));
    if (isEmpty(mine)) return t("You emptied it. It is now “{value}”.", { value: now });
    if (isEmpty(theirs)) return t("You wrote “{written}”. It is empty now.", { written });
    return t("You wrote “{written}”. It is now “{value}”.", { written, value: now });
  }

  /** @param {UnsavedEdit} edit @returns {{label: string, run: () => void}[]} */
  actionsForOne(edit) {
    const { writer } = this.grid;
    const discard = { label: t("Discard"), run: () => void writer.discard(edit.rowId, edit.column) };
    if (edit.failure === "invalid") return [{ label: t("Edit"), run: () => this.edit(edit) }, discard];
    const label = edit.failure === "conflict" ? t("Write it anyway") : t("Retry");
    return [{ label, run: () => writer.retry(edit) }, discard];
  }

  /** @param {UnsavedEdit[]} edits @returns {{label: string, run: () => void}[]} a value that was refused, or that would overwrite another, is not sent again together with others */
  actionsForMany(edits) {
    const { writer } = this.grid;
    const again = edits.filter(({ failure }) => failure !== "invalid" && failure !== "conflict");
    const retry = { label: t("Retry"), run: () => again.forEach((edit) => writer.retry(edit)) };
    const discard = { label: t("Discard all"), run: () => writer.discardAll(writer.unsaved) };
    const show = () => {
      const cells = edits.map(({ rowId, column }) => ({ rowId, columnId: column.id }));
      this.goTo(cells.find((cell) => this.isShown(cell)) ?? cells[0]);
      this.tellUnsaved();
    };
    return [...(again.length ? [retry] : []), discard, { label: t("Show"), run: show }];
  }

  /** Forgets edits of columns that were deleted. */
  forgetOfColumns() {
    const ids = new Set(this.grid.allColumns.map(({ id }) => id));
    this.forgetDeleted(({ column }) => !ids.has(column.id));
  }

  /** Forgets edits of rows that were deleted: where the server does not find one, it may be the whole table. */
  forgetOfRows() {
    const { reading, writer } = this.grid;
    const missing = writer.unsaved.filter(({ failure }) => failure === "missing");
    if (!missing.length) return;
    reading.readRows(missing.map(({ rowId }) => Number(rowId))).then((rows) => {
      const ids = new Set(rows.map(({ id }) => String(id)));
      this.forgetDeleted((edit) => missing.includes(edit) && !ids.has(edit.rowId));
    }, () => {});
  }

  /** @param {(edit: UnsavedEdit) => boolean} isDeleted  whether its row or column is */
  forgetDeleted(isDeleted) {
    const { writer } = this.grid;
    const deleted = writer.unsaved.filter(isDeleted);
    if (!deleted.length) return;
    writer.discardAll(deleted);
    const values = deleted.map(({ column, value }) => (isEmpty(value) ? column.name : `${column.name} “${quoted(displayText(column, value))}”`)).join(", ");
    toast(t("Not saved, because the row or column was deleted: {values}.", { values }), { kind: "error" });
  }

  /** @param {UnsavedEdit} edit  its cell is opened with what was typed */
  edit({ rowId, column }) {
    if (this.goTo({ rowId, columnId: column.id })) this.grid.cursor.edit();
    this.tellUnsaved();
  }

  /** Nothing was written. @param {{id: number}[]} rows  none where they were new @param {string} refusal @param {any} error */
  refused(rows, refusal, error) {
    /** @type {Fault[]} */
    const faults = error.errors ?? [];
    this.mark(faults, rows);
    const reasons = faults.length ? this.reasonsOf(faults, { rows, count: faults.length }) : [error.message];
    this.tell([refusal, ...reasons], this.actions(faults, rows));
  }

  /**
   * All but some cells were written.
   * @param {({id: number} | undefined)[]} rows  undefined: it was not added
   * @param {{skipped: Fault[], skipped_count: number, skipped_of_not_added?: number, change: number | null}} outcome
   * @param {{unsaved?: Map<string, import("./grid_writer.js").Complaint>, done?: keyof typeof LEFT, leftOut?: Map<number, import("./refused_rows.js").LeftOutRow>, numbers?: number[]}} [how]
   *   unsaved: edits in the cells before; leftOut: rows that were not added; numbers: of the lines of all rows in what was
   *   pasted, from 1: where some were left out, all reasons name these
   */
  skipped(rows, { skipped: faults, skipped_count: all, skipped_of_not_added: ofLeftOut, change }, { unsaved = new Map(), done = "pasted", leftOut = new Map(), numbers = [] } = {}) {
    const skipped = faults.filter((fault) => !leftOut.has(positionOf(fault)));
    const count = all - (ofLeftOut ?? faults.length - skipped.length);
    const keys = skipped.map((fault) => cellOf(fault, rows)).map((cell) => `${cell?.rowId} ${cell?.columnId}`);
    giveBack(this.grid.writer, new Map([...unsaved].filter(([key]) => keys.includes(key))));
    this.mark(skipped, rows, { done, change });
    const opened = leftOut.size ? openLeftOut(this.grid, leftOut, { faults, change }) : null;
    const aboutRows = opened ? [...leftOutWords(leftOut, faults), opened.words] : [];
    const aboutCells = count ? [LEFT[done].count(count), ...this.reasonsOf(skipped, { rows, count, numbers: leftOut.size ? numbers : [] })] : [];
    const undo = change ? [this.grid.writer.past.undoAction(change)] : [];
    const show = opened ? [{ label: t("Show"), run: opened.show }] : this.actions(skipped, rows);
    this.tell([...aboutRows, ...aboutCells], [...show, ...undo]);
  }

  /** @param {string[]} sentences  take the place of those about the write before @param {{label: string, run: () => void}[]} actions */
  tell(sentences, actions) {
    this.told?.remove();
    this.told = toast(sentences.join(" "), { kind: "error", actions });
  }

  /** @param {Fault[]} faults @param {{rows: {id: number}[], count: number, numbers?: number[]}} all  count: how many there are in all; numbers: as for `skipped` @returns {string[]} */
  reasonsOf(faults, { rows, count, numbers = [] }) {
    const first = faults.slice(0, MAX_REASONS).map((fault) => this.reasonOf(fault, rows, numbers));
    return count > first.length ? [...first, t("And {count} more.", { count: count - first.length })] : first;
  }

  /** @param {Fault} fault @param {{id: number}[]} rows @param {number[]} [numbers] @returns {string} with the number of its row */
  reasonOf({ path = "", detail }, rows, numbers = []) {
    const at = /^rows\[(\d+)\]/.exec(path)?.[1];
    const number = numbers[Number(at ?? -1)];
    if (number) return t("Row {number} of what you pasted: {detail}", { number, detail });
    const index = at === undefined ? -1 : this.grid.store.indexOf(rows[Number(at)]?.id);
    if (at !== undefined && !rows.length) return t("New row {number}: {detail}", { number: Number(at) + 1, detail });
    return index < 0 ? detail : t("Row {number}: {detail}", { number: index + 1, detail });
  }

  /** @param {Fault[]} faults @param {{id: number}[]} rows @returns {{label: string, run: () => void}[]} leads to the first marked cell */
  actions(faults, rows) {
    const first = cellOf(faults[0], rows);
    return first ? [{ label: t("Show"), run: () => this.goTo(first) }] : [];
  }

  /** @param {{rowId: string, columnId: string}} cell */
  isShown({ rowId, columnId }) {
    return this.grid.store.indexOf(rowId) >= 0 && this.grid.columns.some((column) => column.id === columnId);
  }

  /** @param {{rowId: string, columnId: string}} cell @returns {boolean} whether it can be seen */
  goTo({ rowId, columnId }) {
    const { grid } = this;
    const index = grid.store.indexOf(rowId);
    const col = grid.columns.findIndex((column) => column.id === columnId);
    const tr = index < 0 || col < 0 ? undefined : grid.window.reveal(index, { center: true });
    if (!tr) {
      toast(t("This cell is not shown now: its row or column is hidden or deleted."));
      return false;
    }
    grid.cursor.put(tr, col);
    grid.table.focus({ preventScroll: true });
    return true;
  }

  /** @param {Fault[]} faults @param {{id: number}[]} rows @param {{done?: keyof typeof LEFT, change?: number | null}} [how]  done: with the other cells */
  mark(faults, rows, { done, change = null } = {}) {
    const { writer } = this.grid;
    for (const fault of faults) {
      const cell = cellOf(fault, rows);
      // An edit that was not saved before is still there, with its own reason.
      if (!cell || writer.complaints.get(`${cell.rowId} ${cell.columnId}`)?.edit) continue;
      const reason = { reason: fault.detail };
      const words = done ? LEFT[done].mark(reason) : t("Not saved. {reason}", reason);
      writer.complaints.set(`${cell.rowId} ${cell.columnId}`, { words, change });
    }
    writer.showRows(rows.flatMap((row) => row ?? []));
    this.showNote();
  }

  /** @param {number} change  it was undone */
  forget(change) {
    const { writer } = this.grid;
    const left = [...writer.complaints].filter(([, complaint]) => complaint.change === change && change !== null);
    for (const [key] of left) writer.complaints.delete(key);
    writer.showRows(left.map(([key]) => ({ id: Number(key.split(" ")[0]) })));
    this.showNote();
  }

  /** The reason below the cell under the cursor, where that is a marked one. */
  showNote() {
    const { cell } = this.grid.cursor;
    const reason = cell?.classList.contains("is-failed") ? cell.getAttribute("aria-description") : null;
    if (!reason || document.activeElement !== this.grid.table) return void this.note.remove();
    this.note.textContent = reason;
    if (!this.note.isConnected) {
      document.body.append(this.note);
      this.note.showPopover();
    }
    placeBeside(this.note, cell);
  }
}

/** @param {Fault | undefined} fault @param {{id: number}[]} rows @returns {{rowId: string, columnId: string} | null} the cell of a saved row that it is about */
function cellOf(fault, rows) {
  const found = CELL_PATH.exec(fault?.path ?? "");
  const row = found && rows[Number(found[1])];
  return row ? { rowId: String(row.id), columnId: found[2] } : null;
}
