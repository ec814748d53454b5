// How many rows each option of the filter bar would leave.

import { api } from "../api.js";
import { el } from "../element.js";
import { readerLocale } from "../locale.js";
import { filterKind, withChosen } from "./view_state.js";

const QUIET_MS = 250;

export class OptionCounts {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** By column what was asked, and what the answer was. @type {Map<string, {asked: string, counts: Record<string, number>}>} */
    this.known = new Map();
    /** @type {AbortController | null} */
    this.reading = null;
    // What the page came with.
    this.learn(JSON.parse(grid.filters.bar.dataset.choices ?? "null") ?? {}, grid.filters.viewAtFirst);
    this.draw();
    // Cells that were saved, rows that were read anew: other numbers may be true now.
    for (const name of ["grid-written", "grid-redrawn"]) grid.addEventListener(name, () => this.soon());
    this.soon();
  }

  /** @param {Record<string, Record<string, number>>} counts  by column @param {ViewState} view  in which they were counted */
  learn(counts, view) {
    for (const [id, of] of Object.entries(counts)) {
      const column = this.grid.allColumns.find((one) => one.id === id);
      if (column) this.known.set(id, { asked: this.asked(column, view), counts: of });
    }
  }

  /** @param {Column} column @param {ViewState} [view] @returns {string} what its numbers hang on: search and all filters but its own */
  asked(column, { search, filter } = this.grid.view) {
    return `${search} ${withChosen(filter, column, null)}`;
  }

  /** @returns {Column[]} those whose options are in sight */
  get wanted() {
    const open = this.grid.filters.menus.querySelector(":popover-open")?.id;
    return this.grid.allColumns.filter((column) => filterKind(column) === "tab" || open === `filter-${column.id}`);
  }

  soon() {
    clearTimeout(this.timer);
    if (this.wanted.length) this.timer = setTimeout(() => this.read(), QUIET_MS);
  }

  /** Reads the numbers of what is in sight; one that is on its way is no longer waited for. */
  async read() {
    const { grid, wanted } = this;
    clearTimeout(this.timer);
    this.reading?.abort();
    if (!wanted.length || grid.review) return;
    const reading = (this.reading = new AbortController());
    const { view } = grid;
    const query = new URLSearchParams({ keys: "id", columns: wanted.map((column) => column.id).join() });
    if (view.search) query.set("search", view.search);
    if (view.filter) query.set("filter", view.filter);
    try {
      const { columns } = await api.get(`/api/tables/${grid.tableId}/choices/?${query}`, { signal: reading.signal });
      if (reading.signal.aborted) return;
      this.learn(columns, view);
      this.draw();
    } catch {
      // The options can be chosen without their numbers.
    }
  }

  /** Brings the numbers of everything that is drawn up to date. */
  draw() {
    const { bar, menus } = this.grid.filters;
    for (const column of this.grid.allColumns) {
      for (const group of [bar, menus]) this.show(group, column);
    }
  }

  /** @param {Element} group  that has links of options @param {Column} column */
  show(group, column) {
    const known = this.known.get(column.id);
    if (known?.asked !== this.asked(column)) return;
    for (const option of column.options ?? []) {
      const link = group.querySelector(`[data-choice="${CSS.escape(`${column.id} ${option}`)}"]`);
      if (!link) continue;
      const text = (known.counts[option] ?? 0).toLocaleString(readerLocale);
      const tab = link.closest(".tabs");
      const place = link.querySelector(".n, .menu__n") ?? el("span", { class: tab ? "n" : "menu__n" });
      if (place.textContent !== text) place.textContent = text;
      if (place.parentElement) continue;
      if (tab) link.append(" ", place);
      else link.querySelector(".badge")?.after(" ", place);
    }
  }
}
