// Reads a grid's rows from the server: the next ones as the end comes near, all that is shown when something changed.

import { api } from "../api.js";
import { ownChanges } from "../own_changes.js";
import { toast } from "../toast.js";
import { rowsAddress } from "./view_state.js";

const PAGE = 100;
const MOST_AT_ONCE = 1000;

export class GridReading {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {AbortController | null} */
    this.reading = null;
    this.readingMore = false;
    this.watchEnd();
  }

  /** @param {{fromTop?: boolean}} [how]  reads columns and rows again; waits while somebody edits a cell */
  async reload({ fromTop = false } = {}) {
    if (this.grid.editor.isOpen) {
      this.grid.editor.afterwards = () => this.reload({ fromTop });
      return;
    }
    this.reading?.abort();
    const reading = (this.reading = new AbortController());
    const outdated = ownChanges.watch();
    const offset = fromTop ? 0 : this.grid.store.offset;
    const wanted = fromTop ? PAGE : Math.max(PAGE, this.grid.store.rows.length);
    this.grid.table.setAttribute("aria-busy", "true");
    try {
      const options = { signal: reading.signal };
      const [table, page] = await Promise.all([
        api.get(`/api/tables/${this.grid.tableId}/`, options),
        this.readRun(offset, wanted, options),
      ]);
      if (outdated()) {
        // What is shown may be newer than what was read: a cell that was just saved would fall back.
        await ownChanges.quiet();
        if (this.reading === reading) return await this.reload({ fromTop });
        return;
      }
      this.grid.takeColumns(table.columns);
      this.grid.store.reset(page.rows, { offset, count: page.count });
      this.grid.redraw();
      if (fromTop) this.grid.scroller.scrollTop = 0;
    } catch (error) {
      if (!reading.signal.aborted) toast(`The rows could not be read. ${error.message}`, { kind: "error" });
    } finally {
      if (this.reading === reading) {
        this.reading = null;
        this.grid.table.removeAttribute("aria-busy");
      }
    }
  }

  /** @param {number} offset @param {number} wanted @param {{signal: AbortSignal}} options @returns {Promise<{rows: any[], count: number}>} */
  async readRun(offset, wanted, options) {
    const rows = [];
    let count = 0;
    do {
      const window = { offset: offset + rows.length, limit: Math.min(MOST_AT_ONCE, wanted - rows.length) };
      const page = await api.get(rowsAddress(this.grid.tableId, this.grid.asked, window), options);
      rows.push(...page.rows);
      count = page.count;
      if (!page.rows.length) break;
    } while (rows.length < Math.min(wanted, count - offset));
    return { rows, count };
  }

  /** More rows are read as the end of the known ones comes near. */
  watchEnd() {
    this.endWatcher ??= new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) this.readMore();
      },
      { root: this.grid.scroller, rootMargin: "800px" },
    );
    this.endWatcher.disconnect();
    for (const link of this.grid.pager.querySelectorAll("a, span")) link.hidden = this.grid.store.offset === 0;
    if (!this.grid.store.hasMore) return;
    this.endMark ??= this.grid.pager.appendChild(document.createElement("i"));
    this.endWatcher.observe(this.endMark);
  }

  async readMore() {
    const { grid } = this;
    if (this.reading || this.readingMore || !grid.store.hasMore) return;
    const known = grid.store.rows;
    this.readingMore = true;
    try {
      const window = { offset: grid.store.nextOffset, limit: PAGE };
      const page = await api.get(rowsAddress(grid.tableId, grid.asked, window));
      this.readingMore = false;
      if (this.reading || grid.store.rows !== known) this.watchEnd();
      else this.append(page);
    } catch (error) {
      this.readingMore = false;
      this.endWatcher.disconnect();
      const again = { label: "Try again", run: () => this.watchEnd() };
      toast(`More rows could not be read. ${error.message}`, { kind: "error", action: again });
    }
  }

  /** @param {{rows: any[], count: number}} page */
  append(page) {
    const { grid } = this;
    const before = grid.store.nextOffset;
    grid.store.count = page.rows.length ? page.count : before;
    const fresh = grid.store.append(page.rows);
    if (page.rows.length && !fresh.length) {
      // So much was added above meanwhile that this page holds only rows that are shown already.
      this.reload();
      return;
    }
    grid.rowsBody.append(...grid.drawRows(fresh, before));
    grid.afterDrawing();
  }

  /** @param {number[]} ids @returns {Promise<any[]>} rows that are not on the pages read so far; none when it fails */
  async readRows(ids) {
    const found = [];
    for (let start = 0; start < ids.length; start += PAGE) {
      const query = new URLSearchParams({ keys: "id", ids: ids.slice(start, start + PAGE).join(",") });
      const page = await api.get(`/api/tables/${this.grid.tableId}/rows/?${query}`).catch(() => ({ rows: [] }));
      found.push(...page.rows);
    }
    return found;
  }
}
