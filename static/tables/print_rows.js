// Prints all rows of the view: the grid draws only the rows in sight, so they are read and laid out in a table for paper.

import { el, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { drawCell, drawHead } from "./values.js";

const MOST_PRINTED = 5000;

/** @type {GridPaper | undefined} */
let paper;

/** @param {TableGrid} grid  the page's only one @returns {GridPaper} */
export function paperOf(grid) {
  return (paper ??= new GridPaper(grid));
}

class GridPaper {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** The rows for paper while they are on the page. @type {HTMLElement | null} */
    this.sheet = null;
    /** Set while rows are read for printing. @type {AbortController | null} */
    this.reading = null;
    // The browser's own print command cannot wait for rows to be read; where all of them are known already, it need not.
    addEventListener("beforeprint", () => this.printKnown());
    addEventListener("afterprint", () => this.clear());
  }

  /** Reads the rows of the view, lays them out and opens the print dialog. A proposal under review prints as it is shown. */
  async print() {
    const { grid } = this;
    if (grid.review) return window.print();
    if (this.reading) return;
    const reading = (this.reading = new AbortController());
    const { asked } = grid;
    let run;
    const cancel = { label: t("Cancel"), run: () => reading.abort() };
    const progress = toast(t("Reading the rows to print…"), { stays: true, action: cancel });
    const told = (done) => {
      const total = Math.min(grid.store.count, MOST_PRINTED);
      progress.querySelector("span").textContent = t("Reading the rows to print: {done} of {total}", { done, total });
    };
    try {
      run = await grid.reading.readRun({ first: 0, last: MOST_PRINTED }, { signal: reading.signal, told });
    } catch (error) {
      if (reading.signal.aborted) return;
      const again = { label: t("Try again"), run: () => this.print() };
      toast(t("The rows could not be read. {reason}", { reason: error.message }), { kind: "error", action: again });
      return;
    } finally {
      progress.remove();
      this.reading = null;
    }
    // Of another view than the one in sight now, they are read anew.
    if (grid.asked !== asked) return this.print();
    // An answer may be older than what was saved here meanwhile.
    this.lay({ ...run, rows: run.rows.map((row) => grid.store.newest(row)) });
    window.print();
  }

  printKnown() {
    const { review, store } = this.grid;
    const { rows } = store;
    if (this.sheet || review || rows.length !== store.standing) return;
    this.lay({ rows: rows.slice(0, MOST_PRINTED), count: rows.length });
  }

  /** @param {{rows: any[], count: number}} run  the first rows of the view, and how many it has in all */
  lay({ rows, count }) {
    this.clear();
    const { columns, view, table } = this.grid;
    const heads = columns.map((column, place) => drawHead(column, place));
    const lines = rows.map((row, index) =>
      el("tr", {}, el("td", { class: "paper__n", text: String(index + 1) }), ...columns.map((column, place) => drawCell(column, place, row.data[column.id]))));
    const counts = [tn("{count} row", "{count} rows", count)];
    const left = count - rows.length;
    if (left > 0) counts.push(tn("{count} more row is not on paper. An export has all of them.", "{count} more rows are not on paper. An export has all of them.", left));
    this.sheet = el(
      "section",
      { class: "paper" },
      ...(view.search ? [el("p", { text: t("Search: {words}", { words: view.search }) })] : []),
      el(
        "table",
        { "aria-label": table.getAttribute("aria-label") },
        el("thead", {}, el("tr", {}, el("th", { class: "paper__n", scope: "col" }), ...heads)),
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
