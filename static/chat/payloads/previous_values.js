// Tooltips with the old values in rows of a proposal.

import { drawRevealed, el, icon, isMirrored } from "../../element.js";
import { t } from "../../locale.js";
import { displayText, isEmpty } from "../../tables/values.js";

const ID = "old-value";

export class PreviousValues {
  /** @param {HTMLElement} scope @param {import("./row_review.js").RowReview} review */
  constructor(scope, review) {
    this.scope = scope;
    this.review = review;
    this.note = el("div", { class: "tip", id: ID, role: "tooltip", hidden: true });
    document.body.append(this.note);
    this.onOver = (event) => this.show(event.target.closest?.("td, .gutter__icon"));
    this.onOut = () => this.hide();
    scope.addEventListener("pointerover", this.onOver);
    scope.addEventListener("pointerleave", this.onOut);
    scope.addEventListener("cell-cursor", this.onOver);
    scope.addEventListener("scroll", this.onOut, { capture: true, passive: true });
    // The pointer or the cursor may have entered a cell before this module was loaded.
    this.show(scope.querySelector("td:hover, .gutter__icon:hover") ?? (scope === document.activeElement ? scope.querySelector("td.is-focus") : null));
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

  /** @param {HTMLElement} target @returns {[string, string, boolean?][] | null} label, text and whether it is struck through */
  linesFor(target) {
    const tr = target.closest("tr[data-index]");
    const operation = tr && this.review.operationOf(tr);
    if (!operation) return null;
    if (target.closest(".gutter")) return operation.reason ? [["", operation.reason]] : null;
    const column = this.review.grid.columns.find((one) => one.id === target.dataset.col);
    return column ? [...this.changeLines(operation, column), ...castLines(operation, column)] : null;
  }

  /** @param {Operation} operation @param {Column} column @returns {[string, string, boolean?][]} */
  changeLines(operation, column) {
    if (operation.action !== "update" || !(column.id in operation.new)) return [];
    const [before, after] = [operation.old[column.id], operation.new[column.id]].map((value) => (isEmpty(value) ? t("empty") : displayText(column, value)));
    const why = operation.reason ? [[t("Why:"), operation.reason]] : [];
    if (operation.state === "conflict") return [[t("Now"), before], [t("Proposed"), after], ...why];
    const on = this.review.proposal.operations.checked.has(operation.index);
    // A card shows both values itself; the tooltip would cover the next card.
    if (on && this.review.rows.narrow.matches) return why;
    return [...(on ? [[t("Was"), before, true], [t("Will be"), after]] : [[t("Proposed"), after], [t("Unchanged"), before]]), ...why];
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

/** @param {Operation} operation @param {Column} column @returns {[string, string][]} the written text of a value that was cast */
function castLines(operation, column) {
  const casts = operation.notes.filter((note) => note.code === "cast" && note.column === column.id);
  return casts.map((note) => [t("Written as"), String(note.value)]);
}
