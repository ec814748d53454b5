// The corner of the selected cells that is drawn up or down with the mouse: what is in them is repeated there.

import { el, isMirrored } from "../element.js";
import { t } from "../locale.js";
import { chosenRect, fillFrom, heldCells } from "./cell_commands.js";
import { addFilledRows } from "./row_commands.js";

/** Half of what is seen of it: at the edges of the table it is inside. */
const HALF_PX = 4;

/** @type {WeakMap<TableGrid, FillHandle>} */
const handles = new WeakMap();

/** @param {TableGrid} grid  is given its handle, once */
export function addFillHandle(grid) {
  if (!handles.has(grid)) handles.set(grid, new FillHandle(grid));
}

class FillHandle {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.element = el("div", { class: "fillgrip", "aria-hidden": "true", title: t("Drag to fill"), hidden: true });
    this.element.addEventListener("pointerdown", (event) => this.held(event));
    grid.rowsBody.append(this.element);
    for (const name of ["grid-ranged", "grid-redrawn", "grid-drawn", "grid-role", "cell-cursor"]) grid.addEventListener(name, () => this.lay());
    new ResizeObserver(() => this.lay()).observe(grid.table);
    this.lay();
  }

  lay() {
    const { grid, element } = this;
    const rect = grid.mayEdit ? chosenRect(grid) : null;
    const head = rect && grid.table.tHead.rows[0].cells[rect.right + 1];
    element.hidden = !rect || !head;
    if (!rect || !head) return;
    const { geometry } = grid.window;
    const end = isMirrored() ? head.offsetLeft : head.offsetLeft + head.offsetWidth;
    element.style.left = `${Math.max(HALF_PX, Math.min(end, grid.rowsBody.offsetWidth - HALF_PX))}px`;
    element.style.top = `${Math.min(geometry.height - HALF_PX, geometry.topOf(rect.bottom) + geometry.rowHeight)}px`;
  }

  /** @param {PointerEvent} began */
  held(began) {
    const { grid, element } = this;
    const { ranges } = grid;
    const source = chosenRect(grid);
    if (!source || began.button !== 0) return;
    began.preventDefault();
    began.stopPropagation();
    const over = new AbortController();
    const { signal } = over;
    const { total } = grid.store;
    const cells = heldCells(grid, source);
    /** @type {Rect | null} */
    let target = null;
    /** How many blank rows below the last one it is drawn over. */
    let added = 0;
    let at = { clientX: began.clientX, clientY: began.clientY };
    element.classList.add("is-held");
    const show = (/** @type {Rect} */ rect) => ranges.take({ from: ranges.end(rect.top, rect.left), to: ranges.end(rect.bottom, rect.right) }, { held: true });
    const reach = () => {
      added = source.bottom === grid.store.length - 1 ? this.markBlank(source, at) : 0;
      if (added) {
        target = null;
        return show(source);
      }
      const to = ranges.spotAt(ranges.elementNear(at));
      if (!to) return;
      target = beside(source, to.index);
      show(target ? together(source, target) : source);
    };
    const moved = (/** @type {PointerEvent} */ now) => {
      at = { clientX: now.clientX, clientY: now.clientY };
      reach();
    };
    // Once rows were read anew, others may lie where it was drawn to.
    const lost = () => {
      over.abort();
      this.markBlank(source, null);
      element.classList.remove("is-held");
      ranges.clear();
      const now = cells();
      if (now) ranges.select(now);
    };
    grid.addEventListener("grid-redrawn", lost, { signal });
    const done = (/** @type {boolean} */ fills) => {
      if (grid.store.total !== total) return lost();
      over.abort();
      this.markBlank(source, null);
      element.classList.remove("is-held");
      ranges.select(fills && target ? together(source, target) : source);
      if (fills && target) void fillFrom(grid.clipboard, source, target);
      else if (fills && added) void addFilledRows(grid, source, added);
    };
    addEventListener("pointermove", moved, { signal });
    addEventListener("pointerup", () => done(true), { signal });
    addEventListener("pointercancel", () => done(false), { signal });
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      done(false);
    };
    addEventListener("keydown", pressed, { signal, capture: true });
    ranges.goOnAtEdge(() => (target ? at : null), { came: reach, signal });
  }

  /** @param {Rect} source @param {{clientX: number, clientY: number} | null} at @returns {number} how many blank rows lie down to there, which are marked */
  markBlank({ left, right }, at) {
    const { blankRows } = this.grid.drafts;
    const tr = at && document.elementFromPoint(at.clientX, at.clientY)?.closest("tr.is-blank");
    const count = tr ? blankRows.indexOf(tr) + 1 : 0;
    blankRows.forEach((row, step) => [...row.cells].slice(left + 1, right + 2).forEach((cell) => cell.classList.toggle("is-in-range", step < count)));
    return count;
  }
}

/** @param {Rect} source @param {number} index @returns {Rect | null} the rows from there up to the source, none within it */
function beside(source, index) {
  if (index > source.bottom) return { ...source, top: source.bottom + 1, bottom: index };
  return index < source.top ? { ...source, top: index, bottom: source.top - 1 } : null;
}

/** @param {Rect} one @param {Rect} other  of the same columns @returns {Rect} */
function together(one, other) {
  return { ...one, top: Math.min(one.top, other.top), bottom: Math.max(one.bottom, other.bottom) };
}
