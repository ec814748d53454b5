// How many rows each option of a filter menu would leave: counted by the server when the menu is opened.

import { api } from "../api.js";
import { el } from "../element.js";
import { readerLocale } from "../locale.js";
import { withChosen } from "./filter_state.js";

export class OptionCounts {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** By column what was asked, and what the answer was. @type {Map<string, {asked: string, counts: Record<string, number>}>} */
    this.known = new Map();
  }

  /** @param {Column} column @returns {URLSearchParams} what is asked: search and all filters but the column's own */
  query(column) {
    const { search, filter } = this.grid.view;
    const query = new URLSearchParams({ keys: "id" });
    const others = withChosen(filter, column, null);
    if (search) query.set("search", search);
    if (others) query.set("filter", others);
    return query;
  }

  /** @param {HTMLElement} menu */
  async read(menu) {
    const column = this.grid.allColumns.find((one) => menu.id === `filter-${one.id}`);
    if (!column) return;
    const asked = String(this.query(column));
    const stats = await api.get(`/api/tables/${this.grid.tableId}/stats/?${asked}`);
    this.known.set(column.id, { asked, counts: stats.columns[column.id]?.counts ?? {} });
    // It may have been drawn anew meanwhile.
    const now = this.grid.querySelector(`[id="${CSS.escape(menu.id)}"]`);
    if (now) this.show(now, column);
  }

  /** @param {Element} menu @param {Column} column */
  show(menu, column) {
    const known = this.known.get(column.id);
    if (known?.asked !== String(this.query(column))) return;
    for (const item of menu.querySelectorAll("a.menu__item")) {
      const option = item.querySelector(".badge")?.textContent ?? "";
      const text = (known.counts[option] ?? 0).toLocaleString(readerLocale);
      const place = item.querySelector(".menu__n") ?? el("span", { class: "menu__n" });
      place.textContent = text;
      item.querySelector(".badge")?.after(place);
    }
  }
}
