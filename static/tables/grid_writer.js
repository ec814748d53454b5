// Writes what was edited, at once: one request after the other, so that each knows what the one before it left.

import { ApiError, api } from "../api.js";
import { toast } from "../toast.js";
import { redrawCell } from "./cells.js";
import { SavingStatus } from "./saving_status.js";
import { UndoStack } from "./undo_stack.js";
import { counted, displayText, isEmpty, sameValue } from "./values.js";


export class GridWriter {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.address = `/api/tables/${grid.tableId}`;
    this.status = new SavingStatus(document.querySelector("[data-saving]"));
    this.stack = new UndoStack();
    this.queue = Promise.resolve();
    /** What is said about a cell that could not be saved, until it is. @type {Map<string, HTMLElement>} */
    this.complaints = new Map();
    this.undoButton = document.querySelector("[data-undo]");
    this.redoButton = document.querySelector("[data-redo]");
    addEventListener("beforeunload", (event) => {
      if (this.status.running > 0) event.preventDefault();
    });
    this.undoButton?.addEventListener("click", () => this.undo());
    this.redoButton?.addEventListener("click", () => this.redo());
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column */
  value(tr, column) {
    return this.grid.store.get(tr.dataset.row)?.data[column.id] ?? null;
  }

  /** @param {HTMLTableRowElement} tr @param {Column & {proposed?: boolean}} column */
  editable(tr, column) {
    return this.grid.mayEdit && !column.proposed;
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {any} value */
  write(tr, column, value) {
    const rowId = tr.dataset.row ?? "";
    const before = this.value(tr, column);
    if (sameValue(before, value)) return;
    this.complain(rowId, column, null);
    this.show(rowId, column, value, "is-saving");
    this.inTurn(() => this.patch(rowId, column, value, before));
  }

  /** @param {() => Promise<void>} work */
  inTurn(work) {
    this.status.begin();
    this.queue = this.queue.then(work).then(
      () => this.status.end(true),
      () => this.status.end(false),
    );
    return this.queue;
  }

  /** @param {string} rowId @param {Column} column @param {any} value @param {any} before */
  async patch(rowId, column, value, before) {
    const body = { data: { [column.id]: value }, expected: { [column.id]: before } };
    try {
      const row = await api.patch(`${this.address}/rows/${rowId}/?keys=id&typecast=true`, body);
      this.settled(row);
      this.made(row.change);
    } catch (error) {
      if (saysTheSame(error, value)) {
        this.show(rowId, column, value, "");
        this.grid.reload();
        return;
      }
      this.refused(rowId, column, value, error);
      throw error;
    }
  }

  /** @param {Row} row  what the server holds now */
  settled(row) {
    this.grid.store.renew(row);
    for (const column of this.grid.columns) this.show(String(row.id), column, row.data[column.id], "");
  }

  /** @param {string} rowId @param {Column} column @param {any} value @param {any} error */
  refused(rowId, column, value, error) {
    const known = this.grid.store.get(rowId)?.data[column.id];
    this.show(rowId, column, known, "is-failed");
    if (error instanceof ApiError && error.status === 409) {
      const theirs = error.errors[0]?.value;
      const now = isEmpty(theirs) ? "It was changed meanwhile." : `It is now “${displayText(column, theirs)}”.`;
      this.complain(rowId, column, toast(`${column.name} was not saved. ${now}`, { kind: "error" }));
      this.grid.reload();
      return;
    }
    const reason = (error.errors?.[0]?.detail ?? error.message).replace(`${column.name}: `, "");
    const tr = () => this.grid.rowElement(rowId);
    const retry = { label: "Retry", run: () => tr() && this.write(tr(), column, value) };
    this.complain(rowId, column, toast(`${column.name} was not saved. ${reason}`, { kind: "error", action: retry }));
  }

  /** @param {string} rowId @param {Column} column @param {HTMLElement | null} note  takes the place of an earlier one */
  complain(rowId, column, note) {
    const cell = `${rowId} ${column.id}`;
    this.complaints.get(cell)?.remove();
    if (note) this.complaints.set(cell, note);
    else this.complaints.delete(cell);
  }

  /** @param {string} rowId @param {Column} column @param {any} value @param {string} state */
  show(rowId, column, value, state) {
    const cell = this.grid.rowElement(rowId)?.querySelector(`td[data-col="${column.id}"]`);
    if (!cell || cell.classList.contains("is-editing") || cell.classList.contains("is-changed")) return;
    redrawCell(cell, column, value);
    cell.classList.remove("is-saving", "is-failed");
    if (state) cell.classList.add(state);
  }

  /** @param {Record<string, any>} data @returns {Promise<any>} the new row; rejects when it is refused */
  async addRow(data) {
    const row = await api.post(`${this.address}/rows/?keys=id&typecast=true`, data);
    this.made(row.change);
    return row;
  }

  /** @param {{id: number, data: Record<string, any>, expected: Record<string, any>}[]} rows  all or nothing, one change */
  writeRows(rows) {
    return this.inTurn(async () => {
      try {
        const { change } = await api.patch(`${this.address}/rows/?keys=id&typecast=true`, { rows });
        this.made(change);
        await this.grid.reload();
      } catch (error) {
        const reasons = (error.errors ?? []).slice(0, 3).map((one) => one.detail);
        toast(["Nothing was pasted.", ...(reasons.length ? reasons : [error.message])].join(" "), { kind: "error" });
        throw error;
      }
    });
  }

  /** @param {number[]} ids */
  deleteRows(ids) {
    return this.inTurn(async () => {
      try {
        const { change } = await api.post(`${this.address}/rows/delete/`, { ids });
        this.made(change);
        this.grid.selection.uncheck(ids.map(String));
        toast(`Deleted ${counted(ids.length, "row")}`, { action: { label: "Undo", run: () => this.undo(change) } });
        await this.grid.reload();
      } catch (error) {
        toast(`Nothing was deleted. ${error.message}`, { kind: "error" });
        throw error;
      }
    });
  }

  /** @param {number | null | undefined} change */
  made(change) {
    this.stack.made(change);
    this.showStack();
  }

  /** @param {number} [change]  the last one of this tab when nothing is given */
  undo(change = this.stack.nextUndo) {
    if (!change) return;
    return this.turnBack(change, "undo", () => (this.stack.nextUndo === change ? this.stack.tookBack() : this.stack.forget(change)));
  }

  /** @param {number} [change] */
  redo(change = this.stack.nextRedo) {
    if (!change) return;
    return this.turnBack(change, "redo", () => this.stack.didAgain());
  }

  /** @param {number} change @param {"undo" | "redo"} verb @param {() => void} settle */
  turnBack(change, verb, settle) {
    return this.inTurn(async () => {
      try {
        await api.post(`${this.address}/changes/${change}/${verb}/`, {});
        settle();
        this.grid.dispatchEvent(new CustomEvent("change-turned-back", { bubbles: true, detail: { change, verb } }));
        this.status.word = verb === "undo" ? "Undone" : "Done again";
        await this.grid.reload();
      } catch (error) {
        if (error instanceof ApiError) this.stack.forget(change);
        toast(`That could not be ${verb === "undo" ? "undone" : "done again"}. ${error.message}`, { kind: "error" });
        throw error;
      } finally {
        this.showStack();
      }
    });
  }

  showStack() {
    if (this.undoButton) this.undoButton.disabled = !this.stack.nextUndo;
    if (this.redoButton) this.redoButton.disabled = !this.stack.nextRedo;
  }
}

/**
 * Whether a write was refused only because somebody else had written the very same: then nobody has to be told.
 * @param {any} error @param {any} value
 */
function saysTheSame(error, value) {
  if (!(error instanceof ApiError) || error.status !== 409 || error.errors.length !== 1) return false;
  return sameValue(error.errors[0].value ?? null, value ?? null);
}
