// Which rows a fill is for: the empty ones, all, those of the filter, or the selected ones.

import { api } from "../../api.js";
import { el } from "../../element.js";
import { t, tn } from "../../locale.js";
import { rowsUrl } from "../view_state.js";

/** @typedef {"empty" | "all" | "filter" | "ids"} RowChoiceName */

export class RowChoice {
  /** @param {TableGrid} grid @param {{columns: () => string[], changed: () => void, name: RowChoiceName}} how  columns: ids of those to fill */
  constructor(grid, { columns, changed, name }) {
    this.grid = grid;
    this.columns = columns;
    this.changed = changed;
    /** Whether “All rows” was chosen because no row has an empty cell. */
    this.isSwitched = false;
    this.filter = grid.view.filter;
    this.ids = grid.selection.contextIds;
    const offered = { empty: t("Rows with an empty cell"), all: t("All rows"), ...(this.filter ? { filter: t("Rows of the current filter") } : {}), ...(this.ids.length ? { ids: t("Selected rows") } : {}) };
    /** Number of rows of each choice, shown once it is known. @type {Record<string, HTMLElement>} */
    this.counts = {};
    this.inputs = Object.entries(offered).map(([value, words]) => {
      const input = el("input", { type: "radio", name: "fill-rows", value, checked: value === name, on: { change: () => {
        this.isSwitched = false;
        changed();
      } } });
      this.counts[value] = el("span", { class: "fill__count" });
      return { input, label: el("label", { class: "fill__choice" }, input, el("span", { text: words }), this.counts[value]) };
    });
    if (!this.inputs.some(({ input }) => input.checked)) this.inputs[0].input.checked = true;
    this.element = el("fieldset", { class: "fill__set" }, el("legend", { class: "field__label", text: t("Rows") }), ...this.inputs.map(({ label }) => label));
    this.showCount("all", grid.filters.total);
    this.showCount("ids", this.ids.length);
    if (this.filter) void this.count("filter", this.filter);
  }

  /** @returns {RowChoiceName} */
  get name() {
    return this.inputs.find(({ input }) => input.checked)?.input.value ?? "empty";
  }

  /** @returns {any} as the API expects it */
  get value() {
    const { name } = this;
    if (name === "filter") return { filter: JSON.parse(this.filter) };
    return name === "ids" ? { ids: this.ids } : name;
  }

  /** Count the rows with an empty cell, after the columns have changed. Without such rows all are chosen. */
  async countEmpty() {
    const empty = this.columns().map((column) => ({ column, op: "empty" }));
    const count = await this.count("empty", JSON.stringify({ or: empty }));
    const to = count === 0 && this.name === "empty" ? "all" : count && this.isSwitched ? "empty" : "";
    const switched = this.inputs.find(({ input }) => input.value === to);
    if (!switched) return;
    switched.input.checked = true;
    this.isSwitched = to === "all";
    this.changed();
  }

  /** @param {string} name @param {string} filter @returns {Promise<number | null>} null if it is unknown */
  async count(name, filter) {
    const url = rowsUrl(this.grid.tableId, { search: "", sort: "", filter }, { offset: 0, limit: 1, count: "exact" });
    const page = await api.get(url).catch(() => null);
    if (page) this.showCount(name, page.count.value);
    return page ? page.count.value : null;
  }

  /** @param {string} name @param {number} count */
  showCount(name, count) {
    if (this.counts[name]) this.counts[name].textContent = tn("{count} row", "{count} rows", count);
  }
}
