// The handle at the number of a row: with it rows are dragged to another place, by a mouse or a finger. A line shows where.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { hasOwnOrder, indexesOf, moveBeside, rowsMeant } from "./row_moves.js";
import { droppedPlace } from "./row_order.js";

const BEGINS_PX = 4;

/** @type {WeakMap<TableGrid, RowGrip>} */
const grips = new WeakMap();

/** @param {TableGrid} grid  is given its handle, once @param {EventTarget | null} [under]  what the pointer is over */
export function addRowGrip(grid, under) {
  const grip = grips.get(grid) ?? new RowGrip(grid);
  grips.set(grid, grip);
  grip.follow(under ?? null);
}

class RowGrip {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** The row it is at. */
    this.rowId = "";
    /** Rows that are dragged, by their ids. @type {Set<string>} */
    this.dragged = new Set();
    this.element = el("div", { class: "rowgrip", "aria-hidden": "true", title: t("Drag to move the row (Alt+↑, Alt+↓)"), hidden: true }, icon("grip-vertical", "icon--14"));
    this.line = el("div", { class: "rowline", "aria-hidden": "true", hidden: true });
    this.element.addEventListener("pointerdown", (event) => this.pressed(event));
    grid.rowsBody.append(this.element, this.line);
    grid.rowsBody.addEventListener("pointerover", (event) => this.follow(event.target));
    grid.rowsBody.addEventListener("pointerleave", () => this.stand(grid.cursor.rowKey));
    grid.rowsBody.addEventListener("cell-cursor", (event) => this.follow(event.target));
    for (const name of ["grid-drawn", "grid-redrawn", "grid-role", "grid-selected"]) grid.addEventListener(name, () => this.lay());
  }

  /** @param {EventTarget | null} target  in a row */
  follow(target) {
    const tr = target instanceof Element ? target.closest("tr[data-row]") : null;
    if (tr instanceof HTMLTableRowElement) this.stand(tr.dataset.row ?? "");
  }

  /** @param {string} rowId */
  stand(rowId) {
    if (this.dragged.size) return;
    this.rowId = rowId;
    this.lay();
  }

  lay() {
    const { grid, element } = this;
    const index = this.rowId ? grid.store.indexOf(this.rowId) : -1;
    element.hidden = index < 0 || !hasOwnOrder(grid);
    if (!element.hidden) element.style.transform = `translateY(${grid.window.geometry.topOf(index)}px)`;
    element.classList.toggle("is-beside-check", grid.selection.ids.has(this.rowId));
    for (const tr of grid.window.slots.keys()) tr.classList.toggle("is-moving", this.dragged.has(tr.dataset.row ?? ""));
  }

  /** @param {PointerEvent} began */
  async pressed(began) {
    const { grid } = this;
    const { rowId } = this;
    if (began.button !== 0 || this.dragged.size) return;
    began.preventDefault();
    began.stopPropagation();
    const over = new AbortController();
    const { signal } = over;
    let at = began.clientY;
    /** @type {number[] | null} */
    let ids = null;
    let boundary = -1;
    const reach = () => {
      if (!ids || (boundary < 0 && Math.abs(at - began.clientY) < BEGINS_PX)) return;
      if (boundary < 0) {
        this.dragged = new Set(ids.map(String));
        this.element.classList.add("is-held");
        this.lay();
      }
      boundary = this.boundaryAt(at);
      this.line.hidden = false;
      this.line.style.top = `${grid.window.geometry.topOf(boundary)}px`;
    };
    const done = (/** @type {boolean} */ drops) => {
      over.abort();
      this.dragged = new Set();
      this.line.hidden = true;
      this.element.classList.remove("is-held");
      this.lay();
      if (drops && ids && boundary >= 0) this.drop(ids, boundary);
      else if (drops && boundary < 0 && began.pointerType === "touch") this.tapped(rowId);
    };
    const mine = (/** @type {PointerEvent} */ now) => now.pointerId === began.pointerId;
    addEventListener("pointermove", (now) => {
      if (!mine(now)) return;
      at = now.clientY;
      reach();
    }, { signal });
    addEventListener("pointerup", (now) => mine(now) && done(true), { signal });
    addEventListener("pointercancel", (now) => mine(now) && done(false), { signal });
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      done(false);
    }, { signal, capture: true });
    // Only up and down: what is out of sight sideways stays there.
    grid.ranges.goOnAtEdge(() => {
      const { left, right } = grid.ranges.sight;
      return boundary < 0 ? null : { clientX: (left + right) / 2, clientY: at };
    }, { came: reach, signal });
    ids = await rowsMeant(grid, grid.store.indexOf(rowId));
    if (!ids) over.abort();
    else if (!signal.aborted) reach();
  }

  /** @param {number} clientY  px, may be past the edge @returns {number} how many rows lie above */
  boundaryAt(clientY) {
    const { ranges, rowsBody, store, window: shown } = this.grid;
    const { top, bottom } = ranges.sight;
    const y = Math.max(top, Math.min(clientY, bottom)) - rowsBody.getBoundingClientRect().top;
    const index = shown.geometry.indexAt(y);
    return Math.min(store.length, y > shown.geometry.topOf(index) + shown.geometry.rowHeight / 2 ? index + 1 : index);
  }

  /** @param {number[]} ids @param {number} boundary */
  drop(ids, boundary) {
    const { grid } = this;
    const place = droppedPlace(indexesOf(grid, ids), boundary, grid.store.length);
    if (place && hasOwnOrder(grid)) void moveBeside(grid, ids, place);
  }

  /** For fingers it covers the check box of a row that is not checked. @param {string} rowId */
  tapped(rowId) {
    const { selection } = this.grid;
    const tr = this.grid.rowElement(rowId);
    if (tr && !selection.ids.has(rowId)) selection.toggle(tr);
  }
}
