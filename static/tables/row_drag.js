// The drag handle of a row, for mouse and touch. A line shows the drop position.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { hasOwnOrder, indexesOf, moveBeside, rowsToMove } from "./row_moves.js";
import { dropPosition } from "./row_order.js";

const MIN_DRAG_PX = 4;

/** @type {WeakMap<TableGrid, RowGrip>} */
const grips = new WeakMap();

/** @param {TableGrid} grid  which gets one handle @param {EventTarget | null} [under]  element under the pointer */
export function addRowGrip(grid, under) {
  const grip = grips.get(grid) ?? new RowGrip(grid);
  grips.set(grid, grip);
  grip.follow(under ?? null);
}

class RowGrip {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** The row of the handle. */
    this.rowId = "";
    /** Ids of dragged rows. @type {Set<string>} */
    this.dragged = new Set();
    this.element = el("div", { class: "rowgrip", "aria-hidden": "true", title: t("Drag to move the row (Alt+↑, Alt+↓)"), hidden: true }, icon("grip-vertical", "icon--14"));
    this.line = el("div", { class: "rowline", "aria-hidden": "true", hidden: true });
    this.element.addEventListener("pointerdown", (event) => this.startDrag(event));
    grid.rowsBody.append(this.element, this.line);
    grid.rowsBody.addEventListener("pointerover", (event) => this.follow(event.target));
    grid.rowsBody.addEventListener("pointerleave", () => this.setRow(grid.cursor.rowKey));
    grid.rowsBody.addEventListener("cell-cursor", (event) => this.follow(event.target));
    for (const name of ["grid-drawn", "grid-redrawn", "grid-role", "grid-selected"]) grid.addEventListener(name, () => this.update());
  }

  /** @param {EventTarget | null} target  in a row */
  follow(target) {
    const tr = target instanceof Element ? target.closest("tr[data-row]") : null;
    if (tr instanceof HTMLTableRowElement) this.setRow(tr.dataset.row ?? "");
  }

  /** @param {string} rowId */
  setRow(rowId) {
    if (this.dragged.size) return;
    this.rowId = rowId;
    this.update();
  }

  update() {
    const { grid, element } = this;
    const index = this.rowId ? grid.store.indexOf(this.rowId) : -1;
    element.hidden = index < 0 || !hasOwnOrder(grid);
    if (!element.hidden) element.style.transform = `translateY(${grid.window.geometry.topOf(index)}px)`;
    element.classList.toggle("is-beside-check", grid.selection.ids.has(this.rowId));
    for (const tr of grid.window.slots.keys()) tr.classList.toggle("is-moving", this.dragged.has(tr.dataset.row ?? ""));
  }

  /** @param {PointerEvent} began */
  async startDrag(began) {
    const { grid } = this;
    const { rowId } = this;
    if (began.button !== 0 || this.dragged.size) return;
    began.preventDefault();
    began.stopPropagation();
    const controller = new AbortController();
    const { signal } = controller;
    let pointerY = began.clientY;
    /** @type {number[] | null} */
    let ids = null;
    let boundary = -1;
    const updateTarget = () => {
      if (!ids || (boundary < 0 && Math.abs(pointerY - began.clientY) < MIN_DRAG_PX)) return;
      if (boundary < 0) {
        this.dragged = new Set(ids.map(String));
        this.element.classList.add("is-held");
        this.update();
      }
      boundary = this.boundaryAt(pointerY);
      this.line.hidden = false;
      this.line.style.top = `${grid.window.geometry.topOf(boundary)}px`;
    };
    const finish = (/** @type {boolean} */ drops) => {
      controller.abort();
      this.dragged = new Set();
      this.line.hidden = true;
      this.element.classList.remove("is-held");
      this.update();
      if (drops && ids && boundary >= 0) this.drop(ids, boundary);
      else if (drops && boundary < 0 && began.pointerType === "touch") this.onTap(rowId);
    };
    const isSamePointer = (/** @type {PointerEvent} */ now) => now.pointerId === began.pointerId;
    addEventListener("pointermove", (now) => {
      if (!isSamePointer(now)) return;
      pointerY = now.clientY;
      updateTarget();
    }, { signal });
    addEventListener("pointerup", (now) => isSamePointer(now) && finish(true), { signal });
    addEventListener("pointercancel", (now) => isSamePointer(now) && finish(false), { signal });
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      finish(false);
    }, { signal, capture: true });
    // Only scroll vertically.
    grid.ranges.autoScroll(() => {
      const { left, right } = grid.ranges.viewport;
      return boundary < 0 ? null : { clientX: (left + right) / 2, clientY: pointerY };
    }, { onScroll: updateTarget, signal });
    ids = await rowsToMove(grid, grid.store.indexOf(rowId));
    if (!ids) controller.abort();
    else if (!signal.aborted) updateTarget();
  }

  /** @param {number} clientY  px, may be outside the grid @returns {number} number of rows above it */
  boundaryAt(clientY) {
    const { ranges, rowsBody, store, window: shown } = this.grid;
    const { top, bottom } = ranges.viewport;
    const y = Math.max(top, Math.min(clientY, bottom)) - rowsBody.getBoundingClientRect().top;
    const index = shown.geometry.indexAt(y);
    return Math.min(store.length, y > shown.geometry.topOf(index) + shown.geometry.rowHeight / 2 ? index + 1 : index);
  }

  /** @param {number[]} ids @param {number} boundary */
  drop(ids, boundary) {
    const { grid } = this;
    const position = dropPosition(indexesOf(grid, ids), boundary, grid.store.length);
    if (position && hasOwnOrder(grid)) void moveBeside(grid, ids, position);
  }

  /** On touch screens it covers the checkbox of an unchecked row. @param {string} rowId */
  onTap(rowId) {
    const { selection } = this.grid;
    const tr = this.grid.rowElement(rowId);
    if (tr && !selection.ids.has(rowId)) selection.toggle(tr);
  }
}
