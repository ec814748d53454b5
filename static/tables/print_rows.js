// Prints all rows of the view: reads them and renders a table for print, since the grid only renders visible rows.

import { el, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { drawCell, drawHead } from "./values.js";

const MAX_PRINTED_ROWS = 5000;

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
    const { columns, view, table } = this.grid;
    const headers = columns.map((column, index) => drawHead(column, index));
    const lines = rows.map((row, index) =>
      el("tr", {}, el("td", { class: "paper__n", text: String(index + 1) }), ...columns.map((column, index) => drawCell(column, index, row.data[column.id]))));
    const counts = [tn("{count} row", "{count} rows", count)];
    const omitted = count - rows.length;
    if (omitted > 0) counts.push(tn("{count} more row is not in this printout. Export the table to get all rows.", "{count} more rows are not in this printout. Export the table to get all rows.", omitted));
    this.sheet = el(
      "section",
      { class: "paper" },
      ...(view.search ? [el("p", { text: t("Search: {words}", { words: view.search }) })] : []),
      el(
        "table",
        { "aria-label": table.getAttribute("aria-label") },
        el("thead", {}, el("tr", {}, el("th", { class: "paper__n", scope: "col" }), ...headers)),
        el("tbody", {}, ...lines),
      ),
      ...counts.map((text) => el("p", { text })),
    );
    this.grid.append(this.sheet);
    this.grid.classList.add("is-on-paper");
  }

  clear() {
    this.sheet?.remove();
    this.sheet = null;
    this.grid.classList.remove("is-on-paper");
  }
}
