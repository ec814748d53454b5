// Tooltips with the old values in rows of a proposal, and the notes below the rows.

import { drawRevealed, el, icon, isMirrored } from "../../element.js";
import { t } from "../../locale.js";

const ID = "old-value";

export class PreviousValues {
  /**
   * @param {HTMLElement} scope
   * @param {(cell: HTMLElement) => [string, string, boolean?][] | null} linesFor  label, text and whether it is struck through
   */
  constructor(scope, linesFor) {
    this.scope = scope;
    this.linesFor = linesFor;
    this.note = el("div", { class: "tip", id: ID, role: "tooltip", hidden: true });
    document.body.append(this.note);
    this.onOver = (event) => this.show(event.target.closest?.("td, .gutter__icon"));
    this.onOut = () => this.hide();
    scope.addEventListener("pointerover", this.onOver);
    scope.addEventListener("pointerleave", this.onOut);
    scope.addEventListener("cell-cursor", this.onOver);
    scope.addEventListener("scroll", this.onOut, { capture: true, passive: true });
  }

  /** @param {HTMLElement | null} cell */
  show(cell) {
    this.cell?.removeAttribute("aria-describedby");
    this.cell = cell;
    const lines = cell && this.linesFor(cell);
    this.note.hidden = !lines?.length;
    if (!cell || !lines?.length) return;
    this.note.replaceChildren(
      ...lines.map(([word, text, struck]) =>
        el("div", {}, el("span", { class: "tip__label", text: word ? `${word} ` : "" }), el(struck ? "s" : "b", {}, drawRevealed(text || t("empty")))),
      ),
    );
    cell.setAttribute("aria-describedby", ID);
    const cellRect = cell.getBoundingClientRect();
    const size = this.note.getBoundingClientRect();
    const start = isMirrored() ? cellRect.right - size.width : cellRect.left;
    this.note.style.left = `${Math.max(8, Math.min(innerWidth - size.width - 8, start))}px`;
    this.note.style.top = `${cellRect.bottom + 6 + size.height > innerHeight ? cellRect.top - size.height - 6 : cellRect.bottom + 6}px`;
  }

  hide() {
    this.note.hidden = true;
  }

  end() {
    this.scope.removeEventListener("pointerover", this.onOver);
    this.scope.removeEventListener("pointerleave", this.onOut);
    this.scope.removeEventListener("cell-cursor", this.onOver);
    this.scope.removeEventListener("scroll", this.onOut, { capture: true });
    this.note.remove();
  }
}

const MAX_DELETE_REASONS = 3;
const SIGNS = { error: "circle-x", conflict: "triangle-alert", warning: "triangle-alert" };

/**
 * Return the notes of a row. Reasons of deletions are shown at the rows if they differ, else in the bar. Casts are shown in the cells.
 * @param {Operation[]} operations  all of the proposal
 * @param {{nameOf: (columnId?: string) => string, indexOf: (rowId: number) => number}} grid  column names, and row indexes (-1 if unknown)
 * @returns {(operation: Operation) => string[]} the notes of an operation, usually none
 */
export function notesFor(operations, grid) {
  const deletes = operations.filter(({ action }) => action === "delete");
  const showsReasons = deletes.length <= MAX_DELETE_REASONS || new Set(deletes.map(({ reason }) => reason ?? "")).size > 1;
  return ({ action, reason, notes }) => {
    const words = notes.filter((note) => note.code !== "cast").map((note) => noteText(note, grid));
    return action === "delete" && reason && showsReasons ? [reason, ...words] : words;
  };
}

/** Replace server messages that contain row ids, which users do not see. @param {any} note @param {any} grid @returns {string} */
function noteText({ code, detail, column, value }, { nameOf, indexOf }) {
  const name = nameOf(column);
  if (code === "cell_changed" && name) return t("{column} was changed since.", { column: name });
  if (code === "row_changed") return t("This row was changed since.");
  if (code === "row_missing" || code === "unknown_row") return t("This row no longer exists.");
  if (code !== "double") return detail;
  if (value === undefined) return t("Same as another row of this proposal.");
  const index = indexOf(value);
  return index < 0 ? t("Same as an existing row.") : t("Same as row {number}.", { number: index + 1 });
}

/**
 * @param {Operation} operation @param {{words: string[], columns: number, checked: boolean}} how  columns: number of columns of the grid
 * @returns {HTMLTableRowElement | null} null if there are no notes
 */
export function drawNote({ action, state }, { words, columns, checked }) {
  if (!words.length) return null;
  const inside = el("div", { class: "opnote__inner" }, icon(SIGNS[state] ?? "info", "icon--14"), el("span", {}, drawRevealed(words.join(" · "))));
  const note = { class: checked ? "opnote" : "opnote is-off", title: words.join(" · "), dataset: { op: action, state } };
  return el("tr", note, el("td", { colspan: String(columns + 2) }, inside));
}
