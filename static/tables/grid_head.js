// The header of the grid: column names, widths, dragging columns.

import { drawRevealed, el, icon, isMirrored, load, replaceInside, toast } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { drawHead, setRoles, widthClass } from "./values.js";
import { nextSort, pageQuery, sortDirection, sortNumber } from "./view_state.js";

const SAMPLES = 50;
/** Limits of a column's width, px. */
export const MIN_WIDTH = 48;
export const MAX_WIDTH = 1200;

/** @param {TableGrid} grid */
export function drawGridHead(grid) {
  const samples = grid.store.rows.slice(0, SAMPLES).map((row) => row.data);
  const widths = grid.columns.map((column) => {
    const own = grid.viewSettings.widths[column.id];
    return el("col", { ...(own ? { width: own } : { class: widthClass(column, samples) }), dataset: { col: column.id } });
  });
  grid.table.querySelector("colgroup").replaceChildren(el("col", { class: "w-gutter" }), ...widths, el("col"));
  applyWidths(grid);
  const line = grid.table.tHead.rows[0];
  const heads = grid.columns.map((column, index) => sortableHead(grid, column, index));
  replaceInside(line, line.cells[0], ...heads, el("th", { class: "filler", "aria-hidden": "true" }));
  setRoles(line);
  const foot = grid.table.tFoot.rows[0].cells[1];
  foot.colSpan = grid.columns.length + 1;
}

/** @param {TableGrid} grid  sets the column widths for the rows, each of which has its own grid layout */
export function applyWidths(grid) {
  const tracks = [...grid.table.querySelectorAll("col[data-col]")].map((col) => {
    const own = col.getAttribute("width");
    if (own) return `${Number(own)}px`;
    const step = /w-(\d)/.exec(col.className)?.[1] ?? "3";
    return col.classList.contains("is-touched") ? `var(--old-w-${step}, var(--w-${step}))` : `var(--w-${step})`;
  });
  grid.table.style.setProperty("--grid-columns", ["var(--gutter-w, 56px)", ...tracks, "minmax(0, 1fr)"].join(" "));
}

/** @param {TableGrid} grid @param {Column} column @param {number} index */
function sortableHead(grid, column, index) {
  const head = drawHead(column, index);
  const direction = sortDirection(grid.view.sort, column.id);
  if (direction) head.setAttribute("aria-sort", direction);
  const address = pageQuery({ ...grid.view, sort: nextSort(grid.view.sort, column.id) }) || "?";
  const link = el("a", { class: "col", href: address }, icon(columnType(column).icon, "icon--14"), el("span", {}, drawRevealed(column.name)));
  if (direction) {
    const arrow = icon(direction === "ascending" ? "arrow-up" : "arrow-down", "icon--14");
    const number = sortNumber(grid.view.sort, column.id);
    const several = number > 0 ? [el("span", { class: "sr", text: t(", sort order ") }), el("b", { class: "col__order", text: String(number) })] : [];
    link.append(el("span", { class: "col__sort" }, arrow, ...several));
  }
  head.replaceChildren(link);
  if (!column.proposed) addHeadControls(head, column);
  return head;
}

/**
 * Add the menu button and the edge for resizing, by pointer or arrow keys.
 * @param {HTMLTableCellElement} head @param {Column} column
 */
export function addHeadControls(head, column) {
  const link = head.querySelector(".col");
  link.id = `head-${column.id}`;
  link.setAttribute("aria-keyshortcuts", "Alt+ArrowDown");
  const about = { "aria-describedby": link.id, tabindex: "-1" };
  const menu = { class: "col__menu", type: "button", "aria-label": t("Column menu"), "aria-haspopup": "menu", "aria-expanded": "false", title: t("Column menu (Alt+Shift+↓)") };
  const edge = { class: "col__edge", role: "separator", "aria-orientation": "vertical", "aria-label": t("Width of {column}", { column: column.name }), "aria-valuemin": MIN_WIDTH, "aria-valuemax": MAX_WIDTH, "aria-valuenow": MIN_WIDTH };
  head.setAttribute("aria-label", column.name);
  head.append(el("button", { ...menu, ...about, "data-part": `menu ${column.id}` }, icon("chevron-down", "icon--14")), el("span", { ...edge, tabindex: "-1" }));
}

const BEGINS_PX = 6;
const MARKS = { before: "is-drop-before", after: "is-drop-after" };

export class ColumnDrag {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.head = grid.table.tHead;
    // Links are draggable by default.
    this.head.addEventListener("dragstart", (event) => event.preventDefault());
    this.head.addEventListener("pointerdown", (event) => this.startDrag(event));
  }

  /** @returns {HTMLTableCellElement[]} */
  get heads() {
    return [...this.head.querySelectorAll("th[data-col]")];
  }

  /** @param {PointerEvent} event */
  startDrag(event) {
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
