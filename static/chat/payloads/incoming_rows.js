// A preview of a data proposal while it is streamed: counts in the bar, new rows at the top.

import { el, icon } from "../../element.js";
import { t, tn } from "../../locale.js";
import { drawRow } from "../../tables/values.js";

const MAX_ROWS = 100;
const KINDS = { add: ["is-add", "plus"], update: ["is-chg", "pencil"], delete: ["is-del", "minus"] };

export class IncomingRows {
  /** @param {TableGrid} grid @param {HTMLElement} slot */
  constructor(grid, slot) {
    grid.review?.end();
    this.grid = grid;
    this.slot = slot;
    this.title = el("h2", { text: t("Receiving changes") });
    this.progress = el("div", { class: "review__row review__row--progress" });
    const top = el("div", { class: "review__top" }, el("span", { class: "review__mark" }, icon("diff")), el("div", { class: "review__text" }, this.title, el("p", { text: t("You can apply them once all have arrived.") })));
    this.element = el("section", { class: "review", "aria-label": t("Incoming changes"), "aria-busy": "true" }, top, this.progress);
    slot.replaceChildren(this.element);
    grid.table.classList.add("is-reviewing");
    grid.scroller.classList.add("as-cards");
    this.start();
  }

  start() {
    this.counts = {};
    this.count = 0;
    this.grid.proposedBody.replaceChildren();
  }

  /** @param {{operations: any[], count: number, reset?: boolean}} event  operations as written by the assistant */
  update({ operations, count, reset }) {
    if (reset) this.start();
    for (const operation of operations ?? []) {
      this.counts[operation.action] = (this.counts[operation.action] ?? 0) + 1;
      if (operation.action === "add" && this.grid.proposedBody.rows.length < MAX_ROWS) this.drawAdd(operation);
    }
    this.count = count ?? this.count;
    const chips = Object.entries(KINDS)
      .filter(([action]) => this.counts[action])
      .map(([action, [tone, symbol]]) => el("span", { class: `opchip ${tone}` }, icon(symbol, "icon--12"), String(this.counts[action])));
    this.progress.replaceChildren(icon("loader-circle", "spin"), el("span", { class: "nowrap", text: tn("{count} change so far", "{count} changes so far", this.count) }), ...chips);
  }

  /** @param {any} operation */
  drawAdd(operation) {
    const key = (text) => text.normalize("NFKC").toLowerCase().trim();
    const written = new Map(Object.entries(operation.data ?? {}).map(([name, value]) => [key(name), value]));
    const data = Object.fromEntries(this.grid.columns.map((column) => [column.id, written.get(column.id) ?? written.get(key(column.name))]));
    const tr = drawRow(this.grid.columns, { id: "", data }, { number: "", label: "" });
    tr.removeAttribute("data-row");
    tr.dataset.op = "add";
    tr.classList.add("is-incoming");
    tr.setAttribute("aria-hidden", "true");
    tr.cells[0].replaceChildren(el("div", { class: "gutter__inner" }, el("span", { class: "gutter__icon" }, icon("plus", "icon--14"))));
    this.grid.columns.forEach((column, index) => (tr.cells[index + 1].dataset.label = column.name));
    this.grid.proposedBody.hidden = false;
    this.grid.proposedBody.append(tr);
  }

  end() {
    this.grid.proposedBody.replaceChildren();
    this.grid.proposedBody.hidden = true;
    this.grid.table.classList.remove("is-reviewing");
    this.grid.scroller.classList.remove("as-cards");
    if (this.slot.contains(this.element)) this.slot.replaceChildren();
  }
}
