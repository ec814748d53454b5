// The fills of the open table: their state from the server, read again after news and whenever the socket is heard from.

import { api } from "../../api.js";
import { el, load } from "../../element.js";
import { FillBar } from "./fill_bar.js";
import { FillCells } from "./fill_cells.js";
import { countsSince } from "./review_counts.js";

const MAX_FILLS = 20;
/** Counting the results to review compares all of them with the table: while a fill runs it is repeated after this time at the earliest, and always after ten times as long as it took. */
const COUNT_MS = 2000;
const COUNT_FACTOR = 10;
const ENDED = new Set(["done", "cancelled"]);

/**
 * @typedef {object} Fill  as of the API
 * @property {string} id @property {string} user @property {number} user_id @property {boolean} may_manage @property {"draft" | "running" | "paused" | "done" | "cancelled" | "failed"} state
 * @property {string[]} columns  ids @property {string} instruction @property {any} rows @property {"row" | "web"} sources @property {string} model
 * @property {{rows: number, calls: number, tokens: number, cost: string | null, minutes: number, modes?: string[]}} estimate @property {number} budget
 * @property {{calls: number, tokens: number, cost: string | null}} usage @property {Record<string, number>} counts
 * @property {string | null} ended_at @property {{detail: string, message_code?: string} | null} reason @property {{rows: number} | null} [batches]  rows that the provider has not answered yet
 * @property {{until: string, seconds: number} | null} [wait]  until the provider has capacity
 *
 * @typedef {object} FillResult  as of the API, with values by column id
 * @property {number} row @property {"waiting" | "working" | "found" | "empty" | "failed" | "discarded"} state
 * @property {"" | "open" | "applied" | "edited" | "conflict" | "invalid" | "deleted"} review @property {{detail: string} | null} [fault]  why its values no longer fit @property {Record<string, any>} values @property {Record<string, any>} corrections
 * @property {"" | "high" | "medium" | "low"} confidence @property {string} note @property {{url: string, title?: string, quote?: string}[]} sources
 * @property {boolean} unverified @property {{detail: string} | null} error @property {string} remark
 */

/** @type {WeakMap<TableGrid, TableFills>} */
const known = new WeakMap();

/** @param {TableGrid} grid @returns {TableFills} the fills of this grid, which are being read */
export function fillsOf(grid) {
  const fills = known.get(grid) ?? new TableFills(grid);
  known.set(grid, fills);
  return fills;
}

/** @param {TableGrid} grid @param {string} columnId */
export async function startFill(grid, columnId) {
  const { openFillDialog } = await load(() => import("./fill_dialog.js"));
  await openFillDialog(grid, columnId, { started: (fill) => fillsOf(grid).started(fill) });
}

export class TableFills {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.address = `/api/tables/${grid.tableId}/fills/`;
    /** The fills that are shown, the newest first. @type {Fill[]} */
    this.fills = [];
    /** The id of the fill that a notice or a mail leads to, until its bar has the focus. */
    this.opened = new URLSearchParams(location.search).get("fill") ?? "";
    /** The number of results by kind, by fill. @type {Map<string, Record<string, number>>} */
    this.counts = new Map();
    /**
     * The last count of the server: its answer, when it was and how long it took, ms; `of` names the state that was counted, `then` are the numbers of results by state.
     * @type {Map<string, {reviewed: Record<string, number>, at: number, took: number, of: string, then: Record<string, number>}>}
     */
    this.counted = new Map();
    this.changes = 0;
    /** @type {Map<string, FillBar>} */
    this.bars = new Map();
    /** Fills whose bar the user has closed, with their end at that time: after a later run they are shown again. @type {Map<string, string | null>} */
    this.closed = new Map();
    this.cells = new FillCells(this);
    this.element = el("div", { class: "fills" });
    grid.querySelector("[data-review-slot]").after(this.element);
    document.addEventListener("table-news", (/** @type {any} */ { detail }) => detail.about === "fills" && void this.refresh());
    document.addEventListener("table-changed", () => this.tableChanged());
    grid.addEventListener("grid-written", () => this.tableChanged());
    grid.addEventListener("change-undo-toggled", () => {
      // What the user has just undone is counted without waiting.
      this.counted.clear();
      this.tableChanged();
    });
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.refresh());
    // After a connection, and twice a minute.
    grid.addEventListener("grid-reached", () => void this.refresh());
    grid.addEventListener("grid-selected", () => this.draw());
    grid.addEventListener("grid-role", () => this.draw());
    void this.refresh();
    void load(() => import("./origin_marks.js")).then(({ OriginMarks }) => new OriginMarks(grid), () => {});
  }

  /** @param {Fill} fill  that the user has just started */
  started(fill) {
    if (!this.fills.some(({ id }) => id === fill.id)) this.fills.unshift(fill);
    this.draw();
    void this.refresh();
    this.bars.get(fill.id)?.focus();
  }

  /** Cells have changed: results may have become conflicts, or open again after an undo. */
  tableChanged() {
    if (!this.fills.length && !this.hasEnded) return;
    clearTimeout(this.changeTimer);
    this.changeTimer = setTimeout(() => {
      this.changes += 1;
      void this.refresh();
    }, 300);
  }

  /** Read the fills again; one request at a time, and another one for later news. */
  async refresh() {
    this.isOutdated = true;
    if (this.isReading) return;
    this.isReading = true;
    while (this.isOutdated) {
      this.isOutdated = false;
      await this.read().catch(() => {}); // the connection is lost: read again when it is back
    }
    this.isReading = false;
  }

  async read() {
    const { fills } = await api.get(`${this.address}?limit=${MAX_FILLS}`);
    const started = fills.filter((/** @type {Fill} */ { state }) => state !== "draft");
    this.hasEnded = started.length > 0;
    await Promise.all(started.map((fill) => this.count(fill)));
    this.fills = started.filter((fill) => this.isShown(fill));
    this.draw();
    this.bars.get(this.opened)?.focus();
    this.opened = "";
    await this.cells.refresh();
  }

  /** @param {Fill} fill */
  async count({ id, state, counts }) {
    const last = this.counted.get(id);
    // What was counted: the same results of the same table need not be counted again.
    const of = JSON.stringify([state, counts, this.changes]);
    if (last?.of === of) return;
    if (last) this.counts.set(id, countsSince(last.reviewed, last.then, counts));
    const wait = last ? last.at + Math.max(state === "running" ? COUNT_MS : 0, COUNT_FACTOR * last.took) - Date.now() : 0;
    if (wait > 0) {
      clearTimeout(this.countTimer);
      this.countTimer = setTimeout(() => void this.refresh(), wait);
      return;
    }
    const began = Date.now();
    const { counts: reviewed } = await api.get(`${this.address}${id}/review/`);
    this.counts.set(id, reviewed);
    this.counted.set(id, { reviewed, at: Date.now(), took: Date.now() - began, of, then: counts });
  }

  /** @param {Fill} fill @returns {boolean} whether something can be done with it */
  isShown({ id, state, ended_at: end }) {
    if (this.closed.get(id) === end) return false;
    const { open = 0, conflict = 0, invalid = 0 } = this.counts.get(id) ?? {};
    const wasShown = this.bars.has(id);
    const { failed = 0, empty = 0 } = this.counts.get(id) ?? {};
    return !ENDED.has(state) || open + conflict + invalid > 0 || (wasShown && failed + empty > 0);
  }

  /** @param {string} id  of a fill that this user has just changed: count its results now */
  recount(id) {
    this.counted.delete(id);
    return this.refresh();
  }

  /** @param {string} id  of a fill that is over for this user */
  close(id) {
    this.closed.set(id, this.fills.find((fill) => fill.id === id)?.ended_at ?? null);
    this.fills = this.fills.filter((fill) => fill.id !== id);
    this.draw();
    void this.cells.refresh();
  }

  draw() {
    for (const fill of this.fills) {
      const bar = this.bars.get(fill.id) ?? new FillBar(this, fill);
      this.bars.set(fill.id, bar);
      if (!bar.element.isConnected) this.element.append(bar.element);
      bar.draw(fill, this.counts.get(fill.id) ?? {});
    }
    for (const [id, bar] of this.bars) {
      if (this.fills.some((fill) => fill.id === id)) continue;
      bar.end();
      this.bars.delete(id);
    }
  }

  /** @param {Fill} fill @returns {boolean} whether this user has set it up */
  isMine({ user_id: id }) {
    return String(id) === this.grid.dataset.readerId;
  }

  /** @param {Fill} fill @returns {Column[]} those of its columns that still exist */
  columnsOf(fill) {
    return this.grid.allColumns.filter(({ id }) => fill.columns.includes(id));
  }
}
