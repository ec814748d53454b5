// Tooltips with the old values in rows of a proposal.

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
