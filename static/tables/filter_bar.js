// Draws the filter bar after the columns or the view have changed; the first one is drawn by the server.

import { el, icon, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { ME, chosenPeople, chosenValue, conditionText, nextBoolean, otherConditions, toggled, withChosen, withPeople } from "./filter_conditions.js";
import { enhanceMenu } from "./filter_menu.js";
import { filterKind, findColumn, pageQuery, sortKeys } from "./view_state.js";
import { columnType } from "./column_types/registry.js";
import { drawPerson } from "./column_types/select.js";

export class FilterBar {
  /** @param {import("./grid_filters.js").GridFilters} filters */
  constructor(filters) {
    this.filters = filters;
    this.grid = filters.grid;
  }

  /** Draw the bar, its menus and the name of the sort button. */
  draw() {
    const { view } = this.grid;
    // Hidden columns can be filtered too.
    const columns = this.grid.review ? this.grid.columns : this.grid.allColumns;
    const groups = columns.filter((column) => filterKind(column) && !column.proposed);
    const open = this.filters.menus.querySelector(":popover-open")?.id;
    this.filters.bar.hidden = columns.length === 0;
    this.filters.menus.replaceChildren(...groups.filter((column) => filterKind(column) === "menu").map((column) => this.drawMenu(column)));
    const tabs = groups.filter((column) => filterKind(column) === "tab").map((column) => this.drawTabs(column));
    const chips = groups.filter((column) => filterKind(column) !== "tab").map((column) => this.drawChip(column));
    const conditions = otherConditions(view.filter, columns).flatMap((one) => this.drawCondition(one));
    const clear = view.filter && el("a", { class: "link", href: this.address(""), "data-choice": "clear", text: t("Clear") });
    replaceInside(this.filters.parts, ...tabs, ...(tabs.length && chips.length ? [el("span", { class: "vr" })] : []), ...chips, ...conditions, ...(clear ? [clear] : []));
    this.filters.counts?.draw();
    // Through its button, which is its anchor.
    if (open) this.filters.bar.querySelector(`[popovertarget="${CSS.escape(open)}"]`)?.click();
    this.drawOrder();
  }

  /** @param {HTMLElement} menu  that was opened */
  opened(menu) {
    enhanceMenu(menu);
  }

  drawOrder() {
    const { view, allColumns } = this.grid;
    const names = sortKeys(view.sort).map((key) => findColumn(allColumns, key.id)?.name ?? t("a deleted column"));
    this.filters.bar.querySelector("[data-sort-button]").classList.toggle("is-on", names.length > 0);
    this.filters.bar.querySelector("[data-sort-label]").replaceChildren(t("Sort"), ...(names.length ? [": ", el("b", { text: names.join(", ") })] : []));
    if (this.filters.drawSortMenu) this.filters.drawSortMenu();
    // The server-rendered links start from the previous view.
    else this.filters.sorting.replaceChildren();
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

  /** @param {Column} column @returns {string[]} */
  chosenNames(column) {
    const chosen = chosenPeople(this.grid.view.filter, column);
    return chosen === ME ? [t("Me")] : (column.people ?? []).filter(({ id }) => chosen.includes(id)).map(({ name }) => name);
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
    const chosenOptions = columnType(column).clicks === "people" ? this.chosenNames(column) : this.chosenOptions(column);
    const props = { class: chosenOptions.length ? "fchip is-on" : "fchip", type: "button", popovertarget: `filter-${column.id}` };
    return el("button", props, chosenOptions.length ? `${column.name}: ` : column.name, chosenOptions.length > 0 && el("b", { text: chosenOptions.join(", ") }), icon("chevron-down", "icon--12"));
  }

  /** @param {{column: Column | undefined, condition: any, without: string, other: boolean}} one */
  drawCondition({ column, condition, without, other }) {
    const text = conditionText(condition, column, this.filters.operators);
    const remove = el("a", { class: "fchip__remove", href: this.address(without), "aria-label": t("Remove: {condition}", { condition: text }), "data-choice": `without ${text}` }, icon("x", "icon--12"));
    const chip = el("span", { class: "fchip is-on" }, el("span", { class: "fchip__text", text }), remove);
    return other ? [el("span", { class: "filters__or", text: t("or") }), chip] : [chip];
  }

  /** @param {Column} column */
  drawMenu(column) {
    const items = columnType(column).clicks === "people" ? this.drawPeople(column) : this.drawOptions(column);
    const menu = el("div", { class: "menu", id: `filter-${column.id}`, popover: true, "aria-label": t("Filter by {column}", { column: column.name }), dataset: { column: column.id } }, ...items);
    return menu;
  }

  /** @param {Column} column @returns {HTMLElement[]} */
  drawOptions(column) {
    const chosenOptions = this.chosenOptions(column);
    return (column.options ?? []).map((option) => {
      const href = this.addressWith(column, toggled(column, chosenOptions, option));
      return drawItem(`${column.id} ${option}`, { href, on: chosenOptions.includes(option) }, columnType(column).listItem(option, column).draw?.() ?? option);
    });
  }

  /** @param {Column} column @returns {HTMLElement[]} the user, the members, and those in the filter who left */
  drawPeople(column) {
    const { filter } = this.grid.view;
    const chosen = chosenPeople(filter, column);
    const ids = chosen === ME ? [] : chosen;
    const people = (column.people ?? []).filter(({ id, has_left: left }) => !left || ids.includes(id));
    const items = people.map(({ id, name }) => {
      const on = ids.includes(id);
      const href = this.address(withPeople(filter, column, on ? ids.filter((one) => one !== id) : [...ids, id]));
      return drawItem(`${column.id} ${name}`, { href, on }, drawPerson(id, name, column));
    });
    const knowsMe = this.filters.operators[column.type]?.some(([op]) => op === ME) && this.grid.dataset.readerId;
    const me = knowsMe && drawItem(`${column.id} ${t("Me")}`, { href: this.address(withPeople(filter, column, chosen === ME ? [] : ME)), on: chosen === ME }, el("span", { text: t("Me") }));
    return me ? [me, ...items] : items;
  }
}

/** @param {string} choice @param {{href: string, on: boolean}} how @param {Node | string} content @returns {HTMLElement} */
function drawItem(choice, { href, on }, content) {
  return el("a", { class: "menu__item", href, "aria-current": on ? "true" : undefined, "data-choice": choice }, content, on && el("span", { class: "menu__end" }, icon("check", "icon--14")));
}
