// The filter bar: drawn again when columns or filters change; a click changes the view, and with it the address.

import { el, icon, load, replaceInside, toast } from "../element.js";
import { atFirstSign } from "../first_input.js";
import { t } from "../locale.js";
import { chosenIn, columnNamed, filterKind, furtherConditions, nextBoolean, pageQuery, readPageQuery, sentence, sortKeys, toggled, withChosen } from "./view_state.js";
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
    /** How many rows there are without search and filter. */
    this.total = Number(grid.dataset.total);
    this.problemOf = pageQuery(grid.view);
    this.viewAtFirst = grid.view;
    // The address says what is shown, by the ids of columns, which stay when their names do not.
    if (pageQuery(readPageQuery(location.search)) !== pageQuery(grid.view)) history.replaceState(null, "", location.pathname + pageQuery(grid.view));
    const blank = grid.querySelector("[data-blank]");
    for (const part of [this.bar, this.menus]) part.addEventListener("click", (event) => this.clicked(event, ["filter"]));
    this.sorting.addEventListener("click", (event) => this.clicked(event, ["sort"]));
    for (const part of [this.problem, blank]) part.addEventListener("click", (event) => this.clicked(event, ["search", "filter", "sort"]));
    this.sorting.addEventListener("beforetoggle", (event) => event.newState === "open" && this.openSorting());
    this.builder.addEventListener("beforetoggle", (event) => event.newState === "open" && this.openBuilder());
    this.builder.addEventListener("toggle", (event) => event.newState === "open" && this.built?.focus());
    this.menus.addEventListener("toggle", (event) => event.newState === "open" && this.count(), { capture: true });
    grid.addEventListener("grid-counted", () => this.tellCount());
    grid.addEventListener("row-written", (event) => this.written(/** @type {CustomEvent} */ (event).detail.id));
    this.mark();
    // The page came with the numbers of its tabs; they are read again from the first sign of a person, or change, on.
    if (grid.allColumns.some((column) => filterKind(column) === "tab")) {
      const count = () => this.counts ?? this.count();
      atFirstSign(count);
      for (const change of ["grid-written", "grid-redrawn"]) grid.addEventListener(change, count, { once: true });
    }
    // Opened before the scripts were there. What somebody has begun to fill in stays as it is: that form works, too.
    if (this.sorting.matches(":popover-open")) this.openSorting();
    if (this.menus.querySelector(":popover-open")) this.count();
    if (this.builder.matches(":popover-open") && !new FormData(this.builder).get("add_value")) this.openBuilder();
  }

  /** @param {MouseEvent} event @param {("search" | "sort" | "filter")[]} parts  what of the link's address is followed */
  clicked(event, parts) {
    const link = /** @type {Element} */ (event.target).closest("a[href]");
    if (!link?.getAttribute("href").startsWith("?")) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const choice = link.getAttribute("data-choice") ?? "";
    const asked = readPageQuery(new URL(/** @type {HTMLAnchorElement} */ (link).href).search);
    this.go({ ...this.grid.view, ...Object.fromEntries(parts.map((part) => [part, asked[part]])) });
    const found = /** @type {HTMLElement | null} */ (this.grid.querySelector(`[data-choice="${CSS.escape(choice)}"]`));
    const near = this.sorting.matches(":popover-open") ? this.sorting.querySelector("a") : this.bar.querySelector("[data-build]");
    (found ?? near)?.focus();
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
    // Who hides a column can still filter by it.
    const columns = this.grid.review ? this.grid.columns : this.grid.allColumns;
    const groups = columns.filter((column) => filterKind(column) && !column.proposed);
    const open = this.menus.querySelector(":popover-open")?.id;
    this.bar.hidden = columns.length === 0;
    this.menus.replaceChildren(...groups.filter((column) => filterKind(column) === "menu").map((column) => this.drawMenu(column)));
    const tabs = groups.filter((column) => filterKind(column) === "tab").map((column) => this.drawTabs(column));
    const chips = groups.filter((column) => filterKind(column) !== "tab").map((column) => this.drawChip(column));
    const conditions = furtherConditions(view.filter, columns).flatMap((one) => this.drawCondition(one));
    const clear = view.filter && el("a", { class: "link", href: this.address(""), "data-choice": "clear", text: t("Clear") });
    replaceInside(this.parts, ...tabs, ...(tabs.length && chips.length ? [el("span", { class: "vr" })] : []), ...chips, ...conditions, ...(clear ? [clear] : []));
    this.counts?.draw();
    // Through its button, which is what it hangs on.
    if (open) this.bar.querySelector(`[popovertarget="${CSS.escape(open)}"]`)?.click();
    this.drawOrder();
    if (this.problemOf !== pageQuery(view)) this.problem.replaceChildren();
    this.mark();
  }

  drawOrder() {
    const { view, allColumns } = this.grid;
    const names = sortKeys(view.sort).map((key) => columnNamed(allColumns, key.id)?.name ?? t("a column that is gone"));
    this.bar.querySelector("[data-sort-button]").classList.toggle("is-on", names.length > 0);
    this.bar.querySelector("[data-sort-label]").replaceChildren(t("Sort"), ...(names.length ? [": ", el("b", { text: names.join(", ") })] : []));
    if (this.drawSortMenu) this.drawSortMenu();
    // What the server drew leads from the view there was.
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
  picked(column) {
    const value = chosenIn(this.grid.view.filter, column);
    return Array.isArray(value) ? (column.options ?? []).filter((option) => value.includes(option)) : [];
  }

  /** @param {Column} column */
  drawTabs(column) {
    const picked = this.picked(column);
    const tab = (label, value, on) =>
      el("a", { href: this.addressWith(column, value), "aria-current": on ? "true" : undefined, "data-choice": `${column.id} ${label}`, text: label });
    const options = (column.options ?? []).map((option) => tab(option, [option], picked.includes(option)));
    return el("div", { class: "tabs", role: "group", "aria-label": column.name }, tab(t("All"), null, !picked.length), ...options);
  }

  /** @param {Column} column */
  drawChip(column) {
    if (filterKind(column) === "truth") {
      const now = chosenIn(this.grid.view.filter, column);
      const on = now === true || now === false;
      const props = { class: on ? "fchip is-on" : "fchip", href: this.addressWith(column, nextBoolean(now)), "data-choice": column.id };
      return el("a", props, on ? `${column.name}: ` : column.name, on && el("b", { text: now ? t("Yes") : t("No") }));
    }
    const picked = this.picked(column);
    const props = { class: picked.length ? "fchip is-on" : "fchip", type: "button", popovertarget: `filter-${column.id}` };
    return el("button", props, picked.length ? `${column.name}: ` : column.name, picked.length > 0 && el("b", { text: picked.join(", ") }), icon("chevron-down", "icon--12"));
  }

  /** @param {{column: Column | undefined, condition: any, without: string, other: boolean}} one */
  drawCondition({ column, condition, without, other }) {
    const text = sentence(condition, column, this.operators);
    const remove = el("a", { class: "fchip__x", href: this.address(without), "aria-label": t("Remove: {condition}", { condition: text }), "data-choice": `without ${text}` }, icon("x", "icon--12"));
    const chip = el("span", { class: "fchip is-on" }, el("span", { class: "fchip__words", text }), remove);
    return other ? [el("span", { class: "filters__or", text: t("or") }), chip] : [chip];
  }

  /** @param {Column} column */
  drawMenu(column) {
    const picked = this.picked(column);
    const items = (column.options ?? []).map((option) => {
      const on = picked.includes(option);
      const props = { class: "menu__item", href: this.addressWith(column, toggled(column, picked, option)), "aria-current": on ? "true" : undefined, "data-choice": `${column.id} ${option}` };
      const badge = el("span", { class: "badge", "data-c": colorOf(column, option), text: option });
      return el("a", props, badge, on && el("span", { class: "menu__end" }, icon("check", "icon--14")));
    });
    const menu = el("div", { class: "menu", id: `filter-${column.id}`, popover: true, "aria-label": t("Filter by {column}", { column: column.name }), dataset: { column: column.id } }, ...items);
    return menu;
  }

  /** @param {Column} column  to filter by: the builder opens with a condition about it */
  begin(column) {
    this.wish = column;
    /** @type {HTMLElement} */ (this.bar.querySelector("[data-build]")).click();
  }

  /** @returns {Column | undefined} what the builder was opened for; it is asked once */
  takeWish() {
    const { wish } = this;
    this.wish = undefined;
    return wish;
  }

  /** The options in sight say how many rows they would leave. */
  async count() {
    try {
      const { OptionCounts } = await load(() => import("./option_counts.js"));
      this.counts ??= new OptionCounts(this.grid);
      this.counts.read();
    } catch {
      // The options can be chosen without their numbers.
    }
  }

  async openSorting() {
    if (this.drawSortMenu) return;
    try {
      const { drawSortMenu } = await load(() => import("./sort_menu.js"));
      this.drawSortMenu = () => {
        const { allColumns: columns, view } = this.grid;
        drawSortMenu(this.sorting, { columns, sort: view.sort, addressOf: (sort) => pageQuery({ ...view, sort }) || "?" });
      };
      this.drawSortMenu();
    } catch {
      this.sorting.hidePopover();
      toast(t("The order could not be changed. Try again in a moment."), { kind: "error" });
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
      const kept = Object.keys(view).filter((name) => view[name]).map((name) => el("input", { type: "hidden", name, value: view[name] }));
      this.builder.replaceChildren(...this.plainForm.filter((node) => !(/** @type {Element} */ (node).matches?.("[type=hidden]"))), ...kept);
      toast(t("Filters could not be opened. Try again in a moment."), { kind: "error" });
    }
  }

  /** Marks what is searched for. */
  async mark() {
    const { search } = this.grid.asked;
    if (!search && !this.marks) return;
    const module = await load(() => import("./find_highlights.js")).catch(() => null);
    if (!module) return;
    this.marks ??= new module.FoundMarks(this.grid);
    this.marks.show(this.grid.asked.search);
  }

  /** @param {number | string} id  of a row that was just written: perhaps it no longer matches */
  async written(id) {
    if (!this.grid.isNarrowed) return;
    const module = await load(() => import("./unmatched_rows.js")).catch(() => null);
    if (!module) return;
    this.unfit ??= new module.UnfitRows(this.grid);
    this.unfit.look(id);
  }

  /** How many of all rows are left. */
  tellCount() {
    const { isNarrowed, store } = this.grid;
    const all = Math.max(this.total, store.count);
    const text = isNarrowed ? t("{count} of {total}", { count: store.count, total: all }) : "";
    const place = this.bar.querySelector("[data-matching]");
    if (place.textContent !== text) place.textContent = text;
  }

  /** @param {any} error  of reading the rows @returns {boolean} whether it is about filters or order: they do not fit the columns */
  areMeant(error) {
    const { view } = this.grid;
    return (error?.status === 400 || error?.status === 422) && Boolean(view.filter || view.sort);
  }

  /** @param {any} error  of reading the rows @returns {boolean} whether it is about the view, and is told here with a way out */
  refused(error) {
    const { view } = this.grid;
    if (!this.areMeant(error)) return false;
    this.problemOf = pageQuery(view);
    load(() => import("./empty_note.js")).then(
      ({ describeProblem }) => this.problemOf === pageQuery(this.grid.view) && describeProblem(this.problem, view, error),
      () => (this.problem.textContent = error.message),
    );
    return true;
  }
}
