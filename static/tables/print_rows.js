// Prints all rows of the view: reads them and renders a table for print, since the grid only renders visible rows.

import { el, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { displayText, drawCell, drawHead } from "./values.js";

const MAX_PRINTED_ROWS = 5000;
/** Widths in px that fit side by side on A4 and Letter. */
const PORTRAIT_WIDTH = 660;
const LANDSCAPE_WIDTH = 930;
/** Texts wrap in columns that would be wider. */
const MAX_COLUMN_WIDTH = 240;
/** Width of a digit and of the space around a value, px. */
const DIGIT_WIDTH = 8;
const CELL_PADDING = 28;

/**
 * Distribute columns to sheets that are side by side. Each sheet repeats the first column, which names the rows.
 * @param {number[]} widths  of the columns on paper, px
 * @returns {{isWide: boolean, parts: number[][]}} whether the paper is in landscape, and the indexes of the columns of each part
 */
export function columnParts(widths) {
  const total = widths.reduce((sum, width) => sum + width, 0);
  if (total <= LANDSCAPE_WIDTH) return { isWide: total > PORTRAIT_WIDTH, parts: [widths.map((_, index) => index)] };
  const room = LANDSCAPE_WIDTH - widths[0];
  // Parts of about the same width.
  const share = (total - widths[0]) / Math.ceil((total - widths[0]) / room);
  /** @type {number[][]} */
  const parts = [];
  let used = Infinity;
  for (let index = 1; index < widths.length; index += 1) {
    if (used >= share || used + widths[index] > room) {
      parts.push([0]);
      used = 0;
    }
    parts[parts.length - 1].push(index);
    used += widths[index];
  }
  return { isWide: true, parts };
}

/** @type {RowPrinter | undefined} */
let printer;

/** @param {TableGrid} grid  the only one of the page @returns {RowPrinter} */
export function printerFor(grid) {
  return (printer ??= new RowPrinter(grid));
}

class RowPrinter {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** The table for print while it is in the page. @type {HTMLElement | null} */
    this.sheet = null;
    /** Set while rows are read for printing. @type {AbortController | null} */
    this.reading = null;
    // The browser's print command cannot wait for rows, so they are only printed if all are loaded.
    addEventListener("beforeprint", () => this.printKnown());
    addEventListener("afterprint", () => this.clear());
  }

  /** Read and render the rows and open the print dialog. A proposal under review is printed as shown. */
  async print() {
    const { grid } = this;
    if (grid.review) return window.print();
    if (this.reading) return;
    const reading = (this.reading = new AbortController());
    const { query } = grid;
    let run;
    const cancel = { label: t("Cancel"), run: () => reading.abort() };
    const progress = toast(t("Loading the rows to print…"), { stays: true, action: cancel });
    const onProgress = (done) => {
      const total = Math.min(grid.store.count, MAX_PRINTED_ROWS);
      progress.querySelector("span").textContent = t("Loading the rows to print: {done} of {total}", { done, total });
    };
    try {
      run = await grid.reading.readRun({ first: 0, last: MAX_PRINTED_ROWS }, { signal: reading.signal, onProgress, count: "exact" });
    } catch (error) {
      if (reading.signal.aborted) return;
      const again = { label: t("Try again"), run: () => this.print() };
      toast(t("The rows could not be loaded. {reason}", { reason: error.message }), { kind: "error", action: again });
      return;
    } finally {
      progress.remove();
      this.reading = null;
    }
    // The view has changed: read again.
    if (grid.query !== query) return this.print();
    // A response may be older than edits saved meanwhile.
    this.render({ count: run.count.value, rows: run.rows.map((row) => grid.store.newest(row)) });
    window.print();
  }

  printKnown() {
    const { review, store } = this.grid;
    const { rows } = store;
    if (this.sheet || review || !store.isExact || rows.length !== store.displayedCount) return;
    this.render({ rows: rows.slice(0, MAX_PRINTED_ROWS), count: rows.length });
  }

  /** @param {{rows: any[], count: number}} run  the first rows of the view, and its total */
  render({ rows, count }) {
    this.clear();
    const { columns, view } = this.grid;
    const widths = this.printedWidths(rows);
    const { isWide, parts } = columnParts(widths);
    const counts = [tn("{count} row", "{count} rows", count)];
    const omitted = count - rows.length;
    if (omitted > 0) counts.push(tn("{count} more row is not in this printout. Export the table to get all rows.", "{count} more rows are not in this printout. Export the table to get all rows.", omitted));
    this.sheet = el(
      "section",
      { class: "paper" },
      ...(view.search ? [el("p", { text: t("Search: {words}", { words: view.search }) })] : []),
      ...parts.map((part) => this.drawPart(part.map((index) => ({ column: columns[index], index, width: widths[index] })), rows)),
      ...counts.map((text) => el("p", { text })),
    );
    document.documentElement.classList.toggle("is-wide-paper", isWide);
    this.grid.append(this.sheet);
    this.grid.classList.add("is-on-paper");
  }

  /** @param {any[]} rows @returns {number[]} widths in px: as on the screen, within limits; numbers are not broken */
  printedWidths(rows) {
    const { columns, table } = this.grid;
    const heads = [...table.tHead.rows[0].cells].filter((head) => head.dataset.col);
    return columns.map((column, index) => {
      const shown = heads[index]?.offsetWidth || MAX_COLUMN_WIDTH;
      const digits = columnType(column).cellClass ? Math.max(...rows.map((row) => displayText(column, row.data[column.id]).length)) : 0;
      return Math.max(Math.min(shown, MAX_COLUMN_WIDTH), digits * DIGIT_WIDTH + CELL_PADDING);
    });
  }

  /**
   * @param {{column: Column, index: number, width: number}[]} columns  with their indexes in the table, and widths in px
   * @param {any[]} rows @returns {HTMLElement} a table with these columns of all rows
   */
  drawPart(columns, rows) {
    const total = columns.reduce((sum, { width }) => sum + width, 0);
    const widths = columns.map(({ width }) => el("col", { width: `${(100 * width) / total}%` }));
    const heads = columns.map(({ column, index }) => drawHead(column, index));
    const lines = rows.map((row, at) =>
      el("tr", {}, el("td", { class: "paper__n", text: String(at + 1) }), ...columns.map(({ column, index }) => drawCell(column, index, row.data[column.id]))));
    return el(
      "table",
      { "aria-label": this.grid.table.getAttribute("aria-label") },
      el("colgroup", {}, el("col", { class: "paper__n" }), ...widths),
      el("thead", {}, el("tr", {}, el("th", { class: "paper__n", scope: "col" }), ...heads)),
      el("tbody", {}, ...lines),
    );
  }

  clear() {
    document.documentElement.classList.remove("is-wide-paper");
    this.sheet?.remove();
    this.sheet = null;
    this.grid.classList.remove("is-on-paper");
  }
}
