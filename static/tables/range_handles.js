// Touch controls of the selected cells: a handle at each corner for resizing, and a bar with commands. Shown after a tap.

import { el, icon, isMirrored } from "../element.js";
import { t } from "../locale.js";
import { selectedRect, clipboardText, copyCells, emptyCells } from "./cell_commands.js";

/** Distance from a handle to its cell. */
const INWARD_PX = 12;
/** Space for the bar at the lower edge, including the footer. */
const BAR_PX = 72;
/** Distance between the bar and the footer. */
const GAP_PX = 8;
/** Half of a handle; it is moved inside at the edges of the table. */
const HALF_PX = 9;

export class RangeHandles {
  /** @param {TableGrid} grid  after a tap on a cell */
  constructor(grid) {
    this.grid = grid;
    this.isWanted = true;
    const [first, last] = ["is-first", "is-last"].map((name) => el("div", { class: `rangegrip ${name}`, "aria-hidden": "true" }));
    this.grips = { first, last };
    first.addEventListener("pointerdown", (event) => this.startDrag(event, first));
    last.addEventListener("pointerdown", (event) => this.startDrag(event, last));
    grid.rowsBody.append(first, last);
    this.bar = new RangeBar(grid);
    const update = () => this.update();
    for (const name of ["grid-ranged", "grid-redrawn", "grid-drawn", "grid-role", "cell-cursor", "focusin"]) grid.addEventListener(name, update);
    grid.scroller.addEventListener("scroll", update, { passive: true });
    // The summary in the footer may have several lines.
    new ResizeObserver(update).observe(grid.table.tFoot);
    for (const name of ["resize", "scroll"]) globalThis.visualViewport?.addEventListener(name, update);
    // Hidden for keyboard and mouse users.
    grid.table.addEventListener("keydown", () => this.setWanted(false));
    grid.table.addEventListener("pointerdown", (event) => this.setWanted(event.pointerType === "touch"), { capture: true });
    update();
  }

  /** @param {boolean} isWanted */
  setWanted(isWanted) {
    this.isWanted = isWanted;
    this.update();
  }

  /** @returns {Rect | null} the cells between the handles */
  get rect() {
    return this.isWanted ? selectedRect(this.grid) : null;
  }

  update() {
    this.updateGrips();
    this.bar.update(this.grips.last);
  }

  updateGrips() {
    const { rect, grips, grid } = this;
    for (const grip of [grips.first, grips.last]) grip.hidden = !rect;
    if (!rect) return;
    const heads = grid.table.tHead.rows[0].cells;
    const { geometry } = grid.window;
    const [before, after] = [heads[rect.left + 1], heads[rect.right + 1]];
    const start = isMirrored() ? before.offsetLeft + before.offsetWidth : before.offsetLeft;
    const corner = isMirrored() ? after.offsetLeft : after.offsetLeft + after.offsetWidth;
    const width = grid.rowsBody.offsetWidth;
    const inside = (/** @type {number} */ left) => Math.max(HALF_PX, Math.min(left, width - HALF_PX));
    positionGrip(grips.first, { left: inside(start), top: Math.max(HALF_PX, geometry.topOf(rect.top)) });
    positionGrip(grips.last, { left: inside(corner), top: Math.min(geometry.height - HALF_PX, geometry.topOf(rect.bottom) + geometry.rowHeight) });
  }

  /** @param {PointerEvent} event @param {HTMLElement} grip */
  startDrag(event, grip) {
    const { rect, grips, grid } = this;
    if (!rect || event.button !== 0) return;
    const { ranges } = grid;
    const fixedCorner = grip === grips.first ? ranges.corner(rect.bottom, rect.right) : ranges.corner(rect.top, rect.left);
    // The handle covers another cell than the one it belongs to.
    const controller = new AbortController();
    for (const one of [grips.first, grips.last]) one.classList.add("is-held");
    const finish = () => {
      controller.abort();
      for (const one of [grips.first, grips.last]) one.classList.remove("is-held");
    };
    for (const name of ["pointerup", "pointercancel"]) addEventListener(name, finish, { signal: controller.signal });
    const inward = grip === grips.first ? INWARD_PX : -INWARD_PX;
    ranges.drag(event, fixedCorner, { x: isMirrored() ? -inward : inward, y: inward });
  }
}

/** Copy, paste and clear for cells selected by touch. It stays after keys are used, and can be reached with Tab. */
class RangeBar {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.isWanted = true;
    /** For pasting by hand if the browser denies access to the clipboard. */
    this.field = el("textarea", { class: "input", rows: "1", hidden: true, "aria-label": t("Paste here"), placeholder: t("Paste here") });
    this.field.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => {
      event.preventDefault();
      this.paste(event.clipboardData?.getData("text/plain") ?? "");
    });
    const button = (/** @type {string} */ text, /** @type {(rect: Rect) => void} */ run) =>
      el("button", { type: "button", on: { click: () => this.runOnSelection(run) } }, text);
    const copy = button(t("Copy"), (rect) => copyCells(this.grid.clipboard, rect));
    copy.prepend(icon("copy", "icon--14"));
    this.editButtons = [button(t("Paste"), () => this.read()), button(t("Clear"), (rect) => emptyCells(this.grid.clipboard, rect))];
    this.element = el("div", { class: "selbar rangebar", role: "toolbar", "aria-label": t("Selected cells"), hidden: true }, copy, ...this.editButtons, this.field);
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && this.setWanted(false));
    grid.selection.bar.after(this.element);
    grid.table.addEventListener("keydown", (event) => event.key === "Escape" && this.setWanted(false));
    grid.table.addEventListener("pointerdown", (event) => this.setWanted(event.pointerType === "touch"), { capture: true });
  }

  /** @param {boolean} isWanted */
  setWanted(isWanted) {
    this.isWanted = isWanted;
    if (isWanted) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = this.field.hidden = true;
    if (hadFocus) this.grid.table.focus({ preventScroll: true });
  }

  /** @param {HTMLElement} corner  handle that must not be covered */
  update(corner) {
    const { element, grid } = this;
    element.hidden = !this.isWanted || !selectedRect(grid);
    for (const part of this.editButtons) part.hidden = !grid.mayEdit;
    if (!grid.mayEdit) this.field.hidden = true;
    if (element.hidden || corner.hidden) return;
    const { top, bottom } = grid.ranges.viewport;
    const outer = grid.getBoundingClientRect();
    const below = Math.max(outer.bottom - bottom, keyboardHeight(outer.bottom));
    element.style.setProperty("--rangebar-top", `${top - outer.top}px`);
    element.style.setProperty("--rangebar-bottom", `${below + GAP_PX}px`);
    element.classList.toggle("is-up", corner.getBoundingClientRect().bottom > outer.bottom - below - BAR_PX);
  }

  /** @param {(rect: Rect) => void} run */
  runOnSelection(run) {
    const rect = selectedRect(this.grid);
    if (rect) run(rect);
    if (this.field.hidden) this.grid.table.focus({ preventScroll: true });
  }

  /** Read the clipboard, or show the field for pasting. */
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
    const rect = selectedRect(this.grid);
    if (rect) this.grid.clipboard.pasteInto(text, rect);
    this.grid.table.focus({ preventScroll: true });
  }
}

/** @param {number} bottom  px @returns {number} height above it that is covered by an on-screen keyboard, px; 0 if zoomed */
function keyboardHeight(bottom) {
  const viewport = globalThis.visualViewport;
  return viewport && viewport.scale === 1 ? Math.max(0, bottom - viewport.offsetTop - viewport.height) : 0;
}

/** @param {HTMLElement} grip @param {{left: number, top: number}} center  px */
function positionGrip(grip, { left, top }) {
  grip.style.left = `${left}px`;
  grip.style.top = `${top}px`;
}
