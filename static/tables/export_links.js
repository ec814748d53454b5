// Updates the links to exported files when the view changes.

import { t, tn } from "../locale.js";
import { countValue, pageQuery } from "./view_state.js";

/** @param {TableGrid} grid @param {HTMLElement} menu  its links are updated from now on */
export function updateExportLinks(grid, menu) {
  if ("followed" in menu.dataset) return;
  menu.dataset.followed = "";
  grid.addEventListener("grid-counted", () => drawLinks(grid, menu));
  drawLinks(grid, menu);
}

/** During a review the links have no filter, because all rows are shown. @param {TableGrid} grid @param {HTMLElement} menu */
function drawLinks(grid, menu) {
  const { view, store, isNarrowed: narrowed } = grid;
  if (grid.review || narrowed !== Boolean(view.search || view.filter)) return;
  const parts = { shown: view, all: { search: "", filter: "", sort: view.sort } };
  const words = {
    shown: tn("Filtered rows: {count}", "Filtered rows: {count}", store.count, { count: countValue(store, store.count) }),
    all: t("All rows: {count}", { count: narrowed ? Math.max(grid.filters.total, store.count) : countValue(store, store.count) }),
  };
  for (const part of menu.querySelectorAll("[data-export-part]")) {
    const kind = part.getAttribute("data-export-part");
    part.querySelector(".menu__label").textContent = words[kind];
    for (const link of part.querySelectorAll("a")) {
      const query = new URLSearchParams(pageQuery(parts[kind]));
      query.set("format", link.dataset.format);
      link.href = `${menu.dataset.export}?${query}`;
    }
    part.hidden = kind === "shown" && !narrowed;
  }
}
