// What is said at the rows of a proposal: their old values, and the reasons below them.

import { drawRevealed, el, icon, isMirrored } from "../../element.js";
import { t } from "../../locale.js";

const ID = "old-value";

export class OldValues {
  /**
   * @param {HTMLElement} scope
   * @param {(cell: HTMLElement) => [string, string, boolean?][] | null} linesFor  word, text and whether it is struck
   */
  constructor(scope, linesFor) {
    this.scope = scope;
    this.linesFor = linesFor;
    this.note = el("div", { class: "tip", id: ID, role: "tooltip", hidden: true });
    document.body.append(this.note);
    this.over = (event) => this.show(event.target.closest?.("td, .gutter__op"));
    this.out = () => this.hide();
    scope.addEventListener("pointerover", this.over);
    scope.addEventListener("pointerleave", this.out);
    scope.addEventListener("cell-cursor", this.over);
    scope.addEventListener("scroll", this.out, { capture: true, passive: true });
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
        el("div", {}, el("span", { class: "tip__k", text: word ? `${word} ` : "" }), el(struck ? "s" : "b", {}, drawRevealed(text || t("empty")))),
      ),
    );
    cell.setAttribute("aria-describedby", ID);
    const at = cell.getBoundingClientRect();
    const size = this.note.getBoundingClientRect();
    const start = isMirrored() ? at.right - size.width : at.left;
    this.note.style.left = `${Math.max(8, Math.min(innerWidth - size.width - 8, start))}px`;
    this.note.style.top = `${at.bottom + 6 + size.height > innerHeight ? at.top - size.height - 6 : at.bottom + 6}px`;
  }

  hide() {
    this.note.hidden = true;
  }

  end() {
    this.scope.removeEventListener("pointerover", this.over);
    this.scope.removeEventListener("pointerleave", this.out);
    this.scope.removeEventListener("cell-cursor", this.over);
    this.scope.removeEventListener("scroll", this.out, { capture: true });
    this.note.remove();
  }
}

const FEW_DELETES = 3;
const SIGNS = { error: "circle-x", conflict: "triangle-alert", warning: "triangle-alert" };

/**
 * Reasons stand on their rows where they differ; one for all of them stands in the bar. What was merely read as another
 * form of the same value is told at its cell.
 * @param {Operation[]} operations  all of the proposal
 * @param {{nameOf: (columnId?: string) => string, placeOf: (rowId: number) => number}} grid  what its columns are called, where
 *   rows stand in it: -1 for those it does not know
 * @returns {(operation: Operation) => string[]} what must be seen of each, nothing for most
 */
export function wordsFor(operations, grid) {
  const deletes = operations.filter(({ action }) => action === "delete");
  const showsReasons = deletes.length <= FEW_DELETES || new Set(deletes.map(({ reason }) => reason ?? "")).size > 1;
  return ({ action, reason, notes }) => {
    const words = notes.filter((note) => note.code !== "cast").map((note) => inTheGrid(note, grid));
    return action === "delete" && reason && showsReasons ? [reason, ...words] : words;
  };
}

/** The server calls rows by ids that nobody sees here. @param {any} note @param {any} grid @returns {string} */
function inTheGrid({ code, detail, column, value }, { nameOf, placeOf }) {
  const name = nameOf(column);
  if (code === "cell_changed" && name) return t("{column} has been changed since.", { column: name });
  if (code === "row_changed") return t("This row has been changed since.");
  if (code === "row_missing" || code === "unknown_row") return t("This row is not there any more.");
  if (code !== "double") return detail;
  if (value === undefined) return t("Equal to another row of this proposal.");
  const place = placeOf(value);
  return place < 0 ? t("Equal to a row that is there already.") : t("Equal to row {number}.", { number: place + 1 });
}

/**
 * @param {Operation} operation @param {{words: string[], columns: number, checked: boolean}} how  columns: those of the grid
 * @returns {HTMLTableRowElement | null} null where nothing is to be said
 */
export function drawNote({ action, state }, { words, columns, checked }) {
  if (!words.length) return null;
  const inside = el("div", { class: "opnote__in" }, icon(SIGNS[state] ?? "info", "icon--14"), el("span", {}, drawRevealed(words.join(" · "))));
  const note = { class: checked ? "opnote" : "opnote is-off", title: words.join(" · "), dataset: { op: action, state } };
  return el("tr", note, el("td", { colspan: String(columns + 2) }, inside));
}
