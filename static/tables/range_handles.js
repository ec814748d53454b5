// Two corners of what is selected, for fingers: each is drawn to where the selection is to reach; shown after a tap.

import { el, isMirrored } from "../element.js";

/** From a corner to the cell that it belongs to. */
const INWARD_PX = 12;

export class RangeHandles {
  /** @param {TableGrid} grid  in which somebody has just tapped a cell */
  constructor(grid) {
    this.grid = grid;
    this.wanted = true;
    const [first, last] = ["is-first", "is-last"].map((name) => el("div", { class: `rangegrip ${name}`, "aria-hidden": "true" }));
    this.grips = { first, last };
    first.addEventListener("pointerdown", (event) => this.held(event, first));
    last.addEventListener("pointerdown", (event) => this.held(event, last));
    grid.rowsBody.append(first, last);
    const lay = () => this.lay();
    for (const name of ["grid-ranged", "grid-redrawn", "grid-drawn", "cell-cursor", "focusin"]) grid.addEventListener(name, lay);
    grid.scroller.addEventListener("scroll", lay, { passive: true });
    // Keys and a mouse have ways of their own.
    grid.table.addEventListener("keydown", () => this.want(false));
    grid.table.addEventListener("pointerdown", (event) => this.want(event.pointerType === "touch"), { capture: true });
    lay();
  }

  /** @param {boolean} wanted */
  want(wanted) {
    this.wanted = wanted;
    this.lay();
  }

  /** @returns {Rect | null} what they stand around */
  get rect() {
    const { grid } = this;
    if (!this.wanted || grid.review || grid.editor.isOpen) return null;
    const { index, col } = grid.cursor;
    const alone = index < 0 || col < 0 ? null : { top: index, bottom: index, left: col, right: col };
    return grid.ranges.rect ?? alone;
  }

  lay() {
    const { rect, grips, grid } = this;
    for (const grip of [grips.first, grips.last]) grip.hidden = !rect;
    if (!rect) return;
    const heads = grid.table.tHead.rows[0].cells;
    const { geometry } = grid.window;
    const [before, after] = [heads[rect.left + 1], heads[rect.right + 1]];
    const start = isMirrored() ? before.offsetLeft + before.offsetWidth : before.offsetLeft;
    const end = isMirrored() ? after.offsetLeft : after.offsetLeft + after.offsetWidth;
    stand(grips.first, { left: start, top: geometry.topOf(rect.top) });
    stand(grips.last, { left: end, top: geometry.topOf(rect.bottom) + geometry.rowHeight });
  }

  /** @param {PointerEvent} event @param {HTMLElement} grip */
  held(event, grip) {
    const { rect, grips, grid } = this;
    if (!rect || event.button !== 0) return;
    const { ranges } = grid;
    const stays = grip === grips.first ? ranges.end(rect.bottom, rect.right) : ranges.end(rect.top, rect.left);
    // What lies under the finger is a cell, not the corner it holds.
    const over = new AbortController();
    for (const one of [grips.first, grips.last]) one.classList.add("is-held");
    const done = () => {
      over.abort();
      for (const one of [grips.first, grips.last]) one.classList.remove("is-held");
    };
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, done, { signal: over.signal });
    const inward = grip === grips.first ? INWARD_PX : -INWARD_PX;
    ranges.drag(event, stays, { x: isMirrored() ? -inward : inward, y: inward });
  }
}

/** @param {HTMLElement} grip @param {{left: number, top: number}} place  px, of its middle */
function stand(grip, { left, top }) {
  grip.style.left = `${left}px`;
  grip.style.top = `${top}px`;
}
