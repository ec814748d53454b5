// The filter bar: redrawn when columns or filters change; a click changes the view and its URL.

import { el, icon, load, onFirstInput, replaceInside, toast } from "../element.js";
import { t } from "../locale.js";
import { chosenValue, countValue, findColumn, filterKind, otherConditions, nextBoolean, pageQuery, readPageQuery, conditionText, sortKeys, toggled, withChosen } from "./view_state.js";
import { colorOf } from "./column_types/registry.js";

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
    this.menus.addEventListener("toggle", (event) => event.newState === "open" && this.count(), { capture: true });
    grid.addEventListener("grid-counted", () => this.showMatchCount());
    grid.addEventListener("row-written", (event) => this.onRowWritten(/** @type {CustomEvent} */ (event).detail.id));
    this.highlight();
    // The page contains counts for the tabs; they are refreshed after the first input or change.
    if (grid.allColumns.some((column) => filterKind(column) === "tab")) {
      const count = () => this.counts ?? this.count();
      onFirstInput(count);
      for (const change of ["grid-written", "grid-redrawn"]) grid.addEventListener(change, count, { once: true });
    }
    // Opened before the scripts were loaded. A form that was filled in already is not replaced, since it works without scripts.
    if (this.sorting.matches(":popover-open")) this.openSorting();
    if (this.menus.querySelector(":popover-open")) this.count();
    if (this.builder.matches(":popover-open") && !new FormData(this.builder).get("add_value")) this.openBuilder();
  }

  /** @param {MouseEvent} event @param {("search" | "sort" | "filter")[]} parts  applied parts of the link's URL */
  clicked(event, parts) {
    const link = /** @type {Element} */ (event.target).closest("a[href]");
    if (!link?.getAttribute("href").startsWith("?")) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const choice = link.getAttribute("data-choice") ?? "";
    const query = readPageQuery(new URL(/** @type {HTMLAnchorElement} */ (link).href).search);
    this.go({ ...this.grid.view, ...Object.fromEntries(parts.map((part) => [part, query[part]])) });
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

  draw() {
    const { view } = this.grid;
    // Hidden columns can be filtered too.
    const columns = this.grid.review ? this.grid.columns : this.grid.allColumns;
    const groups = columns.filter((column) => filterKind(column) && !column.proposed);
    const open = this.menus.querySelector(":popover-open")?.id;
    this.bar.hidden = columns.length === 0;
    this.menus.replaceChildren(...groups.filter((column) => filterKind(column) === "menu").map((column) => this.drawMenu(column)));
    const tabs = groups.filter((column) => filterKind(column) === "tab").map((column) => this.drawTabs(column));
    const chips = groups.filter((column) => filterKind(column) !== "tab").map((column) => this.drawChip(column));
    const conditions = otherConditions(view.filter, columns).flatMap((one) => this.drawCondition(one));
    const clear = view.filter && el("a", { class: "link", href: this.address(""), "data-choice": "clear", text: t("Clear") });
    replaceInside(this.parts, ...tabs, ...(tabs.length && chips.length ? [el("span", { class: "vr" })] : []), ...chips, ...conditions, ...(clear ? [clear] : []));
    this.counts?.draw();
    // Through its button, which is its anchor.
    if (open) this.bar.querySelector(`[popovertarget="${CSS.escape(open)}"]`)?.click();
    this.drawOrder();
    if (this.problemQuery !== pageQuery(view)) this.problem.replaceChildren();
    this.highlight();
  }

  drawOrder() {
    const { view, allColumns } = this.grid;
    const names = sortKeys(view.sort).map((key) => findColumn(allColumns, key.id)?.name ?? t("a deleted column"));
    this.bar.querySelector("[data-sort-button]").classList.toggle("is-on", names.length > 0);
    this.bar.querySelector("[data-sort-label]").replaceChildren(t("Sort"), ...(names.length ? [": ", el("b", { text: names.join(", ") })] : []));
    if (this.drawSortMenu) this.drawSortMenu();
    // The server-rendered links start from the previous view.
    else this.sorting.replaceChildren();
  }

  /** @param {string} filter */
  address(filter) {
    return pageQuery({ ...this.grid.view, filter }) || "?";
  }

  /** @param {Column} column @param {any} value */
  addressWith(column, value) {
    return this.address(withChosen(this.grid.view.filter, column, value));
  }

  /** @param {Column} column @returns {string[]} */
  chosenOptions(column) {
    const value = chosenValue(this.grid.view.filter, column);
    return Array.isArray(value) ? (column.options ?? []).filter((option) => value.includes(option)) : [];
  }

  /** @param {Column} column */
  drawTabs(column) {
    const chosenOptions = this.chosenOptions(column);
    const tab = (label, value, on) =>
      el("a", { href: this.addressWith(column, value), "aria-current": on ? "true" : undefined, "data-choice": `${column.id} ${label}`, text: label });
    const options = (column.options ?? []).map((option) => tab(option, [option], chosenOptions.includes(option)));
    return el("div", { class: "tabs", role: "group", "aria-label": column.name }, tab(t("All"), null, !chosenOptions.length), ...options);
  }

  /** @param {Column} column */
  drawChip(column) {
    if (filterKind(column) === "truth") {
      const now = chosenValue(this.grid.view.filter, column);
      const on = now === true || now === false;
      const props = { class: on ? "fchip is-on" : "fchip", href: this.addressWith(column, nextBoolean(now)), "data-choice": column.id };
      return el("a", props, on ? `${column.name}: ` : column.name, on && el("b", { text: now ? t("Yes") : t("No") }));
    }
    const chosenOptions = this.chosenOptions(column);
    const props = { class: chosenOptions.length ? "fchip is-on" : "fchip", type: "button", popovertarget: `filter-${column.id}` };
    return el("button", props, chosenOptions.length ? `${column.name}: ` : column.name, chosenOptions.length > 0 && el("b", { text: chosenOptions.join(", ") }), icon("chevron-down", "icon--12"));
  }

  /** @param {{column: Column | undefined, condition: any, without: string, other: boolean}} one */
  drawCondition({ column, condition, without, other }) {
    const text = conditionText(condition, column, this.operators);
    const remove = el("a", { class: "fchip__remove", href: this.address(without), "aria-label": t("Remove: {condition}", { condition: text }), "data-choice": `without ${text}` }, icon("x", "icon--12"));
    const chip = el("span", { class: "fchip is-on" }, el("span", { class: "fchip__text", text }), remove);
    return other ? [el("span", { class: "filters__or", text: t("or") }), chip] : [chip];
  }

  /** @param {Column} column */
  drawMenu(column) {
    const chosenOptions = this.chosenOptions(column);
    const items = (column.options ?? []).map((option) => {
      const on = chosenOptions.includes(option);
      const props = { class: "menu__item", href: this.addressWith(column, toggled(column, chosenOptions, option)), "aria-current": on ? "true" : undefined, "data-choice": `${column.id} ${option}` };
      const badge = el("span", { class: "badge", "data-c": colorOf(column, option), text: option });
      return el("a", props, badge, on && el("span", { class: "menu__end" }, icon("check", "icon--14")));
    });
    const menu = el("div", { class: "menu", id: `filter-${column.id}`, popover: true, "aria-label": t("Filter by {column}", { column: column.name }), dataset: { column: column.id } }, ...items);
    return menu;
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
