// Rows whose values are right, as examples for the model: up to five, found by a search.

import { api } from "../../api.js";
import { drawRevealed, el, icon } from "../../element.js";
import { t, tn } from "../../locale.js";
import { rowLabel } from "../values.js";
import { rowsUrl } from "../view_state.js";
import { valuesText } from "./result_texts.js";

const MAX_EXAMPLES = 5;
const SHOWN = 8;
const TYPING_MS = 250;

export class ExampleRows {
  /**
   * @param {TableGrid} grid
   * @param {{chosen: number[], columns: () => Column[], changed: () => void}} how  chosen: ids of rows; columns: those to fill
   */
  constructor(grid, { chosen, columns, changed }) {
    this.grid = grid;
    this.columns = columns;
    this.changed = changed;
    this.ids = chosen.slice(0, MAX_EXAMPLES);
    /** Rows by id, as they were last read. @type {Map<number, Row>} */
    this.rows = new Map();
    this.reads = 0;
    this.count = el("span", { class: "fill__count" });
    this.search = el("input", { class: "input", type: "search", "aria-label": t("Search rows"), placeholder: t("Search rows"), on: {
      input: () => this.searchSoon(),
      keydown: (event) => event.key === "Enter" && event.preventDefault(),
    } });
    this.list = el("div", { class: "fill__examples", role: "group", "aria-label": t("Examples, at most {most}", { most: MAX_EXAMPLES }) });
    this.note = el("p", { class: "field__hint", role: "status" });
    this.element = el("details", { on: { toggle: () => this.element.open && void this.read() } },
      el("summary", { class: "fill__more" }, icon("chevron-right", "icon--14"), t("Show the model examples"), this.count),
      el("div", { class: "field" }, el("p", { class: "field__hint", text: t("Choose up to five rows whose values are right.") }), this.search, this.list, this.note));
    this.drawCount();
  }

  searchSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read(), TYPING_MS);
  }

  /** The columns to fill are others now. */
  columnsChanged() {
    if (this.element.open) void this.read();
  }

  /** Read the rows that have values in all of the columns, and the chosen ones. */
  async read() {
    const number = ++this.reads;
    const filter = JSON.stringify({ and: this.columns().map(({ id }) => ({ column: id, op: "not_empty" })) });
    const url = rowsUrl(this.grid.tableId, { search: this.search.value.trim(), sort: "", filter }, { offset: 0, limit: SHOWN });
    const missing = this.ids.filter((id) => !this.rows.has(id));
    try {
      const [{ rows }, chosen] = await Promise.all([api.get(url), missing.length ? this.grid.reading.readRows(missing) : []]);
      if (number !== this.reads) return;
      for (const row of [...chosen, ...rows]) this.rows.set(row.id, row);
      // Those that were deleted since.
      this.ids = this.ids.filter((id) => this.rows.has(id));
      this.draw([...new Set([...this.ids, ...rows.map(({ id }) => id)])]);
    } catch (error) {
      this.note.textContent = error.message;
    }
  }

  /** @param {number[]} ids */
  draw(ids) {
    this.list.replaceChildren(...ids.map((id) => this.drawRow(id)));
    const words = this.search.value.trim() ? t("No row matches.") : t("No row has values in these columns yet.");
    this.note.textContent = ids.length ? "" : words;
    this.limit();
  }

  /** @param {number} id */
  drawRow(id) {
    const data = this.rows.get(id)?.data ?? {};
    const box = el("input", { class: "check", type: "checkbox", value: String(id), checked: this.ids.includes(id), on: { change: () => this.toggle(id, box.checked) } });
    const name = rowLabel(this.grid.allColumns, data, t("row {number}", { number: id }));
    return el("label", { class: "fill__choice" }, box, el("span", {}, drawRevealed(name), " ", el("small", {}, drawRevealed(valuesText(this.columns(), data)))));
  }

  /** @param {number} id @param {boolean} isChosen */
  toggle(id, isChosen) {
    this.ids = isChosen ? [...this.ids, id] : this.ids.filter((one) => one !== id);
    this.limit();
    this.drawCount();
    this.changed();
  }

  limit() {
    const isFull = this.ids.length >= MAX_EXAMPLES;
    for (const box of this.list.querySelectorAll("input")) box.disabled = isFull && !box.checked;
  }

  drawCount() {
    this.count.textContent = this.ids.length ? tn("{count} row", "{count} rows", this.ids.length) : "";
  }
}
