// Finds rows by words without hiding the others: a bar over the grid that leads from match to match, or to a row by its number.

import { api } from "../api.js";
import { el, icon } from "../element.js";
import { t, tn } from "../locale.js";
import { FoundMarks } from "./find_highlights.js";
import { MOST_ROWS } from "./grid_geometry.js";
import { holdsAll, wordsOf } from "./search_spans.js";

const TYPED_MS = 250;

/** @type {WeakMap<TableGrid, FindBar>} */
const bars = new WeakMap();

/** @param {TableGrid} grid @param {{byNumber?: boolean, typed?: string}} [how]  begin with the number of a row in place of words; typed: before it was there */
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
    /** Rows that match, in the order of the view: the first of them. @type {{index: number, id: number}[]} */
    this.found = [];
    this.count = 0;
    /** Which of them the cursor was led to. */
    this.at = -1;
    this.asked = 0;
    /** How often the cursor was to be led somewhere: only the last time counts. */
    this.led = 0;
    this.marks = new FoundMarks(grid, "sought");
    this.build();
    grid.addEventListener("grid-redrawn", () => this.isOpen && this.field.value.trim() && this.later(false));
  }

  build() {
    const button = (/** @type {string} */ label, /** @type {string} */ name, /** @type {() => void} */ run) =>
      el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": label, title: label, on: { click: run } }, icon(name, "icon--14"));
    this.field = el("input", { class: "input", type: "search", dir: "auto", autocomplete: "off", "aria-label": t("Find in table"), placeholder: t("Find in table"), on: { input: () => this.later(true) } });
    this.number = el("input", { class: "input findbar__n", type: "text", inputmode: "numeric", autocomplete: "off", "aria-label": t("Go to row"), placeholder: t("Row"), title: t("Go to row") });
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
    const field = byNumber ? this.number : this.field;
    field.focus();
    field.select();
    if (this.field.value.trim()) this.later(false);
  }

  /** @param {string} text */
  type(text) {
    const field = document.activeElement === this.number ? this.number : this.field;
    field.value = text;
    if (field === this.field) this.later(true);
  }

  close() {
    clearTimeout(this.timer);
    this.asked += 1;
    this.led += 1;
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
    // Pressed once more, it is the browser's own find.
    else if (ctrl && key === "f" && event.target === this.field) return;
    else if (ctrl && (key === "f" || key === "g")) this.open(key === "g");
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {boolean} leads  whether the cursor goes to a match then */
  later(leads) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.read(leads), TYPED_MS);
  }

  /** @param {boolean} leads */
  async read(leads) {
    clearTimeout(this.timer);
    this.timer = undefined;
    const mine = ++this.asked;
    if (leads) this.led += 1;
    const find = this.field.value.trim();
    this.marks.show(find);
    if (!find) return this.took({ found: [], count: 0 });
    try {
      const answer = await api.get(foundAddress(this.grid, { find }));
      if (mine !== this.asked) return;
      this.took(answer);
      if (leads && this.found.length) await this.lead(this.nextFrom(this.grid.cursor.index));
    } catch (error) {
      if (mine === this.asked) this.status.textContent = t("The search failed. {reason}", { reason: error.message });
    }
  }

  /** @param {{found: {index: number, id: number}[], count: number}} answer */
  took({ found, count }) {
    const before = this.found[this.at]?.id;
    this.found = found;
    this.count = count;
    this.at = before === undefined ? -1 : found.findIndex((one) => one.id === before);
    this.tell();
  }

  tell() {
    const { count, at } = this;
    const some = at < 0 ? tn("{count} row", "{count} rows", count) : t("{number} of {count}", { number: at + 1, count });
    this.status.textContent = !this.field.value.trim() ? "" : count ? some : t("No row matches");
    for (const button of this.steps) button.disabled = !this.found.length;
  }

  /** @param {number} index @returns {number} the first match there or below, else the first of all */
  nextFrom(index) {
    return Math.max(0, this.found.findIndex((one) => one.index >= index));
  }

  /** @param {-1 | 1} by */
  async step(by) {
    if (this.timer !== undefined) return this.read(true);
    const { length } = this.found;
    if (!length) return;
    const from = this.at < 0 ? this.nextFrom(this.grid.cursor.index) - (by > 0 ? 1 : 0) : this.at;
    await this.lead((from + by + length) % length);
  }

  /** @param {number} at */
  async lead(at) {
    this.at = at;
    this.tell();
    await this.show(this.found[at].index);
  }

  async goToRow() {
    const wanted = numberIn(this.number.value);
    const { length, total } = this.grid.store;
    if (!wanted || !length) return;
    if (wanted > length && total > length) return this.tellTooFar();
    const index = Math.min(wanted, length) - 1;
    this.at = this.found.findIndex((one) => one.index === index);
    this.tell();
    await this.show(index);
    this.number.value = String(index + 1);
    this.number.select();
  }

  tellTooFar() {
    this.status.textContent = t("Only the first {most} rows of this order can be shown.", { most: MOST_ROWS });
  }

  /** @param {number} index  the cursor goes there, to the first cell with one of the words; the keyboard stays here */
  async show(index) {
    const { grid } = this;
    if (index >= MOST_ROWS) this.tellTooFar();
    if (index >= grid.store.length) return;
    const mine = ++this.led;
    if (!grid.store.at(index)) grid.window.reveal(index, { center: true });
    const row = grid.store.at(index) ?? (await grid.reading.readRun({ first: index, last: index + 1 }).then((run) => run.rows[0], () => undefined));
    if (mine !== this.led || !this.isOpen) return;
    const tr = grid.window.reveal(index, { center: true });
    const words = wordsOf(this.field.value);
    const holds = (/** @type {any} */ value) => words.some((word) => holdsAll([value], [word]));
    const col = row ? grid.columns.findIndex((column) => holds(row.data[column.id])) : -1;
    if (!tr) return;
    grid.ranges.clear();
    grid.cursor.put(tr, col < 0 ? Math.max(0, grid.cursor.col) : col);
  }
}

/** @param {string} text @returns {number} of its digits, in any script */
function numberIn(text) {
  const digits = text.normalize("NFKC").match(/\p{Nd}/gu) ?? [];
  // The ten digits of a script follow one another.
  const valueOf = (/** @type {string} */ digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
    return value;
  };
  return Number(digits.map(valueOf).join(""));
}

/** @param {TableGrid} grid @param {{find: string}} what @returns {string} where the API says which rows of the view match */
function foundAddress(grid, { find }) {
  const query = new URLSearchParams({ find });
  const { search, filter, sort } = grid.asked;
  for (const [name, value] of Object.entries({ search, filter, sort })) if (value) query.set(name, value);
  return `/api/tables/${grid.tableId}/rows/find/?${query}`;
}
