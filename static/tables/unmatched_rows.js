// Rows that were just written so that they no longer match the search or filter: they stay under the person's hands until rows are
// read again, lightly marked, and are not counted any more. Whether they match is the server's to say.

import { api, ownChanges } from "../api.js";
import { t } from "../locale.js";
import { pageQuery } from "./view_state.js";

const MOST_AT_ONCE = 100;

export class UnfitRows {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** Rows that were written since the server was asked about them. @type {Set<string>} */
    this.unsure = new Set();
    /** @type {Promise<void> | null} */
    this.asking = null;
    for (const drawn of ["grid-drawn", "grid-redrawn"]) grid.addEventListener(drawn, () => this.mark());
  }

  /** @param {number | string} id  of a row that was just written */
  look(id) {
    this.unsure.add(String(id));
    this.asking ??= this.ask().finally(() => (this.asking = null));
  }

  async ask() {
    while (this.unsure.size) {
      // What is said while something else is being written is perhaps over when it comes.
      await ownChanges.quiet();
      const ids = [...this.unsure].slice(0, MOST_AT_ONCE);
      const { search, filter } = this.grid.reading.shown;
      const outdated = ownChanges.watch();
      const matching = await this.matching(ids, { search, filter });
      if (outdated()) continue;
      for (const id of ids) this.unsure.delete(id);
      const { shown, running } = this.grid.reading;
      const same = pageQuery({ search, filter, sort: "" }) === pageQuery({ ...shown, sort: "" });
      // Rows that are read again tell it by themselves.
      if (matching && same && !running) this.take(ids, matching);
    }
  }

  /** @param {string[]} ids @param {{search: string, filter: string}} view @returns {Promise<Set<string> | null>} null where nobody could say */
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

  /** @param {string[]} ids @param {Set<string>} matching  those of them that match */
  take(ids, matching) {
    const { store, writer } = this.grid;
    const before = store.unfit.size;
    for (const id of ids) {
      if (matching.has(id) || !store.get(id)) store.unfit.delete(id);
      else store.unfit.add(id);
    }
    this.mark();
    this.grid.showCounts();
    if (store.unfit.size > before) writer.status.tell(t("Saved, but no longer matching"));
  }

  mark() {
    const { store, table } = this.grid;
    const words = t("It no longer matches, and stays here until rows are read again.");
    for (const tr of table.querySelectorAll("tbody > tr[data-unfit]")) {
      if (store.unfit.has(tr.dataset.row ?? "")) continue;
      tr.classList.remove("is-unfit");
      tr.removeAttribute("data-unfit");
      tr.removeAttribute("title");
    }
    for (const id of store.unfit) {
      const tr = this.grid.rowElement(id);
      if (!tr) continue;
      tr.classList.add("is-unfit");
      tr.setAttribute("data-unfit", "");
      tr.setAttribute("title", words);
    }
  }
}
