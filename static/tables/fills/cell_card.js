// A card beside a cell of the grid: shown while the cursor or the pointer is on the cell, and focused with the keyboard.

import { el, isMirrored } from "../../element.js";
import { positionPopover } from "../../popover_position.js";

const GAP_PX = 8;

export class CellCard {
  /** @param {TableGrid} grid @param {string} label */
  constructor(grid, label) {
    this.grid = grid;
    this.element = el("div", { class: "menu fillcard", popover: "manual", role: "group", "aria-label": label, tabindex: "-1" });
    this.element.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key !== "Escape") return;
      grid.table.focus({ preventScroll: true });
      this.hide();
    });
    this.element.addEventListener("focusout", (event) => !this.element.contains(event.relatedTarget) && event.relatedTarget !== grid.table && this.hide());
    grid.table.addEventListener("focusout", (event) => !this.element.contains(event.relatedTarget) && this.hide());
    grid.scroller.addEventListener("scroll", () => this.hide(), { passive: true });
    grid.append(this.element);
  }

  /** @param {HTMLElement} anchor  the cell */
  showBeside(anchor) {
    if (!this.isShown) this.element.showPopover();
    placeBeside(this.element, anchor);
  }

  get isShown() {
    return this.element.matches(":popover-open");
  }

  /** @returns {boolean} whether it is shown, and has the focus now */
  focus() {
    if (!this.isShown) return false;
    const first = this.element.querySelector("a, input, button") ?? this.element;
    /** @type {HTMLElement} */ (first).focus();
    return true;
  }

  hide() {
    if (this.isShown && !this.element.contains(document.activeElement)) this.element.hidePopover();
  }
}

/** Place the card beside the cell, so that the values above and below stay visible; under it where space is missing. @param {HTMLElement} card @param {HTMLElement} anchor */
function placeBeside(card, anchor) {
  positionPopover(card, anchor);
  const at = anchor.getBoundingClientRect();
  const left = isMirrored() ? at.left - GAP_PX - card.offsetWidth : at.right + GAP_PX;
  if (left < GAP_PX || left + card.offsetWidth + GAP_PX > innerWidth) return;
  card.style.left = `${left}px`;
  card.style.top = `${Math.max(GAP_PX, Math.min(at.top, innerHeight - card.offsetHeight - GAP_PX))}px`;
}
