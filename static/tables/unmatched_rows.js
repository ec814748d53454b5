// Rows that do not match the search or filter any more after an edit: they stay visible with a mark until rows are read again,
// but are not counted. The server decides whether they match.

import { api, ownChanges } from "../api.js";
import { t } from "../locale.js";
import { pageQuery } from "./view_state.js";

const MAX_IDS = 100;

export class UnmatchedRows {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** Edited rows that were not checked yet. @type {Set<string>} */
    this.unchecked = new Set();
    /** @type {Promise<void> | null} */
    this.checking = null;
    for (const eventName of ["grid-drawn", "grid-redrawn"]) grid.addEventListener(eventName, () => this.mark());
  }

  /** @param {number | string} id  of an edited row */
  check(id) {
    this.unchecked.add(String(id));
    this.checking ??= this.checkAll().finally(() => (this.checking = null));
  }

  async checkAll() {
    while (this.unchecked.size) {
      // A response during a write may be outdated.
      await ownChanges.idle();
      const ids = [...this.unchecked].slice(0, MAX_IDS);
      const { search, filter } = this.grid.reading.shown;
      const outdated = ownChanges.watch();
      const matching = await this.matching(ids, { search, filter });
      if (outdated()) continue;
      for (const id of ids) this.unchecked.delete(id);
      const { shown, running } = this.grid.reading;
      const same = pageQuery({ search, filter, sort: "" }) === pageQuery({ ...shown, sort: "" });
      // A reload shows it anyway.
      if (matching && same && !running) this.update(ids, matching);
    }
  }

  /** @param {string[]} ids @param {{search: string, filter: string}} view @returns {Promise<Set<string> | null>} null if unknown */
  async matching(ids, { search, filter }) {
    const query = new URLSearchParams({ keys: "id", ids: ids.join(",") });
    if (search) query.set("search", search);
    if (filter) query.set("filter", filter);
    if (!search && !filter) return null;
    try {
      const { rows } = await api.get(`/api/tables/${this.grid.tableId}/rows/?${query}`);
      return new Set(rows.map((row) => String(row.id)));
    } catch {
      return null;
    }
  }

  /** @param {string[]} ids @param {Set<string>} matching  the matching ones */
  update(ids, matching) {
    const { store, writer } = this.grid;
    const before = store.unmatched.size;
    for (const id of ids) {
      if (matching.has(id) || !store.get(id)) store.unmatched.delete(id);
      else store.unmatched.add(id);
    }
    this.mark();
    this.grid.showCounts();
    if (store.unmatched.size > before) writer.status.showMessage(t("Saved, no longer matches"));
  }

  mark() {
    const { store, table } = this.grid;
    const words = t("This row no longer matches. It stays visible until the table reloads.");
    for (const tr of table.querySelectorAll("tbody > tr[data-unmatched]")) {
      if (store.unmatched.has(tr.dataset.row ?? "")) continue;
      tr.classList.remove("is-unmatched");
      tr.removeAttribute("data-unmatched");
      tr.removeAttribute("title");
    }
    for (const id of store.unmatched) {
      const tr = this.grid.rowElement(id);
      if (!tr) continue;
      tr.classList.add("is-unmatched");
      tr.setAttribute("data-unmatched", "");
      tr.setAttribute("title", words);
    }
  }
}
