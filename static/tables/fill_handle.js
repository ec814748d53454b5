// The fill handle: dragging the corner of the selected cells up or down repeats their values.

import { el, isMirrored } from "../element.js";
import { t } from "../locale.js";
import { selectedRect, fillFrom, trackCells } from "./cell_commands.js";
import { addFilledRows } from "./row_commands.js";

/** Half of its size; it is moved inside at the edges of the table. */
const HALF_PX = 4;

/** @type {WeakMap<TableGrid, FillHandle>} */
const handles = new WeakMap();

/** @param {TableGrid} grid  which gets one fill handle */
export function addFillHandle(grid) {
  if (!handles.has(grid)) handles.set(grid, new FillHandle(grid));
}

class FillHandle {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.element = el("div", { class: "fillgrip", "aria-hidden": "true", title: t("Drag to fill"), hidden: true });
    this.element.addEventListener("pointerdown", (event) => this.startDrag(event));
    grid.rowsBody.append(this.element);
    for (const name of ["grid-ranged", "grid-redrawn", "grid-drawn", "grid-role", "cell-cursor"]) grid.addEventListener(name, () => this.update());
    new ResizeObserver(() => this.update()).observe(grid.table);
    this.update();
  }

  update() {
    const { grid, element } = this;
    const rect = grid.mayEdit ? selectedRect(grid) : null;
    const head = rect && grid.table.tHead.rows[0].cells[rect.right + 1];
    element.hidden = !rect || !head;
    if (!rect || !head) return;
    const { geometry } = grid.window;
    const end = isMirrored() ? head.offsetLeft : head.offsetLeft + head.offsetWidth;
    element.style.left = `${Math.max(HALF_PX, Math.min(end, grid.rowsBody.offsetWidth - HALF_PX))}px`;
    element.style.top = `${Math.min(geometry.height - HALF_PX, geometry.topOf(rect.bottom) + geometry.rowHeight)}px`;
  }

  /** @param {PointerEvent} began */
  startDrag(began) {
    const { grid, element } = this;
    const { ranges } = grid;
    const source = selectedRect(grid);
    if (!source || began.button !== 0) return;
    began.preventDefault();
    began.stopPropagation();
    const controller = new AbortController();
    const { signal } = controller;
    const { total } = grid.store;
    const cells = trackCells(grid, source);
    /** @type {Rect | null} */
    let target = null;
    /** Number of blank rows below the last row that are included. */
    let added = 0;
    let pointer = { clientX: began.clientX, clientY: began.clientY };
    element.classList.add("is-held");
    const show = (/** @type {Rect} */ rect) => ranges.setRange({ from: ranges.corner(rect.top, rect.left), to: ranges.corner(rect.bottom, rect.right) }, { held: true });
    const updateTarget = () => {
      added = source.bottom === grid.store.length - 1 ? this.markBlank(source, pointer) : 0;
      if (added) {
        target = null;
        return show(source);
      }
      const to = ranges.cornerAt(ranges.elementNear(pointer));
      if (!to) return;
      target = rowsUpTo(source, to.index);
      show(target ? union(source, target) : source);
    };
    const onMove = (/** @type {PointerEvent} */ now) => {
      pointer = { clientX: now.clientX, clientY: now.clientY };
      updateTarget();
    };
    // After rows were read again, the target may contain other rows.
    const cancel = () => {
      controller.abort();
      this.markBlank(source, null);
      element.classList.remove("is-held");
      ranges.clear();
      const now = cells();
      if (now) ranges.select(now);
    };
    grid.addEventListener("grid-redrawn", cancel, { signal });
    const finish = (/** @type {boolean} */ fills) => {
      if (grid.store.total !== total) return cancel();
      controller.abort();
      this.markBlank(source, null);
      element.classList.remove("is-held");
      ranges.select(fills && target ? union(source, target) : source);
      if (fills && target) void fillFrom(grid.clipboard, source, target);
      else if (fills && added) void addFilledRows(grid, source, added);
    };
    addEventListener("pointermove", onMove, { signal });
    addEventListener("pointerup", () => finish(true), { signal });
    addEventListener("pointercancel", () => finish(false), { signal });
    const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      finish(false);
    };
    addEventListener("keydown", onKeyDown, { signal, capture: true });
    ranges.autoScroll(() => (target ? pointer : null), { onScroll: updateTarget, signal });
  }

  /**
   * @param {Rect} source
   * @param {{clientX: number, clientY: number} | null} at @returns {number} number of blank rows up to there, which are marked
   */
  markBlank({ left, right }, at) {
    const { blankRows } = this.grid.drafts;
    const tr = at && document.elementFromPoint(at.clientX, at.clientY)?.closest("tr.is-blank");
    const count = tr ? blankRows.indexOf(tr) + 1 : 0;
    blankRows.forEach((row, step) => [...row.cells].slice(left + 1, right + 2).forEach((cell) => cell.classList.toggle("is-in-range", step < count)));
    return count;
  }
}

/** @param {Rect} source @param {number} index @returns {Rect | null} the rows between it and the source; null inside the source */
function rowsUpTo(source, index) {
  if (index > source.bottom) return { ...source, top: source.bottom + 1, bottom: index };
  return index < source.top ? { ...source, top: index, bottom: source.top - 1 } : null;
}

/** @param {Rect} one @param {Rect} other  with the same columns @returns {Rect} their union */
function union(one, other) {
  return { ...one, top: Math.min(one.top, other.top), bottom: Math.max(one.bottom, other.bottom) };
}
