// Find in table: steps through matching rows without hiding others, and goes to a row by number.

import { api } from "../api.js";
import { el, icon } from "../element.js";
import { t, tn } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { FindHighlights } from "./find_highlights.js";
import { MAX_ROWS } from "./grid_geometry.js";
import { containsAll, wordsOf } from "./search_spans.js";

const TYPED_MS = 250;

/** @type {WeakMap<TableGrid, FindBar>} */
const bars = new WeakMap();

/** @param {TableGrid} grid @param {{byNumber?: boolean, typed?: string}} [how]  byNumber: focus the row number; typed: keys pressed before the bar was loaded */
export function openFindBar(grid, { byNumber = false, typed = "" } = {}) {
  const bar = bars.get(grid) ?? new FindBar(grid);
  bars.set(grid, bar);
  bar.open(byNumber);
  if (typed) bar.type(typed);
}

export class FindBar {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** The first matching rows, in the order of the view. @type {{index: number, id: number}[]} */
    this.found = [];
    this.count = 0;
    /** Index in `found` of the current match. */
    this.at = -1;
    this.requestCount = 0;
    /** Number of requested cursor moves; only the last one is executed. */
    this.moveCount = 0;
    this.marks = new FindHighlights(grid, "sought");
    this.build();
    grid.addEventListener("grid-redrawn", () => this.isOpen && this.field.value.trim() && this.scheduleRead(false));
  }

  build() {
    const button = (/** @type {string} */ label, /** @type {string} */ name, /** @type {() => void} */ run) =>
      el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": label, title: label, on: { click: run } }, icon(name, "icon--14"));
    this.field = el("input", { class: "input", type: "search", dir: "auto", autocomplete: "off", "aria-label": t("Find in table"), placeholder: t("Find in table"), on: { input: () => this.scheduleRead(true) } });
    this.number = el("input", { class: "input findbar__row", type: "text", inputmode: "numeric", autocomplete: "off", "aria-label": t("Go to row"), placeholder: t("Row"), title: t("Go to row") });
    this.status = el("span", { class: "findbar__count", role: "status" });
    this.steps = [button(t("Previous match"), "chevron-up", () => this.step(-1)), button(t("Next match"), "chevron-down", () => this.step(1))];
    this.element = el("div", { class: "findbar", role: "search", "aria-label": t("Find in table") }, this.field, this.status, ...this.steps, this.number, button(t("Close"), "x", () => this.close()));
    this.element.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  get isOpen() {
    return this.element.isConnected;
  }

  /** @param {boolean} byNumber */
  open(byNumber) {
    if (!this.isOpen) this.grid.scroller.before(this.element);
    // Proposed values are not in the database yet.
    this.field.placeholder = this.field.ariaLabel = this.grid.review ? t("Find in saved values") : t("Find in table");
    const field = byNumber ? this.number : this.field;
    field.focus();
    field.select();
    if (this.field.value.trim()) this.scheduleRead(false);
  }

  /** @param {string} text */
  type(text) {
    const field = document.activeElement === this.number ? this.number : this.field;
    field.value = text;
    if (field === this.field) this.scheduleRead(true);
  }

  close() {
    clearTimeout(this.timer);
    this.requestCount += 1;
    this.moveCount += 1;
    this.marks.show("");
    this.element.remove();
    this.grid.table.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    if (event.isComposing) return;
    const ctrl = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    const key = event.key.toLowerCase();
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && event.target === this.number) this.goToRow();
    else if (event.key === "Enter" && event.target === this.field) this.step(event.shiftKey ? -1 : 1);
    // A second Ctrl+F opens the browser's own search.
    else if (ctrl && key === "f" && event.target === this.field) return;
    else if (ctrl && (key === "f" || key === "g")) this.open(key === "g");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {boolean} movesCursor  whether the cursor moves to a match */
  scheduleRead(movesCursor) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(movesCursor), TYPED_MS);
  }

  /** @param {boolean} movesCursor */
  async read(movesCursor) {
    clearTimeout(this.timer);
    this.timer = undefined;
    const number = ++this.requestCount;
    if (movesCursor) this.moveCount += 1;
    const find = this.field.value.trim();
    this.marks.show(find);
    if (!find) return this.setResults({ found: [], count: 0 });
    try {
      const answer = await api.get(findUrl(this.grid, { find }));
      if (number !== this.requestCount) return;
      this.setResults(answer);
      if (movesCursor && this.found.length) await this.goToMatch(this.nextFrom(this.grid.cursor.index));
    } catch (error) {
      if (number === this.requestCount) this.status.textContent = t("The search failed. {reason}", { reason: error.message });
    }
  }

  /** @param {{found: {index: number, id: number}[], count: number}} answer */
  setResults({ found, count }) {
    const before = this.found[this.at]?.id;
    this.found = found;
    this.count = count;
    this.at = before === undefined ? -1 : found.findIndex((one) => one.id === before);
    this.showStatus();
  }

  showStatus() {
    const { count, at } = this;
    const position = at < 0 ? tn("{count} row", "{count} rows", count) : t("{number} of {count}", { number: at + 1, count });
    this.status.textContent = !this.field.value.trim() ? "" : count ? position : t("No matching rows");
    for (const button of this.steps) button.disabled = !this.found.length;
  }

  /** @param {number} index @returns {number} the first match at or below it, else the first of all */
  nextFrom(index) {
    return Math.max(0, this.found.findIndex((one) => one.index >= index));
  }

  /** @param {-1 | 1} by */
  async step(by) {
    if (this.timer !== undefined) return this.read(true);
    const { length } = this.found;
    if (!length) return;
    const from = this.at < 0 ? this.nextFrom(this.grid.cursor.index) - (by > 0 ? 1 : 0) : this.at;
    await this.goToMatch((from + by + length) % length);
  }

  /** @param {number} at */
  async goToMatch(at) {
    this.at = at;
    this.showStatus();
    await this.show(this.found[at].index);
  }

  async goToRow() {
    const rowNumber = numberIn(this.number.value);
    const { length, total } = this.grid.store;
    if (!rowNumber || !length) return;
    if (rowNumber > length && total > length) return this.showTooFar();
    const index = Math.min(rowNumber, length) - 1;
    this.at = this.found.findIndex((one) => one.index === index);
    this.showStatus();
    await this.show(index);
    this.number.value = String(index + 1);
    this.number.select();
  }

  showTooFar() {
    this.status.textContent = t("Only the first {most} rows in this sort can be shown.", { most: MAX_ROWS });
  }

  /** @param {number} index  move the cursor to the first matching cell of this row; the focus stays here */
  async show(index) {
    const { grid } = this;
    if (index >= MAX_ROWS) this.showTooFar();
    const number = ++this.moveCount;
    if (index >= grid.store.length && grid.reading.counting) await grid.reading.counting;
    if (number !== this.moveCount || index >= grid.store.length) return;
    if (!grid.store.at(index)) grid.window.reveal(index, { center: true });
    const row = grid.store.at(index) ?? (await grid.reading.readRun({ first: index, last: index + 1 }).then((run) => run.rows[0], () => undefined));
    if (number !== this.moveCount || !this.isOpen) return;
    const tr = grid.window.reveal(index, { center: true });
    const words = wordsOf(this.field.value);
    const matches = (/** @type {any} */ value) => words.some((word) => containsAll([value], [word]));
    const col = row ? grid.columns.findIndex((column) => !columnType(column).isUnsearched && matches(row.data[column.id])) : -1;
    if (!tr) return;
    grid.ranges.clear();
    grid.cursor.put(tr, col < 0 ? Math.max(0, grid.cursor.col) : col);
  }
}

/** @param {string} text @returns {number} from its digits, in any script */
function numberIn(text) {
  const digits = text.normalize("NFKC").match(/\p{Nd}/gu) ?? [];
  // The ten digits of a script have consecutive code points.
  const valueOf = (/** @type {string} */ digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
    return value;
  };
  return Number(digits.map(valueOf).join(""));
}

/** @param {TableGrid} grid @param {{find: string}} query @returns {string} API URL of the matching rows */
function findUrl(grid, { find }) {
  const query = new URLSearchParams({ find });
  const { search, filter, sort } = grid.query;
  for (const [name, value] of Object.entries({ search, filter, sort })) if (value) query.set(name, value);
  return `/api/tables/${grid.tableId}/rows/find/?${query}`;
}
