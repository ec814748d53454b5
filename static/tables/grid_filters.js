// The filter bar: drawn again when columns or filters change; a click changes the view, and with it the address.

import { el, icon, replaceInside } from "../element.js";
import { chosenIn, filterKind, nextBoolean, toggled, withChosen } from "./filter_state.js";
import { hueOf } from "./column_types/registry.js";
import { pageQuery, readPageQuery } from "./view_state.js";

export class GridFilters {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.bar = grid.querySelector("[data-filters]");
    this.menus = grid.querySelector("[data-filter-menus]");
    for (const part of [this.bar, this.menus]) part.addEventListener("click", (event) => this.clicked(event));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const link = /** @type {Element} */ (event.target).closest("a[href]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const part = link.getAttribute("data-choice");
    this.grid.goTo({ ...this.grid.view, filter: readPageQuery(new URL(link.href).search).filter });
    this.grid.querySelector(`[data-choice="${CSS.escape(part ?? "")}"]`)?.focus();
  }

  draw() {
    const { view } = this.grid;
    // Who hides a column can still filter by it.
    const columns = this.grid.review ? this.grid.columns : this.grid.allColumns;
    const groups = columns.filter((column) => filterKind(column) && !column.proposed);
    const open = this.menus.querySelector(":popover-open")?.id;
    this.bar.hidden = groups.length === 0;
    this.menus.replaceChildren(...groups.filter((column) => filterKind(column) === "menu").map((column) => this.drawMenu(column)));
    const tabs = groups.filter((column) => filterKind(column) === "tab").map((column) => this.drawTabs(column));
    const chips = groups.filter((column) => filterKind(column) !== "tab").map((column) => this.drawChip(column));
    const clear = view.filter && el("a", { class: "link", href: this.address(""), "data-choice": "clear", text: "Clear" });
    replaceInside(this.bar, ...tabs, ...(tabs.length && chips.length ? [el("span", { class: "vr" })] : []), ...chips, ...(clear ? [clear] : []));
    // Through its button, which is what it hangs on.
    if (open) this.bar.querySelector(`[popovertarget="${CSS.escape(open)}"]`)?.click();
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
    return el("div", { class: "tabs", role: "group", "aria-label": column.name }, tab("All", null, !picked.length), ...options);
  }

  /** @param {Column} column */
  drawChip(column) {
    if (filterKind(column) === "truth") {
      const now = chosenIn(this.grid.view.filter, column);
      const on = now === true || now === false;
      const props = { class: on ? "fchip is-on" : "fchip", href: this.addressWith(column, nextBoolean(now)), "data-choice": column.id };
      return el("a", props, on ? `${column.name}: ` : column.name, on && el("b", { text: now ? "Yes" : "No" }));
    }
    const picked = this.picked(column);
    const props = { class: picked.length ? "fchip is-on" : "fchip", type: "button", popovertarget: `filter-${column.id}` };
    return el("button", props, picked.length ? `${column.name}: ` : column.name, picked.length > 0 && el("b", { text: picked.join(", ") }), icon("chevron-down", "icon--12"));
  }

  /** @param {Column} column */
  drawMenu(column) {
    const picked = this.picked(column);
    const items = (column.options ?? []).map((option) => {
      const on = picked.includes(option);
      const props = { class: "menu__item", href: this.addressWith(column, toggled(column, picked, option)), "aria-current": on ? "true" : undefined, "data-choice": `${column.id} ${option}` };
      const badge = el("span", { class: "badge", "data-c": hueOf(column, option), text: option });
      return el("a", props, badge, on && el("span", { class: "menu__end" }, icon("check", "icon--14")));
    });
    return el("div", { class: "menu", id: `filter-${column.id}`, popover: true, "aria-label": `Filter by ${column.name}` }, ...items);
  }
}
