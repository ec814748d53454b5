// A preview of a new table while it is streamed, column by column.

import { drawRevealed, el, icon } from "../../element.js";
import { t, tn } from "../../locale.js";
import { columnType } from "../../tables/column_types/registry.js";

export class IncomingTable {
  /** @param {HTMLElement} container */
  constructor(container) {
    this.container = container;
    this.columns = [];
    this.name = el("h2", { hidden: true });
    this.status = el("p", { class: "newtable__note", role: "status" });
    this.line = el("tr");
    const table = el("table", { class: "grid grid--preview" }, el("thead", {}, this.line));
    const head = el("header", { class: "newtable__head" }, el("div", { class: "row" }, el("span", { class: "tag tag--add" }, icon("plus", "icon--12"), t("Proposed table"))), this.name, this.status);
    const section = el("section", { class: "newtable", "aria-label": t("Incoming table"), "aria-busy": "true" }, head, el("div", { class: "grid-scroll" }, table));
    container.replaceChildren(el("div", { class: "page page--new" }, section));
    this.draw();
  }

  /** @param {{operations: any[], texts?: Record<string, string>, reset?: boolean}} event  as written by the assistant */
  update({ operations, texts, reset }) {
    if (reset) this.columns = [];
    const name = texts?.table_name?.trim() ?? "";
    if (reset || name) this.name.replaceChildren(drawRevealed(name));
    this.name.hidden = this.name.textContent === "";
    for (const { column } of operations ?? []) if (column?.name) this.columns.push(column);
    this.draw();
  }

  draw() {
    this.status.replaceChildren(icon("loader-circle", "spin icon--14"), this.columns.length ? tn("{count} column so far", "{count} columns so far", this.columns.length) : t("Preparing columns"));
    const headings = this.columns.map((column) => {
      const label = el("span", { class: "l1" }, icon(columnType(column).icon, "icon--14"), el("span", {}, drawRevealed(column.name)));
      return el("th", { scope: "col" }, el("span", { class: "col col--two" }, label, el("small", { text: columnType(column).label })));
    });
    this.line.replaceChildren(...headings);
  }
}
