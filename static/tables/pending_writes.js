// What this tab has written: cells on their way to the server, how that goes, and the changes that came of it.

import { load, removeUndoToasts, toast } from "../element.js";
import { t } from "../locale.js";
import { UndoMemory, UndoStack } from "./undo_memory.js";

const STAYS_MS = 2500;

/** What undoes and redoes. */
async function carrying() {
  try {
    return await load(() => import("./undo_redo.js"));
  } catch (error) {
    toast(t("The command could not be loaded."), { kind: "error" });
    throw error;
  }
}

/** @typedef {{rowId: string, columnId: string, value: any, saved: any, writes: number}} PendingCell */

/** Cells whose new values are on their way: what is shown meanwhile, and what the server holds. */
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

  /** @param {string} rowId @param {string} columnId @param {{value: any, saved: any}} write  saved: what was there, for the first of several */
  begin(rowId, columnId, { value, saved }) {
    const before = this.at(rowId, columnId) ?? { rowId, columnId, saved, writes: 0 };
    this.#cells.set(`${rowId} ${columnId}`, { ...before, value, writes: before.writes + 1 });
  }

  /** One write has come to its end. @param {string} rowId @param {string} columnId @param {{saved?: any}} [outcome]  what the server holds now, if it took it */
  end(rowId, columnId, outcome = {}) {
    const cell = this.at(rowId, columnId);
    if (!cell) return;
    const left = { ...cell, ...("saved" in outcome ? { saved: outcome.saved } : {}), writes: cell.writes - 1 };
    if (left.writes > 0) this.#cells.set(`${rowId} ${columnId}`, left);
    else this.#cells.delete(`${rowId} ${columnId}`);
  }
}

/** “Saving… Saved” in the top bar. */
export class SavingStatus {
  /** @param {HTMLElement | null} place */
  constructor(place) {
    this.place = place;
    this.running = 0;
    this.failed = false;
    this.word = t("Saved");
  }

  begin() {
    this.word = t("Saved");
    this.running += 1;
    this.failed = false;
    this.say(t("Saving…"), "running");
  }

  /** @param {boolean} well */
  end(well) {
    this.running -= 1;
    this.failed ||= !well;
    if (this.running > 0) return;
    if (this.failed) this.say(t("Not saved"), "failed");
    else this.sayForAWhile();
  }

  sayForAWhile() {
    this.say(this.word, "well");
    this.timer = setTimeout(() => this.say("", "well"), STAYS_MS);
  }

  /** Nothing is unsaved any more. */
  clear() {
    this.failed = false;
    if (this.running === 0) this.say("", "well");
  }

  /** @param {string} words  what there is to say about what was just saved */
  tell(words) {
    if (this.running > 0 || this.failed) return;
    this.word = words;
    this.sayForAWhile();
  }

  /** @param {string} text @param {"running" | "well" | "failed"} state  stays when the words are gone */
  say(text, state) {
    clearTimeout(this.timer);
    if (!this.place) return;
    this.place.textContent = text;
    this.place.dataset.saving = state;
    this.place.classList.toggle("is-bad", state === "failed");
  }
}

/** What this tab has changed, undone and redone: the buttons in the top bar, Ctrl+Z, “Undo” in a note. */
export class OwnChangesPast {
  /** @param {GridWriter} writer  one after the other with what it writes */
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
    // A page that the browser brings back as it was left does not know what was saved meanwhile.
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

  /** The “Undo” of a toast, which disappears once the change is undone in another way. @param {number} change */
  undoAction(change) {
    return { label: t("Undo"), change, run: () => void this.undo(change) };
  }

  /** @param {number} [change]  the last one of this tab when nothing is given */
  undo(change) {
    return this.turnBack("undo", change);
  }

  /** @param {number} [change] */
  redo(change) {
    return this.turnBack("redo", change);
  }

  /**
   * Which change is the last is known only once everything before it has been saved, or turned back.
   * @param {"undo" | "redo"} verb @param {number} [wanted] @param {"keep" | "overwrite"} [onConflict]  the person's word about later changes
   */
  turnBack(verb, wanted, onConflict) {
    const last = () => (verb === "undo" ? this.stack.nextUndo : this.stack.nextRedo);
    const waits = this.writer.status.running > 0;
    // An edit that is not saved, and after which nothing was: giving it up is what the person means.
    const unsaved = () => (verb === "undo" && !wanted ? this.writer.unsaved.findLast(({ after }) => after >= (last() ?? 0)) : undefined);
    const inNewRow = () => (verb === "undo" && !wanted ? this.writer.grid.drafts.lastEdit(last() ?? 0) : undefined);
    const { failures } = this.writer;
    if (!wanted && !waits && !last() && !unsaved() && !inNewRow()) return;
    return this.writer.inTurn(async () => {
      const edit = unsaved();
      const typed = inNewRow();
      if (typed && !(edit && edit.number > typed.failures)) return (await carrying()).undoEdit(this.writer, typed);
      // What was refused cannot be undone; what came before it was not meant.
      const isRefused = waits && !this.writer.well;
      if (edit) {
        if (isRefused && edit.number <= failures) return;
        this.writer.status.word = t("Undone");
        return this.writer.discardAll([edit]);
      }
      const change = wanted ?? (isRefused ? undefined : last());
      if (change) await (await carrying()).carryBack(this, { change, verb, onConflict });
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
