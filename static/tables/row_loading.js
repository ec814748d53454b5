// Reads a grid's rows from the server: the blocks in sight and near it, all that is shown when something changed.

import { api, ownChanges } from "../api.js";
import { t } from "../locale.js";
import { press, toast } from "../element.js";
import { BLOCK } from "./row_store.js";
import { rowsAddress } from "./view_state.js";

const NEAR = 40;
const MOST_AT_ONCE = 1000;
const PASSING_MS = 60;

export class GridReading {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {AbortController | null} */
    this.reading = null;
    /** Whether the rows that are read next are to be shown from the top. */
    this.fromTop = false;
    /** What is being read anew, until it is there or was given up. @type {Promise<void> | null} */
    this.running = null;
    /** Blocks that are on their way. @type {Map<number, AbortController>} */
    this.coming = new Map();
    /** Blocks that were read while something was being written: what it came to is not in them, perhaps. @type {Set<number>} */
    this.unsure = new Set();
    /** What the rows that are known were asked for with. @type {ViewState} */
    this.shown = grid.view;
    this.span = { first: 0, last: 0 };
    for (const link of grid.pager.querySelectorAll("a, span")) link.hidden = true;
  }

  /** @param {Span} span  what is in sight; blocks that were scrolled past are no longer waited for */
  want(span) {
    const leap = Math.abs(span.first - this.span.first) > span.last - span.first;
    this.span = span;
    if (this.reading || this.failed) return;
    const { store } = this.grid;
    const near = { first: Math.max(0, span.first - NEAR), last: span.last + NEAR };
    // Rows that no longer match stand where the server has none: what is read now would not lie behind them.
    if (store.unfit.size && !this.grid.editor.isOpen && store.missing(near).length) return void this.reload();
    const wanted = new Set([...store.missing(near), ...this.unsureIn(near)]);
    for (const [block, request] of this.coming) {
      if (wanted.has(block)) continue;
      request.abort();
      this.coming.delete(block);
    }
    clearTimeout(this.passing);
    const read = () => wanted.forEach((block) => this.readBlock(block));
    // Who drags the scrollbar passes many rows that nobody wants to see.
    if (leap) this.passing = setTimeout(read, PASSING_MS);
    else read();
  }

  /** @param {Span} span @returns {number[]} blocks in it that are read once more, now that nothing is being written */
  unsureIn({ first, last }) {
    if (ownChanges.running) return [];
    return [...this.unsure].filter((block) => block * BLOCK < last && (block + 1) * BLOCK > first);
  }

  /** @param {number} block */
  async readBlock(block) {
    const { grid } = this;
    if (this.coming.has(block)) return;
    const request = new AbortController();
    this.coming.set(block, request);
    const { store } = grid;
    const outdated = ownChanges.watch();
    try {
      const window = { offset: block * BLOCK, limit: BLOCK };
      const page = await api.get(rowsAddress(grid.tableId, grid.asked, window), { signal: request.signal });
      if (request.signal.aborted) return;
      this.coming.delete(block);
      if (!outdated()) {
        this.unsure.delete(block);
        this.took(page, window.offset, store.total !== page.count);
        return;
      }
      this.unsure.add(block);
      // As long as nothing came of what is being written, nothing newer is shown that could be drawn over.
      if (ownChanges.running) this.took(page, window.offset, store.total !== page.count);
      await ownChanges.quiet();
      this.want(this.span);
    } catch (error) {
      if (request.signal.aborted) return;
      this.coming.delete(block);
      this.failed = true;
      const again = () => {
        this.failed = false;
        this.want(this.span);
      };
      toast(t("These rows could not be read. {reason}", { reason: error.message }), { kind: "error", action: { label: t("Try again"), run: again } });
    }
  }

  /** @param {{rows: any[], count: number}} page @param {number} offset @param {boolean} grown  others added or deleted rows */
  took(page, offset, grown) {
    const { grid } = this;
    grid.store.place(page.rows, { offset, count: page.count });
    grid.store.keepNear(this.span);
    // What was added here stands among the others now.
    if (!grid.editor.isOpen && [...grid.store.added.keys()].some((id) => grid.store.indexOf(id) >= 0)) {
      grid.drafts.clearSaved();
      grid.cursor.find();
    }
    if (grown) {
      grid.window.measure();
      grid.showCounts();
    }
    // Whoever is scrolling draws with the next frame anyway; where nobody looks, no frame comes.
    if (document.hidden) grid.window.draw();
    else grid.window.soon();
  }

  /** Nothing that is on its way is waited for any more. */
  stop() {
    clearTimeout(this.passing);
    for (const request of this.coming.values()) request.abort();
    this.coming.clear();
    this.unsure.clear();
    this.failed = false;
  }

  /** @param {{fromTop?: boolean}} [how]  reads columns and rows again; waits while somebody edits a cell */
  reload(how) {
    const mine = this.readAnew(how).finally(() => {
      if (this.running === mine) this.running = null;
    });
    this.running = mine;
    return mine;
  }

  /** @returns {Promise<void>} when nothing is read anew any more: what is shown is what was asked for last */
  async settled() {
    while (this.running) await this.running;
  }

  /** @param {{fromTop?: boolean}} [how] */
  async readAnew({ fromTop = false } = {}) {
    const { grid } = this;
    // One that is asked for while another is on its way takes that one's place, and its wish along.
    this.fromTop ||= fromTop;
    if (grid.editor.isOpen) {
      grid.editor.whenClosed("rows", () => this.reload());
      return;
    }
    this.reading?.abort();
    this.stop();
    const reading = (this.reading = new AbortController());
    const outdated = ownChanges.watch();
    const { asked } = grid;
    const first = this.fromTop ? 0 : Math.floor(Math.max(0, this.span.first) / BLOCK) * BLOCK;
    const last = this.fromTop ? BLOCK : Math.max(first + BLOCK, this.span.last);
    grid.table.setAttribute("aria-busy", "true");
    try {
      const options = { signal: reading.signal };
      const [table, run] = await Promise.all([
        api.get(`/api/tables/${grid.tableId}/`, options),
        this.readRun({ first, last }, options).catch((refusal) => {
          if (!grid.filters.areMeant(refusal)) throw refusal;
          return { refusal, rows: [], count: 0 };
        }),
      ]);
      await press.released();
      if (reading.signal.aborted) return;
      if (outdated()) {
        // What is shown may be newer than what was read: a cell that was just saved would fall back.
        await ownChanges.quiet();
        if (this.reading === reading) return await this.reload();
        return;
      }
      // Somebody has begun to edit a cell meanwhile: their field is not torn out of it.
      if (grid.editor.isOpen) return grid.editor.whenClosed("rows", () => this.reload());
      this.reading = null;
      grid.takeColumns(table.columns);
      grid.filters.total = table.row_count;
      if ("refusal" in run) {
        // The columns are as they are now all the same; of the rows nothing else can be asked for in this view.
        this.failed = true;
        grid.redraw();
        throw run.refusal;
      }
      grid.selection.unseen.clear();
      this.shown = asked;
      grid.store.reset(run.rows, { offset: first, count: run.count });
      if (this.fromTop) grid.scroller.scrollTop = 0;
      this.fromTop = false;
      grid.redraw();
      void grid.selection.rowsRead();
    } catch (error) {
      if (!reading.signal.aborted && !grid.filters.refused(error)) {
        const again = { label: t("Try again"), run: () => this.reload() };
        toast(t("The rows could not be read. {reason}", { reason: error.message }), { kind: "error", action: again });
      }
    } finally {
      if (this.reading === reading) this.reading = null;
      if (!this.reading) grid.table.removeAttribute("aria-busy");
    }
  }

  /**
   * @param {Span} span @param {{signal?: AbortSignal, told?: (done: number) => void}} [options]  `told`: rows read so far
   * @returns {Promise<{rows: any[], count: number}>} the rows as they lie on the server
   */
  async readRun({ first, last }, { signal, told } = {}) {
    const rows = [];
    let count = 0;
    do {
      const window = { offset: first + rows.length, limit: Math.min(MOST_AT_ONCE, last - first - rows.length) };
      const page = await api.get(rowsAddress(this.grid.tableId, this.grid.asked, window), { signal });
      rows.push(...page.rows);
      count = page.count;
      told?.(rows.length);
      if (!page.rows.length) break;
    } while (rows.length < Math.min(last, count) - first);
    return { rows, count };
  }

  /**
   * @param {number[]} ids @param {{search?: string, filter?: string}} [view]  all rows without one
   * @returns {Promise<any[]>} those of these rows that match, as they are now; rejects when the server is out of reach
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
