// The state of writes by this tab: pending cells, the saving status, undo and redo.

import { load, removeUndoToasts, toast } from "../element.js";
import { t } from "../locale.js";
import { UndoMemory, UndoStack } from "./undo_memory.js";

const SHOWN_MS = 2500;

/** Load the module for undo and redo. */
async function loadUndoRedo() {
  try {
    return await load(() => import("./undo_redo.js"));
  } catch (error) {
    toast(t("The command could not be loaded."), { kind: "error" });
    throw error;
  }
}

/** @typedef {{rowId: string, columnId: string, value: any, saved: any, writes: number}} PendingCell */

/** Cells with pending writes: the displayed value and the stored one. */
export class PendingCells {
  /** @type {Map<string, PendingCell>} */
  #cells = new Map();

  /** @param {string} rowId @param {string} columnId @returns {PendingCell | undefined} */
  at(rowId, columnId) {
    return this.#cells.get(`${rowId} ${columnId}`);
  }

  /** @param {string} rowId @returns {PendingCell[]} */
  ofRow(rowId) {
    return [...this.#cells.values()].filter((cell) => cell.rowId === rowId);
  }

  /**
   * @param {string} rowId
   * @param {string} columnId @param {{value: any, saved: any}} write  saved: the stored value, used for the first write
   */
  start(rowId, columnId, { value, saved }) {
    const before = this.at(rowId, columnId) ?? { rowId, columnId, saved, writes: 0 };
    this.#cells.set(`${rowId} ${columnId}`, { ...before, value, writes: before.writes + 1 });
  }

  /**
   * A write has ended.
   * @param {string} rowId @param {string} columnId @param {{saved?: any}} [outcome]  the stored value, if it was accepted
   */
  end(rowId, columnId, outcome = {}) {
    const cell = this.at(rowId, columnId);
    if (!cell) return;
    const remaining = { ...cell, ...("saved" in outcome ? { saved: outcome.saved } : {}), writes: cell.writes - 1 };
    if (remaining.writes > 0) this.#cells.set(`${rowId} ${columnId}`, remaining);
    else this.#cells.delete(`${rowId} ${columnId}`);
  }
}

/** "Saving… Saved" in the top bar. */
export class SavingStatus {
  /** @param {HTMLElement | null} node */
  constructor(node) {
    this.node = node;
    this.running = 0;
    this.failed = false;
    this.message = t("Saved");
  }

  start() {
    this.message = t("Saved");
    this.running += 1;
    this.failed = false;
    this.show(t("Saving…"), "running");
  }

  /** @param {boolean} succeeded */
  end(succeeded) {
    this.running -= 1;
    this.failed ||= !succeeded;
    if (this.running > 0) return;
    if (this.failed) this.show(t("Not saved"), "failed");
    else this.showBriefly();
  }

  showBriefly() {
    this.show(this.message, "well");
    this.timer = setTimeout(() => this.show("", "well"), SHOWN_MS);
  }

  /** Called when there are no more unsaved edits. */
  clear() {
    this.failed = false;
    if (this.running === 0) this.show("", "well");
  }

  /** @param {string} words  message about the last change */
  showMessage(words) {
    if (this.running > 0 || this.failed) return;
    this.message = words;
    this.showBriefly();
  }

  /** @param {string} text @param {"running" | "well" | "failed"} state  also stays without text */
  show(text, state) {
    clearTimeout(this.timer);
    if (!this.node) return;
    this.node.textContent = text;
    this.node.dataset.saving = state;
    this.node.classList.toggle("is-bad", state === "failed");
  }
}

/** Undo and redo of this tab's changes: the buttons in the top bar, Ctrl+Z, "Undo" in toasts. */
export class UndoRedo {
  /** @param {GridWriter} writer  whose queue is used */
  constructor(writer) {
    this.writer = writer;
    this.memory = new UndoMemory(sessionStorage, writer.grid.dataset);
    this.stack = new UndoStack(this.memory.read());
    this.undoButton = document.querySelector("[data-undo]");
    this.redoButton = document.querySelector("[data-redo]");
    this.undoButton?.addEventListener("click", () => this.undo());
    this.redoButton?.addEventListener("click", () => this.redo());
    this.showStack();
    writer.grid.addEventListener("grid-written", () => this.showButtons());
    // A page restored by the browser does not know later changes.
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      this.stack = new UndoStack(this.memory.read());
      this.showStack();
    });
  }

  /** @param {import("./undo_memory.js").UndoStep} step @param {number | null | undefined} change */
  record(step, change) {
    this.stack.record(step, change);
    if (change && (step === "undone" || step === "forget")) removeUndoToasts(change);
    this.showStack();
  }

  /** The "Undo" action of a toast, which is removed when the change is undone in another way. @param {number} change */
  undoAction(change) {
    return { label: t("Undo"), change, run: () => void this.undo(change) };
  }

  /** @param {number} [change]  default: the last one of this tab */
  undo(change) {
    return this.undoOrRedo("undo", change);
  }

  /** @param {number} [change] */
  redo(change) {
    return this.undoOrRedo("redo", change);
  }

  /**
   * Undo or redo in the queue, since earlier requests determine which change is the last.
   * @param {"undo" | "redo"} verb @param {number} [wanted] @param {"skip" | "overwrite"} [onConflict]  how to handle later changes
   */
  undoOrRedo(verb, wanted, onConflict) {
    const last = () => (verb === "undo" ? this.stack.nextUndo : this.stack.nextRedo);
    const isBusy = this.writer.status.running > 0;
    // Undo discards an unsaved edit that is newer than the last change.
    const lastUnsaved = () => (verb === "undo" && !wanted ? this.writer.unsaved.findLast(({ after }) => after >= (last() ?? 0)) : undefined);
    const lastTyped = () => (verb === "undo" && !wanted ? this.writer.grid.drafts.lastEdit(last() ?? 0) : undefined);
    const { failures } = this.writer;
    if (!wanted && !isBusy && !last() && !lastUnsaved() && !lastTyped()) return;
    return this.writer.enqueue(async () => {
      const edit = lastUnsaved();
      const typed = lastTyped();
      if (typed && !(edit && edit.number > typed.failures)) return (await loadUndoRedo()).undoEdit(this.writer, typed);
      // If the previous write was refused, there is nothing to undo: an earlier change must not be undone instead.
      const isRefused = isBusy && !this.writer.succeeded;
      if (edit) {
        if (isRefused && edit.number <= failures) return;
        this.writer.status.message = t("Undone");
        return this.writer.discardAll([edit]);
      }
      const change = wanted ?? (isRefused ? undefined : last());
      if (change) return (await loadUndoRedo()).sendUndoOrRedo(this, { change, verb, onConflict });
    });
  }

  showStack() {
    this.memory.write(this.stack);
    this.showButtons();
  }

  showButtons() {
    if (this.undoButton) this.undoButton.disabled = !this.stack.nextUndo && !this.writer.unsaved.length && !this.writer.grid.drafts?.lastEdit(0);
    if (this.redoButton) this.redoButton.disabled = !this.stack.nextRedo;
  }
}
