// Says which cells of many were not written and why, and marks them until they are written again.

import { el, placeBeside, toast } from "../element.js";
import { t, tn } from "../locale.js";

const MAX_REASONS = 3;
const CELL_PATH = /^rows\[(\d+)\]\.data\.(.+)$/;

/** @typedef {{path?: string, detail: string}} Fault */

export class RefusedCells {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** What is wrong with a cell, by its row's and column's ids; and the change that left it out. @type {Map<string, {words: string, change: number | null}>} */
    this.marks = new Map();
    this.note = el("div", { class: "understood", popover: "manual" });
    for (const drawn of ["grid-drawn", "grid-redrawn", "grid-written"]) grid.addEventListener(drawn, () => this.draw());
    grid.addEventListener("change-turned-back", (event) => this.forget(/** @type {CustomEvent} */ (event).detail.change));
    grid.addEventListener("cell-cursor", () => this.showNote());
    grid.table.addEventListener("focus", () => this.showNote());
    grid.table.addEventListener("blur", () => this.note.remove());
  }

  /** Nothing was written. @param {{id: number}[]} rows  none where they were new @param {string} refusal @param {any} error */
  refused(rows, refusal, error) {
    /** @type {Fault[]} */
    const faults = error.errors ?? [];
    this.mark(faults, rows);
    const reasons = faults.length ? this.reasonsOf(faults, { rows, count: faults.length }) : [error.message];
    toast([refusal, ...reasons].join(" "), { kind: "error", actions: this.actions(faults, rows) });
  }

  /**
   * All but some cells were written.
   * @param {{id: number}[]} rows  none where they were new
   * @param {{skipped: Fault[], skipped_count: number, change: number | null}} outcome
   */
  skipped(rows, { skipped, skipped_count: count, change }) {
    this.mark(skipped, rows, { pasted: true, change });
    const text = tn("{count} cell was not pasted.", "{count} cells were not pasted.", count);
    const undo = change ? [this.grid.writer.past.undoAction(change)] : [];
    const actions = [...this.actions(skipped, rows), ...undo];
    toast([text, ...this.reasonsOf(skipped, { rows, count })].join(" "), { kind: "error", actions });
  }

  /** @param {Fault[]} faults @param {{rows: {id: number}[], count: number}} all  count: how many there are in all @returns {string[]} */
  reasonsOf(faults, { rows, count }) {
    const first = faults.slice(0, MAX_REASONS).map((fault) => this.reasonOf(fault, rows));
    return count > first.length ? [...first, t("And {count} more.", { count: count - first.length })] : first;
  }

  /** @param {Fault} fault @param {{id: number}[]} rows @returns {string} with the number of its row */
  reasonOf({ path = "", detail }, rows) {
    const at = /^rows\[(\d+)\]/.exec(path)?.[1];
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
  goTo({ rowId, columnId }) {
    const { grid } = this;
    const tr = grid.window.reveal(grid.store.indexOf(rowId), { center: true });
    if (tr) grid.cursor.put(tr, Math.max(0, grid.columns.findIndex((column) => column.id === columnId)));
    grid.table.focus({ preventScroll: true });
  }

  /** @param {Fault[]} faults @param {{id: number}[]} rows @param {{pasted?: boolean, change?: number | null}} [how]  pasted: the other cells were */
  mark(faults, rows, { pasted = false, change = null } = {}) {
    const { complaints } = this.grid.writer;
    for (const fault of faults) {
      const cell = cellOf(fault, rows);
      if (!cell) continue;
      const key = `${cell.rowId} ${cell.columnId}`;
      complaints.get(key)?.remove();
      const words = pasted ? t("Not pasted. {reason}", { reason: fault.detail }) : t("Not saved. {reason}", { reason: fault.detail });
      this.marks.set(key, { words, change });
      complaints.set(key, { remove: () => this.marks.delete(key) });
    }
    this.draw();
  }

  /** @param {number} change  it was undone */
  forget(change) {
    for (const [key, mark] of this.marks) if (mark.change === change) this.grid.writer.complaints.get(key)?.remove();
    this.draw();
  }

  /** Marks the cells in sight, and takes the mark from those that were written since. */
  draw() {
    for (const cell of this.grid.querySelectorAll("td.cell[data-refused]")) this.drawCell(cell, undefined);
    for (const [key, { words }] of this.marks) {
      const [rowId, columnId] = key.split(" ");
      const cell = this.grid.rowElement(rowId)?.querySelector(`td[data-col="${CSS.escape(columnId)}"]`);
      if (cell) this.drawCell(cell, words);
    }
    this.showNote();
  }

  /** @param {HTMLTableCellElement} cell @param {string | undefined} words */
  drawCell(cell, words) {
    cell.classList.toggle("is-failed", words !== undefined);
    if (words === undefined) {
      delete cell.dataset.refused;
      cell.removeAttribute("aria-description");
    } else {
      cell.dataset.refused = "";
      cell.setAttribute("aria-description", words);
    }
  }

  /** The reason below the cell under the cursor, where that is a marked one. */
  showNote() {
    const { cell } = this.grid.cursor;
    const reason = cell?.dataset.refused === undefined ? null : cell.getAttribute("aria-description");
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
