// The header of the grid: column names and widths.

import { drawRevealed, el, icon, replaceInside } from "../element.js";
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
  const tracks = [...grid.table.querySelectorAll("col[data-col]")].map((col, index) => {
    const own = col.getAttribute("width");
    if (own) return `${Number(own)}px`;
    const step = /w-(\d)/.exec(col.className)?.[1] ?? "3";
    return col.classList.contains("is-touched") ? `var(--old-w-${step}, var(--w-${step}))` : index ? `var(--w-${step})` : `var(--first-w-${step}, var(--w-${step}))`;
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
