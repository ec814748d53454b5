// The small note at a changed cell that says what stood there and what will; by pointer, focus and touch.

import { el, isMirrored } from "../../element.js";
import { t } from "../../locale.js";
import { drawRevealed } from "../../tables/hidden_characters.js";

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
