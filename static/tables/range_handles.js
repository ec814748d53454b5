// What is selected, for fingers: a corner at each end, drawn to where the selection is to reach, and what keys do with it
// elsewhere as buttons. Shown after a tap.

import { el, icon, isMirrored } from "../element.js";
import { t } from "../locale.js";
import { chosenRect, clipboardText, copyCells, emptyCells } from "./cell_commands.js";

/** From a corner to the cell that it belongs to. */
const INWARD_PX = 12;
/** What the bar takes at the lower edge, with the foot below it. */
const ROOM_PX = 72;
/** Between the bar and what is below it. */
const GAP_PX = 8;
/** Half of what is seen of a corner: at the edges of the table it stands inside. */
const HALF_PX = 9;

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
    this.bar = new RangeBar(grid);
    const lay = () => this.lay();
    for (const name of ["grid-ranged", "grid-redrawn", "grid-drawn", "grid-role", "cell-cursor", "focusin"]) grid.addEventListener(name, lay);
    grid.scroller.addEventListener("scroll", lay, { passive: true });
    // It tells of what is selected, in one line or several.
    new ResizeObserver(lay).observe(grid.table.tFoot);
    for (const name of ["resize", "scroll"]) globalThis.visualViewport?.addEventListener(name, lay);
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
    return this.wanted ? chosenRect(this.grid) : null;
  }

  lay() {
    this.layGrips();
    this.bar.lay(this.grips.last);
  }

  layGrips() {
    const { rect, grips, grid } = this;
    for (const grip of [grips.first, grips.last]) grip.hidden = !rect;
    if (!rect) return;
    const heads = grid.table.tHead.rows[0].cells;
    const { geometry } = grid.window;
    const [before, after] = [heads[rect.left + 1], heads[rect.right + 1]];
    const start = isMirrored() ? before.offsetLeft + before.offsetWidth : before.offsetLeft;
    const end = isMirrored() ? after.offsetLeft : after.offsetLeft + after.offsetWidth;
    const width = grid.rowsBody.offsetWidth;
    const inside = (/** @type {number} */ left) => Math.max(HALF_PX, Math.min(left, width - HALF_PX));
    stand(grips.first, { left: inside(start), top: Math.max(HALF_PX, geometry.topOf(rect.top)) });
    stand(grips.last, { left: inside(end), top: Math.min(geometry.height - HALF_PX, geometry.topOf(rect.bottom) + geometry.rowHeight) });
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

/** Copy, paste and clear for what was chosen by finger. It stays when keys move on: they reach it with Tab. */
class RangeBar {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.wanted = true;
    /** Where the browser gives pages nothing to paste, somebody pastes here themselves. */
    this.field = el("textarea", { class: "input", rows: "1", hidden: true, "aria-label": t("Paste here"), placeholder: t("Paste here") });
    this.field.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => {
      event.preventDefault();
      this.paste(event.clipboardData?.getData("text/plain") ?? "");
    });
    const button = (/** @type {string} */ text, /** @type {(rect: Rect) => void} */ run) =>
      el("button", { type: "button", on: { click: () => this.act(run) } }, text);
    const copy = button(t("Copy"), (rect) => copyCells(this.grid.clipboard, rect));
    copy.prepend(icon("copy", "icon--14"));
    this.writing = [button(t("Paste"), () => this.read()), button(t("Clear"), (rect) => emptyCells(this.grid.clipboard, rect))];
    this.element = el("div", { class: "selbar rangebar", role: "toolbar", "aria-label": t("Selected cells"), hidden: true }, copy, ...this.writing, this.field);
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && this.want(false));
    grid.selection.bar.after(this.element);
    grid.table.addEventListener("keydown", (event) => event.key === "Escape" && this.want(false));
    grid.table.addEventListener("pointerdown", (event) => this.want(event.pointerType === "touch"), { capture: true });
  }

  /** @param {boolean} wanted */
  want(wanted) {
    this.wanted = wanted;
    if (wanted) return;
    const held = this.element.contains(document.activeElement);
    this.element.hidden = this.field.hidden = true;
    if (held) this.grid.table.focus({ preventScroll: true });
  }

  /** @param {HTMLElement} end  of what is chosen: it is not covered */
  lay(end) {
    const { element, grid } = this;
    element.hidden = !this.wanted || !chosenRect(grid);
    for (const part of this.writing) part.hidden = !grid.mayEdit;
    if (!grid.mayEdit) this.field.hidden = true;
    if (element.hidden || end.hidden) return;
    const { top, bottom } = grid.ranges.sight;
    const outer = grid.getBoundingClientRect();
    const below = Math.max(outer.bottom - bottom, coveredBelow(outer.bottom));
    element.style.setProperty("--rangebar-top", `${top - outer.top}px`);
    element.style.setProperty("--rangebar-bottom", `${below + GAP_PX}px`);
    element.classList.toggle("is-up", end.getBoundingClientRect().bottom > outer.bottom - below - ROOM_PX);
  }

  /** @param {(rect: Rect) => void} run */
  act(run) {
    const rect = chosenRect(this.grid);
    if (rect) run(rect);
    if (this.field.hidden) this.grid.table.focus({ preventScroll: true });
  }

  /** What is to be pasted: asked of the browser, else of the person. */
  async read() {
    const text = await clipboardText();
    if (text !== null) return this.paste(text);
    if (this.element.hidden) return;
    this.field.hidden = false;
    this.field.focus();
  }

  /** @param {string} text */
  paste(text) {
    this.field.hidden = true;
    const rect = chosenRect(this.grid);
    if (rect) this.grid.clipboard.pasteInto(text, rect);
    this.grid.table.focus({ preventScroll: true });
  }
}

/** @param {number} bottom  px @returns {number} how much above it lies under the keyboard of a phone, px; who has zoomed in sees a part anyway */
function coveredBelow(bottom) {
  const seen = globalThis.visualViewport;
  return seen && seen.scale === 1 ? Math.max(0, bottom - seen.offsetTop - seen.height) : 0;
}

/** @param {HTMLElement} grip @param {{left: number, top: number}} place  px, of its middle */
function stand(grip, { left, top }) {
  grip.style.left = `${left}px`;
  grip.style.top = `${top}px`;
}
