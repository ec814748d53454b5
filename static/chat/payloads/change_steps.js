// Previous and next change: the counter in the bar, and J and K.

import { el, icon } from "../../element.js";
import { t } from "../../locale.js";

export class ChangeSteps {
  /** @param {TableGrid} grid @param {{targets: (HTMLTableRowElement | number)[], targetOf: (operation: any) => any}}} rows */
  constructor(grid, rows) {
    this.grid = grid;
    this.rows = rows;
    this.place = -1;
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
    const { targets } = this.rows;
    if (!targets.length) return;
    this.place = fromStart ? 0 : (Math.max(this.place, step < 0 ? 0 : -1) + step + targets.length) % targets.length;
    this.show(targets[this.place]);
  }

  /** @param {{index: number} | undefined} operation */
  goTo(operation) {
    const target = operation && this.rows.targetOf(operation);
    if (target === undefined) return;
    this.place = this.rows.targets.indexOf(target);
    this.show(target);
  }

  /** @param {HTMLTableRowElement | number} target  a saved row is shown by its place */
  show(target) {
    const tr = typeof target === "number" ? this.grid.window.reveal(target, { center: true }) : target;
    if (!tr) return;
    const first = [...tr.cells].findIndex((cell) => cell.matches(".is-changed, .is-conflict"));
    this.grid.cursor.put(tr, Math.max(0, first - 1));
    if (tr === target) tr.scrollIntoView({ block: "center", behavior: "instant" });
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
