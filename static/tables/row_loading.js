// Reads rows from the server: blocks near the visible rows, and the visible rows again after changes.

import { api, ownChanges } from "../api.js";
import { t } from "../locale.js";
import { load, press, toast } from "../element.js";
import { BLOCK } from "./row_store.js";
import { rowsUrl } from "./view_state.js";

const PREFETCH_ROWS = 40;
const MAX_PAGE_ROWS = 1000;
const SCROLL_PAUSE_MS = 60;

/** @typedef {{rows: any[], count: {value: number, exact: boolean}}} Page */

export class GridReading {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {AbortController | null} */
    this.reading = null;
    /** Whether the next read shows rows from the top. */
    this.fromTop = false;
    /** The current reload. @type {Promise<void> | null} */
    this.running = null;
    /** Requested blocks. @type {Map<number, AbortController>} */
    this.requested = new Map();
    /** Blocks that were read during a write, which they may not include. @type {Set<number>} */
    this.outdatedBlocks = new Set();
    /** Resolves when an estimated number of rows is exact, or could not be read. @type {Promise<void> | null} */
    this.counting = null;
    /** The query of the loaded rows. @type {ViewState} */
    this.shown = grid.view;
    this.span = { first: 0, last: 0 };
    for (const link of grid.pager.querySelectorAll("a, span")) link.hidden = true;
  }

  /** @param {Span} span  visible rows; requests of blocks that were scrolled past are aborted */
  setVisible(span) {
    const isFarScroll = Math.abs(span.first - this.span.first) > span.last - span.first;
    this.span = span;
    if (this.reading || this.failed) return;
    const { store } = this.grid;
    const near = { first: Math.max(0, span.first - PREFETCH_ROWS), last: span.last + PREFETCH_ROWS };
    // Unmatched rows that are still shown would shift the rows read now.
    if (store.unmatched.size && !this.grid.editor.isOpen && store.missing(near).length) return void this.reload();
    const blocks = new Set([...store.missing(near), ...this.outdatedIn(near)]);
    for (const [block, request] of this.requested) {
      if (blocks.has(block)) continue;
      request.abort();
      this.requested.delete(block);
    }
    clearTimeout(this.timer);
    const read = () => blocks.forEach((block) => this.readBlock(block));
    // Rows passed while dragging the scrollbar need not be read.
    if (isFarScroll) this.timer = setTimeout(read, SCROLL_PAUSE_MS);
    else read();
  }

  /** @param {Span} span @returns {number[]} blocks to read again after a write */
  outdatedIn({ first, last }) {
    if (ownChanges.running) return [];
    return [...this.outdatedBlocks].filter((block) => block * BLOCK < last && (block + 1) * BLOCK > first);
  }

  /** @param {number} block */
  async readBlock(block) {
    const { grid } = this;
    if (this.requested.has(block)) return;
    const request = new AbortController();
    this.requested.set(block, request);
    const outdated = ownChanges.watch();
    try {
      const window = { offset: block * BLOCK, limit: BLOCK };
      const page = await api.get(rowsUrl(grid.tableId, grid.query, window), { signal: request.signal });
      if (request.signal.aborted) return;
      this.requested.delete(block);
      if (!outdated()) {
        this.outdatedBlocks.delete(block);
        this.onPage(page, window.offset);
        return;
      }
      this.outdatedBlocks.add(block);
      // During a write no newer values are shown that could be overwritten.
      if (ownChanges.running) this.onPage(page, window.offset);
      await ownChanges.idle();
      this.setVisible(this.span);
    } catch (error) {
      if (request.signal.aborted) return;
      this.requested.delete(block);
      this.failed = true;
      const retry = () => {
        this.failed = false;
        this.setVisible(this.span);
      };
      toast(t("These rows could not be loaded. {reason}", { reason: error.message }), { kind: "error", action: { label: t("Try again"), run: retry } });
    }
  }

  /** @param {Page} page @param {number} offset */
  onPage(page, offset) {
    const { grid } = this;
    const { total, isExact } = grid.store;
    grid.store.setRows(page.rows, { offset, ...this.countAfter(page, offset) });
    if (!page.count.exact && !this.counting) this.countRows();
    grid.store.evictFar(this.span);
    // Rows added by this tab are in their regular positions now.
    if (!grid.editor.isOpen && [...grid.store.added.keys()].some((id) => grid.store.indexOf(id) >= 0)) {
      grid.drafts.clearSaved();
      grid.cursor.find();
    }
    if (total !== grid.store.total || isExact !== grid.store.isExact) {
      grid.window.measure();
      grid.showCounts();
    }
    // Hidden pages have no animation frames.
    if (document.hidden) grid.window.draw();
    else grid.window.scheduleDraw();
  }

  /** @param {Page} page @param {number} offset @param {boolean} [isNewView] @returns {{count: number, isExact: boolean}} to show */
  countAfter({ rows, count }, offset, isNewView) {
    const { total, isExact } = this.grid.store;
    if (count.exact) return { count: count.value, isExact: true };
    // An empty page is behind the last row.
    if (!rows.length && offset) return { count: Math.min(offset, total), isExact: false };
    // The known number, which may be of an earlier version, is better than another estimate.
    return { count: Math.max(isNewView ? count.value : total, offset + rows.length), isExact: !isNewView && isExact };
  }

  /** Replace an estimate of the number of rows. */
  countRows() {
    this.counting = load(() => import("./exact_count.js")).then(({ showExactCount }) => showExactCount(this.grid)).catch(() => {});
  }

  /** @param {() => void} run  called when the number of rows is exact, unless the view is changed before */
  whenCounted(run) {
    const { view } = this.grid;
    if (!this.counting) run();
    else void this.counting.then(() => view === this.grid.view && run());
  }

  /** Abort all requests of blocks. */
  stop() {
    this.counting = null;
    clearTimeout(this.timer);
    for (const request of this.requested.values()) request.abort();
    this.requested.clear();
    this.outdatedBlocks.clear();
    this.failed = false;
  }

  /** @param {{fromTop?: boolean}} [how]  read columns and rows again; deferred during an edit */
  reload(how) {
    const promise = this.readAll(how).finally(() => {
      if (this.running === promise) this.running = null;
    });
    this.running = promise;
    return promise;
  }

  /** @returns {Promise<void>} resolves when no reload is running */
  async settled() {
    while (this.running) await this.running;
  }

  /** @param {{fromTop?: boolean}} [how] */
  async readAll({ fromTop = false } = {}) {
    const { grid } = this;
    // A reload replaces a running one and preserves its option.
    this.fromTop ||= fromTop;
    if (grid.editor.isOpen) {
      grid.editor.whenClosed("rows", () => this.reload());
      return;
    }
    this.reading?.abort();
    this.stop();
    const reading = (this.reading = new AbortController());
    const outdated = ownChanges.watch();
    const { query } = grid;
    const first = this.fromTop ? 0 : Math.floor(Math.max(0, this.span.first) / BLOCK) * BLOCK;
    const last = this.fromTop ? BLOCK : Math.max(first + BLOCK, this.span.last);
    grid.table.setAttribute("aria-busy", "true");
    try {
      const { signal } = reading;
      const [table, run] = await Promise.all([
        api.get(`/api/tables/${grid.tableId}/`, { signal }),
        this.readRun({ first, last }, { signal }).catch((refusal) => {
          if (!grid.filters.isViewError(refusal)) throw refusal;
          return { refusal, rows: [], count: { value: 0, exact: true } };
        }),
      ]);
      const options = grid.view.filter ? await load(() => import("./renamed_options.js")).catch(() => null) : null;
      await press.released();
      if (signal.aborted) return;
      if (outdated()) {
        // Displayed values may be newer than those read.
        await ownChanges.idle();
        if (this.reading === reading) return await this.reload();
        return;
      }
      // Do not redraw a cell whose edit has started meanwhile.
      if (grid.editor.isOpen) return grid.editor.whenClosed("rows", () => this.reload());
      if (options?.followRenamedOptions(grid, table.columns)) return await this.reload();
      this.reading = null;
      grid.setColumns(table.columns);
      grid.filters.total = table.row_count;
      if ("refusal" in run) {
        // Show the current columns; no rows can be read for this view.
        this.failed = true;
        grid.redraw();
        throw run.refusal;
      }
      grid.selection.unseen.clear();
      const isNewView = query.search !== this.shown.search || query.filter !== this.shown.filter;
      this.shown = query;
      grid.store.reset(run.rows, { offset: first, ...this.countAfter(run, first, isNewView) });
      if (!run.count.exact) this.countRows();
      if (this.fromTop) grid.scroller.scrollTop = 0;
      this.fromTop = false;
      grid.redraw();
      void grid.selection.rowsRead();
    } catch (error) {
      if (!reading.signal.aborted && !grid.filters.showViewError(error)) {
        const retry = { label: t("Try again"), run: () => this.reload() };
        toast(t("The rows could not be loaded. {reason}", { reason: error.message }), { kind: "error", action: retry });
      }
    } finally {
      if (this.reading === reading) this.reading = null;
      if (!this.reading) grid.table.removeAttribute("aria-busy");
    }
  }

  /**
   * @param {Span} span @param {{signal?: AbortSignal, onProgress?: (done: number) => void, count?: string}} [options]
   *   onProgress: called with the number of rows read
   * @returns {Promise<Page>} in the order of the server
   */
  async readRun({ first, last }, { signal, onProgress, count: counted } = {}) {
    const rows = [];
    // An estimate is never less than the rows that are known to exist.
    let count;
    do {
      const window = { offset: first + rows.length, limit: Math.min(MAX_PAGE_ROWS, last - first - rows.length), count: counted };
      const page = await api.get(rowsUrl(this.grid.tableId, this.grid.query, window), { signal });
      rows.push(...page.rows);
      count = page.count;
      onProgress?.(rows.length);
      if (!page.rows.length) break;
    } while (rows.length < Math.min(last, count.value) - first);
    return { rows, count };
  }

  /**
   * @param {number[]} ids @param {{search?: string, filter?: string}} [view]  default: all rows
   * @returns {Promise<any[]>} the matching rows of these; rejects if the server cannot be reached
   */
  async readRows(ids, { search, filter } = {}) {
    const found = [];
    for (let start = 0; start < ids.length; start += BLOCK) {
      const query = new URLSearchParams({ keys: "id", ids: ids.slice(start, start + BLOCK).join(",") });
      if (search) query.set("search", search);
      if (filter) query.set("filter", filter);
      found.push(...(await api.get(`/api/tables/${this.grid.tableId}/rows/?${query}`)).rows);
    }
    return found;
  }
}
