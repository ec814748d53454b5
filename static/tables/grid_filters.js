// The filter bar: a click changes the view and its URL.

import { el, lazy, load, onFirstInput, toast } from "../element.js";
import { t } from "../locale.js";
import { countValue, filterKind, pageQuery, readPageQuery } from "./view_state.js";

export class GridFilters {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.bar = grid.querySelector("[data-filters]");
    this.parts = grid.querySelector("[data-filter-parts]");
    this.menus = grid.querySelector("[data-filter-menus]");
    this.sorting = grid.querySelector("[data-sorting]");
    this.builder = grid.querySelector("[data-builder]");
    this.problem = grid.querySelector("[data-view-problem]");
    this.plainForm = [...this.builder.childNodes];
    /** @type {Operators} */
    this.operators = JSON.parse(this.builder.dataset.operators);
    /** Number of rows without search and filter. */
    this.total = Number(grid.dataset.total);
    this.problemQuery = pageQuery(grid.view);
    this.initialView = grid.view;
    // The URL refers to columns by id, since names may change.
    if (pageQuery(readPageQuery(location.search)) !== pageQuery(grid.view)) history.replaceState(null, "", location.pathname + pageQuery(grid.view));
    const blank = grid.querySelector("[data-blank]");
    for (const part of [this.bar, this.menus]) part.addEventListener("click", (event) => this.clicked(event, ["filter"]));
    this.sorting.addEventListener("click", (event) => this.clicked(event, ["sort"]));
    for (const part of [this.problem, blank]) part.addEventListener("click", (event) => this.clicked(event, ["search", "filter", "sort"]));
    this.sorting.addEventListener("beforetoggle", (event) => event.newState === "open" && this.openSorting());
    this.builder.addEventListener("beforetoggle", (event) => event.newState === "open" && this.openBuilder());
    this.builder.addEventListener("toggle", (event) => event.newState === "open" && this.built?.focus());
    this.menus.addEventListener("toggle", (event) => event.newState === "open" && this.openMenu(event.target), { capture: true });
    grid.addEventListener("grid-counted", () => this.showMatchCount());
    grid.addEventListener("row-written", (event) => this.onRowWritten(/** @type {CustomEvent} */ (event).detail.id));
    this.highlight();
    onFirstInput(() => load(() => import("./filter_bar.js")));
    // The page contains counts for the tabs; they are refreshed after the first input or change.
    if (grid.allColumns.some((column) => filterKind(column) === "tab")) {
      const count = () => this.counts ?? this.count();
      onFirstInput(count);
      for (const change of ["grid-written", "grid-redrawn"]) grid.addEventListener(change, count, { once: true });
    }
    // Opened before the scripts were loaded. A form that was filled in already is not replaced, since it works without scripts.
    if (this.sorting.matches(":popover-open")) this.openSorting();
    const open = this.menus.querySelector(":popover-open");
    if (open) this.openMenu(open);
    if (this.builder.matches(":popover-open") && !new FormData(this.builder).get("add_value")) this.openBuilder();
  }

  /** @param {MouseEvent} event @param {("search" | "sort" | "filter")[]} parts  applied parts of the link's URL */
  async clicked(event, parts) {
    const link = /** @type {Element} */ (event.target).closest("a[href]");
    if (!link?.getAttribute("href").startsWith("?")) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const choice = link.getAttribute("data-choice") ?? "";
    const query = readPageQuery(new URL(/** @type {HTMLAnchorElement} */ (link).href).search);
    this.go({ ...this.grid.view, ...Object.fromEntries(parts.map((part) => [part, query[part]])) });
    await this.drawing;
    const found = /** @type {HTMLElement | null} */ (this.grid.querySelector(`[data-choice="${CSS.escape(choice)}"]`));
    const fallback = this.sorting.matches(":popover-open") ? this.sorting.querySelector("a") : this.bar.querySelector("[data-build]");
    (found ?? fallback)?.focus();
  }

  /** @param {ViewState} view */
  go(view) {
    const { grid } = this;
    if (view.search !== grid.view.search) {
      clearTimeout(grid.searchTimer);
      grid.searchInput.value = view.search;
    }
    grid.goTo(view);
  }

  /** Redraw after a change of the columns or the view, when the module is loaded. */
  draw() {
    if (this.problemQuery !== pageQuery(this.grid.view)) this.problem.replaceChildren();
    void this.highlight();
    if (this.drawn) this.drawn.draw();
    else this.drawing = this.loadBar().then((bar) => bar.draw());
  }

  /** @returns {Promise<import("./filter_bar.js").FilterBar>} */
  async loadBar() {
    const { FilterBar } = await lazy(t("The filters could not be loaded."), () => load(() => import("./filter_bar.js")));
    return (this.drawn ??= new FilterBar(this));
  }

  /** @param {HTMLElement} menu  of a column */
  async openMenu(menu) {
    this.count();
    (await this.loadBar()).opened(menu);
  }

  /** Show the number of rows for each visible option. */
  async count() {
    try {
      const { OptionCounts } = await load(() => import("./option_counts.js"));
      this.counts ??= new OptionCounts(this.grid);
      this.counts.read();
    } catch {
      // Options can be used without their counts.
    }
  }

  async openSorting() {
    if (this.drawSortMenu) return;
    try {
      const { drawSortMenu } = await load(() => import("./sort_menu.js"));
      this.drawSortMenu = () => {
        const { allColumns: columns, view } = this.grid;
        drawSortMenu(this.sorting, { columns, sort: view.sort, urlOf: (sort) => pageQuery({ ...view, sort }) || "?" });
      };
      this.drawSortMenu();
    } catch {
      this.sorting.hidePopover();
      toast(t("The sort could not be changed. Try again in a moment."), { kind: "error" });
    }
  }

  async openBuilder() {
    if (this.built) return this.built.open();
    this.builder.replaceChildren(el("p", { class: "menu__label", role: "status", text: t("One moment") }));
    try {
      const { FilterBuilder } = await load(() => import("./filter_builder.js"));
      this.built ??= new FilterBuilder(this.grid, this.builder);
      if (!this.builder.matches(":popover-open")) return;
      this.built.open();
      this.built.focus();
    } catch {
      this.builder.hidePopover();
      const { view } = this.grid;
      const hiddenFields = Object.keys(view).filter((name) => view[name]).map((name) => el("input", { type: "hidden", name, value: view[name] }));
      this.builder.replaceChildren(...this.plainForm.filter((node) => !(/** @type {Element} */ (node).matches?.("[type=hidden]"))), ...hiddenFields);
      toast(t("Filters could not be opened. Try again in a moment."), { kind: "error" });
    }
  }

  /** Highlight the search words. */
  async highlight() {
    const { search } = this.grid.query;
    if (!search && !this.highlights) return;
    const module = await load(() => import("./find_highlights.js")).catch(() => null);
    if (!module) return;
    this.highlights ??= new module.FindHighlights(this.grid);
    this.highlights.show(this.grid.query.search);
  }

  /** @param {number | string} id  of a row that was written and may not match any more */
  async onRowWritten(id) {
    if (!this.grid.isNarrowed) return;
    const module = await load(() => import("./unmatched_rows.js")).catch(() => null);
    if (!module) return;
    this.unmatched ??= new module.UnmatchedRows(this.grid);
    this.unmatched.check(id);
  }

  /** Show how many rows match. */
  showMatchCount() {
    const { isNarrowed, store } = this.grid;
    const all = Math.max(this.total, store.count);
    const text = isNarrowed ? t("{count} of {total}", { count: countValue(store, store.count), total: all }) : "";
    const node = this.bar.querySelector("[data-matching]");
    // Screen readers announce the exact number only.
    node.setAttribute("aria-busy", String(!store.isExact));
    if (node.textContent !== text) node.textContent = text;
  }

  /** @param {any} error  of reading the rows @returns {boolean} whether filter or sort order do not fit the columns */
  isViewError(error) {
    const { view } = this.grid;
    return (error?.status === 400 || error?.status === 422) && Boolean(view.filter || view.sort);
  }

  /** @param {any} error  of reading the rows @returns {boolean} whether it is about the view, in which case it is shown here */
  showViewError(error) {
    const { view } = this.grid;
    if (!this.isViewError(error)) return false;
    this.problemQuery = pageQuery(view);
    load(() => import("./empty_note.js")).then(
      ({ describeProblem }) => this.problemQuery === pageQuery(this.grid.view) && describeProblem(this.problem, view, error),
      () => (this.problem.textContent = error.message),
    );
    return true;
  }
}
