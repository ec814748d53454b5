// The heads of a grid's columns and their widths: drawn again when columns or the sort order change; dragged to another
// place, with a line that shows where.

import { drawRevealed, el, icon, isMirrored, load, replaceInside, toast } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { drawHead, giveRoles, widthClass } from "./values.js";
import { nextSort, pageQuery, sortDirection, sortNumber } from "./view_state.js";

const SAMPLES = 50;
/** How wide a column can be made, px. */
export const LEAST = 48;
export const MOST = 1200;

/** @param {TableGrid} grid */
export function drawGridHead(grid) {
  const samples = grid.store.rows.slice(0, SAMPLES).map((row) => row.data);
  const widths = grid.columns.map((column) => {
    const own = grid.look.widths[column.id];
    return el("col", { ...(own ? { width: own } : { class: widthClass(column, samples) }), dataset: { col: column.id } });
  });
  grid.table.querySelector("colgroup").replaceChildren(el("col", { class: "w-gutter" }), ...widths, el("col"));
  layColumns(grid);
  const line = grid.table.tHead.rows[0];
  const heads = grid.columns.map((column, place) => sortableHead(grid, column, place));
  replaceInside(line, line.cells[0], ...heads, el("th", { class: "filler", "aria-hidden": "true" }));
  giveRoles(line);
  const foot = grid.table.tFoot.rows[0].cells[1];
  foot.colSpan = grid.columns.length + 1;
}

/** @param {TableGrid} grid  the widths of the columns, for the rows that are laid out by themselves */
export function layColumns(grid) {
  const tracks = [...grid.table.querySelectorAll("col[data-col]")].map((col) => {
    const own = col.getAttribute("width");
    if (own) return `${Number(own)}px`;
    const step = /w-(\d)/.exec(col.className)?.[1] ?? "3";
    return col.classList.contains("is-touched") ? `var(--o-${step}, var(--w-${step}))` : `var(--w-${step})`;
  });
  grid.table.style.setProperty("--grid-columns", ["var(--gutter-w, 56px)", ...tracks, "minmax(0, 1fr)"].join(" "));
}

/** @param {TableGrid} grid @param {Column} column @param {number} place */
function sortableHead(grid, column, place) {
  const head = drawHead(column, place);
  const direction = sortDirection(grid.view.sort, column.id);
  if (direction) head.setAttribute("aria-sort", direction);
  const address = pageQuery({ ...grid.view, sort: nextSort(grid.view.sort, column.id) }) || "?";
  const link = el("a", { class: "col", href: address }, icon(columnType(column).icon, "icon--14"), el("span", {}, drawRevealed(column.name)));
  if (direction) {
    const arrow = icon(direction === "ascending" ? "arrow-up" : "arrow-down", "icon--14");
    const number = sortNumber(grid.view.sort, column.id);
    const several = number > 0 ? [el("span", { class: "sr", text: t(", order ") }), el("b", { class: "col__n", text: String(number) })] : [];
    link.append(el("span", { class: "col__sort" }, arrow, ...several));
  }
  head.replaceChildren(link);
  if (!column.proposed) dressHead(head, column);
  return head;
}

/**
 * What scripts add to a head: a menu, which the keys open too, and an edge that is drawn or moved by arrow keys.
 * @param {HTMLTableCellElement} head @param {Column} column
 */
export function dressHead(head, column) {
  const link = head.querySelector(".col");
  link.id = `head-${column.id}`;
  link.setAttribute("aria-keyshortcuts", "Alt+ArrowDown");
  const about = { "aria-describedby": link.id, tabindex: "-1" };
  const menu = { class: "col__menu", type: "button", "aria-label": t("Column menu"), "aria-haspopup": "menu", "aria-expanded": "false", title: t("Column menu (Alt+Shift+↓)") };
  const edge = { class: "col__edge", role: "separator", "aria-orientation": "vertical", "aria-label": t("Width of {column}", { column: column.name }), "aria-valuemin": LEAST, "aria-valuemax": MOST, "aria-valuenow": LEAST };
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
    // A link is dragged by the browser, too.
    this.head.addEventListener("dragstart", (event) => event.preventDefault());
    this.head.addEventListener("pointerdown", (event) => this.grabbed(event));
  }

  /** @returns {HTMLTableCellElement[]} */
  get heads() {
    return [...this.head.querySelectorAll("th[data-col]")];
  }

  /** @param {PointerEvent} event */
  grabbed(event) {
    const target = /** @type {Element} */ (event.target);
    const id = target.closest("th[data-col]")?.dataset.col;
    // On a touch screen the same movement scrolls; there the menu moves columns.
    if (!id || event.button !== 0 || event.pointerType === "touch" || target.closest(".col__menu, .col__edge")) return;
    if (!this.grid.mayEdit || this.grid.review) return;
    const began = event.clientX;
    let dropped = null;
    let left = false;
    let at = began;
    const reach = () => {
      dropped = this.over(at);
      this.mark(id, dropped);
    };
    const moved = (/** @type {PointerEvent} */ now) => {
      at = now.clientX;
      if (left || (!dropped && Math.abs(at - began) < BEGINS_PX)) return;
      reach();
    };
    const pressed = (/** @type {KeyboardEvent} */ key) => {
      if (key.key !== "Escape" || !dropped) return;
      key.preventDefault();
      key.stopPropagation();
      dropped = null;
      left = true;
      this.mark("", null);
    };
    const over = new AbortController();
    const { signal } = over;
    const done = (/** @type {PointerEvent} */ now) => {
      over.abort();
      this.mark("", null);
      if (!dropped && !left) return;
      this.swallowClick();
      if (dropped && now.type === "pointerup") this.drop(id, dropped);
    };
    addEventListener("pointermove", moved, { signal });
    addEventListener("pointerup", done, { signal });
    addEventListener("pointercancel", done, { signal });
    addEventListener("keydown", pressed, { signal, capture: true });
    this.grid.ranges.goOnAtEdge(() => (dropped ? { clientX: at } : null), { came: reach, signal });
  }

  /** @param {number} held  px, may be past the edge */
  over(held) {
    const sight = this.grid.ranges.sight;
    const x = Math.max(sight.left, Math.min(held, sight.right - 1));
    const heads = this.heads.map((head) => {
      const { left, right } = head.getBoundingClientRect();
      return { id: head.dataset.col ?? "", ...(isMirrored() ? { start: -right, end: -left } : { start: left, end: right }) };
    });
    return dropPlace(heads, isMirrored() ? -x : x);
  }

  /** @param {string} id @param {{neighbour: string, side: "before" | "after"} | null} place */
  mark(id, place) {
    for (const head of this.heads) {
      head.classList.toggle("is-dragged", head.dataset.col === id);
      for (const [side, name] of Object.entries(MARKS)) head.classList.toggle(name, place?.side === side && place.neighbour === head.dataset.col);
    }
  }

  /** The click that ends it is no wish to sort. */
  swallowClick() {
    const swallow = (/** @type {Event} */ click) => {
      click.preventDefault();
      click.stopPropagation();
    };
    addEventListener("click", swallow, true);
    setTimeout(() => removeEventListener("click", swallow, true));
  }

  /** @param {string} id @param {{neighbour: string, side: "before" | "after"}} place */
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
 * @param {string[]} all  every column's id, hidden ones too @param {string} id  of the one that moves
 * @param {string} neighbour @param {"before" | "after"} side
 * @returns {string | null | undefined} the column it stands after from then on; null: it is the first; undefined: nothing changes
 */
export function placedBeside(all, id, neighbour, side) {
  const from = all.indexOf(id);
  const others = all.filter((one) => one !== id);
  const to = others.indexOf(neighbour);
  if (from < 0 || to < 0) return undefined;
  const place = side === "after" ? to + 1 : to;
  return place === from ? undefined : others[place - 1] ?? null;
}

/**
 * @param {string[]} all @param {string[]} shown @param {string} id @param {-1 | 1} step  past the next one that is seen
 * @returns {string | null | undefined} as above
 */
export function placedByStep(all, shown, id, step) {
  const at = shown.indexOf(id);
  const neighbour = at < 0 ? undefined : shown[at + step];
  return neighbour === undefined ? undefined : placedBeside(all, id, neighbour, step < 0 ? "before" : "after");
}

/**
 * @param {{id: string, start: number, end: number}[]} heads  as one reads, px @param {number} x  px, in the same direction
 * @returns {{neighbour: string, side: "before" | "after"} | null} between which heads something dropped there comes to stand
 */
export function dropPlace(heads, x) {
  if (!heads.length) return null;
  const under = heads.find(({ end }) => x < end) ?? heads[heads.length - 1];
  return { neighbour: under.id, side: x < (under.start + under.end) / 2 ? "before" : "after" };
}
