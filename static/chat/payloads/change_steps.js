// Previous and next change: the counter in the bar, and J and K.

import { el, icon } from "../../element.js";
import { t } from "../../locale.js";

export class ChangeSteps {
  /**
   * @param {TableGrid} grid
   * @param {{inOrder: {index: number}[], reach: (operation: any) => HTMLTableRowElement | undefined}} rows
   */
  constructor(grid, rows) {
    this.grid = grid;
    this.rows = rows;
    this.place = -1;
    /** The operation that is looked at, by its index. @type {number | undefined} */
    this.current = undefined;
    this.total = 0;
    this.words = el("span");
    const button = (label, symbol, step) =>
      el("button", { type: "button", "aria-label": label, title: label, on: { click: () => this.go(step) } }, icon(symbol, "icon--14"));
    this.element = el(
      "span",
      { class: "stepper only-wide", role: "group", "aria-label": t("Go to change") },
      button(t("Previous change"), "chevron-up", -1),
      this.words,
      button(t("Next change"), "chevron-down", 1),
    );
    this.keys = (event) => this.keyPressed(event);
    document.addEventListener("keydown", this.keys, { capture: true });
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    const step = { j: 1, k: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.("input:not([type=checkbox]), textarea, select, dialog")) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(step);
  }

  /** @param {number} step @param {{fromStart?: boolean}} [how] */
  go(step, { fromStart = false } = {}) {
    const all = this.rows.inOrder;
    if (!all.length) return;
    const place = all.findIndex((one) => one.index === this.current);
    this.show(all, fromStart ? 0 : (Math.max(place, step < 0 ? 0 : -1) + step + all.length) % all.length);
  }

  /** @param {{index: number} | undefined} operation */
  goTo(operation) {
    const all = this.rows.inOrder;
    const place = all.findIndex((one) => one.index === operation?.index);
    if (place >= 0) this.show(all, place);
  }

  /** @param {any[]} all @param {number} place */
  show(all, place) {
    const tr = this.rows.reach(all[place]);
    if (!tr) return;
    this.current = all[place].index;
    this.place = place;
    const first = [...tr.cells].findIndex((cell) => cell.matches(".is-changed, .is-conflict"));
    this.grid.cursor.put(tr, Math.max(0, first - 1));
    this.grid.table.focus({ preventScroll: true });
    this.draw(this.total);
  }

  /** @param {number} total */
  draw(total) {
    this.total = total;
    // Nothing is counted before it is known.
    this.words.textContent = !total ? "" : this.place < 0 ? t("{total} in all", { total }) : t("{place} of {total}", { place: this.place + 1, total });
  }

  end() {
    document.removeEventListener("keydown", this.keys, { capture: true });
  }
}
