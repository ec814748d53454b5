// Highlights the words of a search in the visible cells of matching rows, with ranges over the existing text, so that no cell
// is redrawn.

import { columnType } from "./column_types/registry.js";
import { containsAll, searchedText, spansOf, wordsOf } from "./search_spans.js";
import { isEmpty } from "./values.js";

export class FindHighlights {
  /** @param {TableGrid} grid @param {string} [name]  of the highlight */
  constructor(grid, name = "found") {
    this.grid = grid;
    this.name = name;
    /** @type {string[]} */
    this.words = [];
    // Browsers without the Highlight API show no highlights.
    this.highlight = "highlights" in CSS ? new Highlight() : null;
    if (this.highlight) CSS.highlights.set(name, this.highlight);
    this.observer = new MutationObserver(() => this.schedule());
  }

  /** @param {string} search  "" removes the highlights */
  show(search) {
    if (!this.highlight) return;
    this.words = wordsOf(search);
    this.observer.disconnect();
    if (this.words.length) this.observer.observe(this.grid.rowsBody, { childList: true, subtree: true, characterData: true });
    this.mark();
  }

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.mark();
    });
  }

  mark() {
    this.highlight.clear();
    if (this.words.length) this.markRows();
    this.grid.dataset[this.name] = String(this.highlight.size);
  }

  markRows() {
    const ids = this.grid.allColumns.filter((column) => !columnType(column).isUnsearched).map(({ id }) => id);
    for (const tr of this.grid.rowsBody.rows) {
      const row = tr.dataset.row && this.grid.store.get(tr.dataset.row);
      if (!row || !containsAll(ids.map((id) => row.data[id]), this.words)) continue;
      for (const cell of tr.querySelectorAll("td[data-col]")) {
        const { col } = /** @type {HTMLElement} */ (cell).dataset;
        if (ids.includes(col)) this.markCell(cell, row.data[col]);
      }
    }
  }

  /** @param {Element} cell @param {any} value */
  markCell(cell, value) {
    const shown = cell.querySelector(":scope > .val");
    if (!shown || isEmpty(value)) return;
    const spans = spansOf(shown.textContent, searchedText(value), this.words);
    if (!spans.length) return;
    const walk = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
    let at = 0;
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const length = node.textContent.length;
      for (const [start, end] of spans) {
        const from = Math.max(0, start - at);
        const to = Math.min(length, end - at);
        if (from < to) this.highlight.add(new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to }));
      }
      at += length;
    }
  }
}
