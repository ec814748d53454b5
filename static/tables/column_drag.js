// Moves columns by dragging their headers.

import { isMirrored, load, toast } from "../element.js";
import { t } from "../locale.js";

const BEGINS_PX = 6;
const MARKS = { before: "is-drop-before", after: "is-drop-after" };

export class ColumnDrag {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.head = grid.table.tHead;
  }

  /** @returns {HTMLTableCellElement[]} */
  get heads() {
    return [...this.head.querySelectorAll("th[data-col]")];
  }

  /** @param {PointerEvent} event  the press @param {PointerEvent} [latest]  a later move of the pointer, before this module was loaded */
  startDrag(event, latest) {
    const target = /** @type {Element} */ (event.target);
    const id = target.closest("th[data-col]")?.dataset.col;
    // On touch screens the same gesture scrolls; the menu moves columns there.
    if (!id || event.button !== 0 || event.pointerType === "touch" || target.closest(".col__menu, .col__edge")) return;
    if (!this.grid.mayEdit || this.grid.review) return;
    const startX = event.clientX;
    let dropped = null;
    let cancelled = false;
    let pointerX = startX;
    const update = () => {
      dropped = this.positionAt(pointerX);
      this.mark(id, dropped);
    };
    const onMove = (/** @type {PointerEvent} */ now) => {
      pointerX = now.clientX;
      if (cancelled || (!dropped && Math.abs(pointerX - startX) < BEGINS_PX)) return;
      update();
    };
    const onKeyDown = (/** @type {KeyboardEvent} */ key) => {
      if (key.key !== "Escape" || !dropped) return;
      key.preventDefault();
      key.stopPropagation();
      dropped = null;
      cancelled = true;
      this.mark("", null);
    };
    const controller = new AbortController();
    const { signal } = controller;
    const finish = (/** @type {PointerEvent} */ now) => {
      controller.abort();
      this.mark("", null);
      if (!dropped && !cancelled) return;
      this.suppressClick();
      if (dropped && now.type === "pointerup") this.drop(id, dropped);
    };
    addEventListener("pointermove", onMove, { signal });
    addEventListener("pointerup", finish, { signal });
    addEventListener("pointercancel", finish, { signal });
    addEventListener("keydown", onKeyDown, { signal, capture: true });
    if (latest) onMove(latest);
    this.grid.ranges.autoScroll(() => (dropped ? { clientX: pointerX } : null), { onScroll: update, signal });
  }

  /** @param {number} clientX  px, may be outside the grid */
  positionAt(clientX) {
    const viewport = this.grid.ranges.viewport;
    const x = Math.max(viewport.left, Math.min(clientX, viewport.right - 1));
    const heads = this.heads.map((head) => {
      const { left, right } = head.getBoundingClientRect();
      return { id: head.dataset.col ?? "", ...(isMirrored() ? { start: -right, end: -left } : { start: left, end: right }) };
    });
    return columnDropPosition(heads, isMirrored() ? -x : x);
  }

  /** @param {string} id @param {{neighbour: string, side: "before" | "after"} | null} index */
  mark(id, index) {
    for (const head of this.heads) {
      head.classList.toggle("is-dragged", head.dataset.col === id);
      for (const [side, name] of Object.entries(MARKS)) head.classList.toggle(name, index?.side === side && index.neighbour === head.dataset.col);
    }
  }

  /** Suppress the click at the end of a drag, which would sort. */
  suppressClick() {
    const suppress = (/** @type {Event} */ click) => {
      click.preventDefault();
      click.stopPropagation();
    };
    addEventListener("click", suppress, true);
    setTimeout(() => removeEventListener("click", suppress, true));
  }

  /** @param {string} id @param {{neighbour: string, side: "before" | "after"}} index */
  async drop(id, { neighbour, side }) {
    const { allColumns } = this.grid;
    const after = placedBeside(allColumns.map((column) => column.id), id, neighbour, side);
    const column = allColumns.find((one) => one.id === id);
    if (after === undefined || !column) return;
    try {
      const { moveColumn } = await load(() => import("./column_moves.js"));
      await moveColumn(this.grid, column, after);
    } catch {
      toast(t("{column} was not moved. Try again in a moment.", { column: column.name }), { kind: "error" });
    }
  }
}

/**
 * @param {string[]} all  ids of all columns, including hidden ones @param {string} id  of the moved column
 * @param {string} neighbour @param {"before" | "after"} side
 * @returns {string | null | undefined} the new previous column; null: first; undefined: unchanged
 */
export function placedBeside(all, id, neighbour, side) {
  const from = all.indexOf(id);
  const others = all.filter((one) => one !== id);
  const to = others.indexOf(neighbour);
  if (from < 0 || to < 0) return undefined;
  const index = side === "after" ? to + 1 : to;
  return index === from ? undefined : others[index - 1] ?? null;
}

/**
 * @param {{id: string, start: number, end: number}[]} heads  in reading direction, px @param {number} x  px, in the same direction
 * @returns {{neighbour: string, side: "before" | "after"} | null} the drop position
 */
export function columnDropPosition(heads, x) {
  if (!heads.length) return null;
  const hovered = heads.find(({ end }) => x < end) ?? heads[heads.length - 1];
  return { neighbour: hovered.id, side: x < (hovered.start + hovered.end) / 2 ? "before" : "after" };
}
