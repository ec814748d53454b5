// Row counts of the options and people in the filter bar.

import { api } from "../api.js";
import { el } from "../element.js";
import { readerLocale, t } from "../locale.js";
import { withChosen } from "./filter_conditions.js";
import { filterKind } from "./view_state.js";

const DELAY_MS = 250;

export class OptionCounts {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** By column: the query and its counts. @type {Map<string, {query: string, counts: Record<string, number>}>} */
    this.known = new Map();
    /** @type {AbortController | null} */
    this.reading = null;
    // Counts in the server-rendered page.
    this.setCounts(JSON.parse(grid.filters.bar.dataset.choices ?? "null") ?? {}, grid.filters.initialView);
    this.draw();
    // Saved cells and rows that were read may change the counts.
    for (const name of ["grid-written", "grid-redrawn"]) grid.addEventListener(name, () => this.scheduleRead());
    this.scheduleRead();
  }

  /** @param {Record<string, Record<string, number>>} counts  by column @param {ViewState} view  for which they were counted */
  setCounts(counts, view) {
    for (const [id, columnCounts] of Object.entries(counts)) {
      const column = this.grid.allColumns.find((one) => one.id === id);
      if (column) this.known.set(id, { query: this.query(column, view), counts: columnCounts });
    }
  }

  /**
   * @param {Column} column
   * @param {ViewState} [view] @returns {string} a key of the counts: the search and all filters except the column's own
   */
  query(column, { search, filter } = this.grid.view) {
    return `${search} ${withChosen(filter, column, null)}`;
  }

  /**
   * @param {Column} column
   * @returns {string[][]} the labels of the choices in the menu, each with the key of its count
   */
  keysOf({ options = [], people }) {
    if (!people) return options.map((option) => [option, option]);
    return [[t("Me"), this.grid.dataset.readerId ?? ""], ...people.map(({ id, name }) => [name, String(id)])];
  }

  /** @returns {Column[]} columns with visible options or people */
  get visibleColumns() {
    const open = this.grid.filters.menus.querySelector(":popover-open")?.id;
    return this.grid.allColumns.filter((column) => filterKind(column) === "tab" || ((column.options || column.people) && open === `filter-${column.id}`));
  }

  scheduleRead() {
    clearTimeout(this.timer);
    if (this.visibleColumns.length) this.timer = setTimeout(() => this.read(), DELAY_MS);
  }

  /** Read the counts of visible options; aborts an earlier read. */
  async read() {
    const { grid, visibleColumns } = this;
    clearTimeout(this.timer);
    this.reading?.abort();
    if (!visibleColumns.length || grid.review) return;
    const reading = (this.reading = new AbortController());
    const { view } = grid;
    const params = new URLSearchParams({ keys: "id", columns: visibleColumns.map((column) => column.id).join() });
    if (view.search) params.set("search", view.search);
    if (view.filter) params.set("filter", view.filter);
    try {
      const { columns } = await api.get(`/api/tables/${grid.tableId}/choices/?${params}`, { signal: reading.signal });
      if (reading.signal.aborted) return;
      this.setCounts(columns, view);
      this.draw();
    } catch {
      // Options can be used without their counts.
    }
  }

  /** Update all counts. */
  draw() {
    const { bar, menus } = this.grid.filters;
    for (const column of this.grid.allColumns) {
      for (const group of [bar, menus]) this.show(group, column);
    }
  }

  /** @param {Element} group  with links of options @param {Column} column */
  show(group, column) {
    const known = this.known.get(column.id);
    if (known?.query !== this.query(column)) return;
    for (const [label, key] of this.keysOf(column)) {
      const link = group.querySelector(`[data-choice="${CSS.escape(`${column.id} ${label}`)}"]`);
      if (!link) continue;
      const text = (known.counts[key] ?? 0).toLocaleString(readerLocale);
      const tab = link.closest(".tabs");
      const node = link.querySelector(".n, .menu__count") ?? el("span", { class: tab ? "n" : "menu__count" });
      if (node.textContent !== text) node.textContent = text;
      if (node.parentElement) continue;
      if (tab) link.append(" ", node);
      else link.firstElementChild?.after(" ", node);
    }
  }
}
