// Draws the operations of a data proposal into the grid: added rows on top, changed and deleted ones where they stand.

import { el, icon } from "../../element.js";
import { drawRevealed } from "../../revealed.js";
import { drawProposed, drawRow, widthClass } from "../../tables/cells.js";
import { rowLabel } from "../../tables/values.js";

const STEP = 200;
const SAMPLES = 50;
const SIGNS = { add: "plus", update: "pencil", delete: "minus" };
const VERBS = { add: "Add", update: "Update", delete: "Delete" };
const STATE_SIGNS = { conflict: "triangle-alert", error: "circle-x" };

export class ProposedRows {
  /**
   * @param {{grid: TableGrid, proposal: Proposal,
   *   owner: CellOwner, checked: (index: number, on: boolean) => void}} how
   */
  constructor({ grid, proposal, owner, checked }) {
    this.grid = grid;
    this.proposal = proposal;
    this.owner = owner;
    this.checked = checked;
    this.shown = STEP;
    /** Rows that operations are about and that are not on the pages read so far. @type {Map<number, any>} */
    this.elsewhere = new Map();
    /** @type {Map<number, HTMLTableRowElement>} */
    this.byIndex = new Map();
  }

  /** Draws everything anew; called after the grid has drawn its rows, and after each preview. */
  draw() {
    const { operations } = this.proposal.operations;
    this.byIndex.clear();
    for (const note of this.grid.table.querySelectorAll("tr.opnote")) note.remove();
    const loaded = new Map([...this.grid.rowsBody.rows].map((tr) => [tr.dataset.row, tr]));
    for (const tr of [...loaded.values()].filter((one) => one.dataset.op)) this.undress(tr, loaded);
    const above = operations.filter((operation) => operation.action === "add" || !loaded.has(String(operation.row_id)));
    const lines = above.slice(0, this.shown).flatMap((operation) => this.drawAbove(operation));
    if (above.length > this.shown) lines.push(this.drawMore(above.length - this.shown));
    this.grid.proposedBody.replaceChildren(...lines);
    this.grid.proposedBody.hidden = lines.length === 0;
    for (const operation of operations) {
      const tr = operation.action === "add" ? undefined : loaded.get(String(operation.row_id));
      if (tr) this.dressLoaded(tr, operation);
    }
    this.markColumns(operations);
    this.readElsewhere(above);
  }

  /** @param {Operation[]} operations  columns need room for what is proposed, and for old beside new */
  markColumns(operations) {
    const touched = new Set(operations.filter((one) => one.action === "update").flatMap((one) => Object.keys(one.new)));
    const samples = [...this.grid.store.rows.slice(0, SAMPLES).map((row) => row.data), ...operations.slice(0, SAMPLES).map((one) => one.new)];
    for (const column of this.grid.columns) {
      const col = this.grid.table.querySelector(`col[data-col="${column.id}"]`);
      if (col) col.className = touched.has(column.id) ? `${widthClass(column, samples)} is-touched` : widthClass(column, samples);
    }
  }

  /** @param {HTMLTableRowElement} tr @param {Map<string | undefined, HTMLTableRowElement>} loaded  back to the saved row */
  undress(tr, loaded) {
    const row = this.grid.store.get(tr.dataset.row ?? "");
    if (!row) return;
    const number = this.grid.store.offset + this.grid.store.indexOf(row.id) + 1;
    const plain = drawRow(this.grid.columns, row, { number, label: rowLabel(this.grid.columns, row.data, `row ${number}`) });
    this.grid.selection.dress(plain);
    tr.replaceWith(plain);
    loaded.set(tr.dataset.row, plain);
  }

  /** @param {Operation} operation @returns {HTMLTableRowElement[]} */
  drawAbove(operation) {
    const { columns } = this.grid;
    const known = this.elsewhere.get(operation.row_id ?? 0)?.data ?? {};
    const data = operation.action === "add" ? operation.new : { ...known, ...operation.old };
    const key = operation.action === "add" ? `op-${operation.index}` : String(operation.row_id);
    const tr = drawRow(columns, { id: key, data }, { number: "", label: "" });
    this.dress(tr, operation, data);
    const note = this.drawNote(operation);
    return note ? [tr, note] : [tr];
  }

  /** @param {HTMLTableRowElement} tr @param {Operation} operation */
  dressLoaded(tr, operation) {
    const data = this.grid.store.get(tr.dataset.row ?? "")?.data ?? {};
    this.dress(tr, operation, data);
    const note = this.drawNote(operation);
    if (note) tr.after(note);
  }

  /**
   * @param {HTMLTableRowElement} tr @param {Operation} operation
   * @param {Record<string, any>} data  the row as it is
   */
  dress(tr, operation, data) {
    const { columns } = this.grid;
    const on = this.proposal.operations.checked.has(operation.index);
    const label = rowLabel(columns, data, operation.row_id ? `row ${operation.row_id}` : "new row");
    tr.dataset.op = operation.action;
    tr.dataset.index = String(operation.index);
    tr.removeAttribute("aria-selected");
    tr.classList.remove("is-selected");
    tr.classList.toggle("is-off", !on);
    tr.classList.toggle("is-bad", operation.state === "error");
    this.grid.owners.set(tr, this.owner);
    this.byIndex.set(operation.index, tr);
    tr.cells[0].replaceChildren(this.drawGutter(operation, label, on));
    columns.forEach((column, place) => {
      const cell = tr.cells[place + 1];
      cell.dataset.label = column.name;
      if (operation.action === "add") cell.firstElementChild?.replaceChildren(drawProposed(column, operation.new[column.id]));
      cell.classList.toggle("is-cast", operation.notes.some((note) => note.code === "cast" && note.column === column.id));
      if (operation.action === "update" && column.id in operation.new) this.dressCell(cell, column, operation);
    });
  }

  /** @param {Operation} operation @param {string} label @param {boolean} on */
  drawGutter(operation, label, on) {
    const check = el("input", {
      class: "check", type: "checkbox", tabindex: "-1", checked: on, disabled: !this.canCheck(operation),
      "aria-label": `${VERBS[operation.action]} ${label}`,
      on: { change: (event) => this.checked(operation.index, event.target.checked) },
    });
    const result = el("span", { class: "gutter__res" }, icon("loader-circle", "spin"));
    const sign = icon(STATE_SIGNS[operation.state] ?? SIGNS[operation.action], "icon--14");
    return el("div", { class: "gutter__in" }, check, result, el("span", { class: "gutter__op" }, sign));
  }

  /** @param {Operation} operation */
  canCheck(operation) {
    return operation.state !== "error" && !operation.notes.some((note) => note.code === "row_missing");
  }

  /**
   * @param {HTMLTableCellElement} cell @param {Column} column
   * @param {Operation} operation
   */
  dressCell(cell, column, operation) {
    const was = el("del", { class: "was" }, drawProposed(column, operation.old[column.id]));
    const will = el("ins", {}, drawProposed(column, operation.new[column.id]));
    const conflict = operation.state === "conflict" && operation.notes.some((note) => note.column === column.id);
    cell.classList.add(conflict ? "is-conflict" : "is-changed");
    const middle = conflict ? [was, will, icon("triangle-alert", "icon--14")] : [was, icon("arrow-right", "icon--12 to"), will];
    cell.replaceChildren(el("span", { class: "val" }, ...middle));
  }

  /**
   * A line under the row for what must be seen: errors, conflicts, warnings, and why a row is to go. What was merely read
   * as another form of the same value is told at its cell.
   * @param {Operation} operation @returns {HTMLTableRowElement | null}
   */
  drawNote(operation) {
    const words = operation.notes.filter((note) => note.code !== "cast").map((note) => note.detail);
    if (operation.action === "delete" && this.showsReasons && operation.reason) words.unshift(operation.reason);
    if (!words.length) return null;
    const symbol = { error: "circle-x", conflict: "triangle-alert", warning: "triangle-alert" }[operation.state] ?? "info";
    const inside = el("div", { class: "opnote__in" }, icon(symbol, "icon--14"), el("span", {}, drawRevealed(words.join(" · "))));
    const td = el("td", { colspan: String(this.grid.columns.length + 2) }, inside);
    const off = !this.proposal.operations.checked.has(operation.index);
    return el("tr", { class: off ? "opnote is-off" : "opnote", dataset: { op: operation.action, state: operation.state } }, td);
  }

  /** Reasons stand on their rows where they differ; one for all of them stands in the bar. */
  get showsReasons() {
    const deletes = this.proposal.operations.operations.filter((operation) => operation.action === "delete");
    return new Set(deletes.map((operation) => operation.reason ?? "")).size > 1 || deletes.length < 4;
  }

  /** @param {number} count */
  drawMore(count) {
    const show = () => {
      this.shown += STEP;
      this.draw();
    };
    const button = el("button", { class: "btn btn--sm", type: "button", text: `Show ${Math.min(STEP, count)} more of ${count}`, on: { click: show } });
    return el("tr", { class: "opnote" }, el("td", { colspan: String(this.grid.columns.length + 2) }, el("div", { class: "opnote__in" }, button)));
  }

  /** @param {number} index @param {boolean} on  only the look; nothing is drawn anew */
  mark(index, on) {
    const tr = this.byIndex.get(index);
    if (!tr) return;
    tr.classList.toggle("is-off", !on);
    if (tr.nextElementSibling?.classList.contains("opnote")) tr.nextElementSibling.classList.toggle("is-off", !on);
    const check = tr.querySelector(".check");
    if (check) check.checked = on;
  }

  /** @param {Operation[]} above  fetches the rest of rows that are far down */
  async readElsewhere(above) {
    const ids = above.slice(0, this.shown).map((operation) => operation.row_id).filter((id) => id && !this.elsewhere.has(id));
    if (!ids.length) return;
    for (const id of ids) this.elsewhere.set(id, null);
    const found = await this.grid.reading.readRows(ids);
    for (const row of found) this.elsewhere.set(row.id, row);
    if (found.length && !this.proposal.over) this.draw();
  }

  /** Takes everything out of the grid again. */
  end() {
    this.grid.proposedBody.replaceChildren();
    this.grid.proposedBody.hidden = true;
    for (const note of this.grid.table.querySelectorAll("tr.opnote")) note.remove();
    const loaded = new Map();
    for (const tr of [...this.grid.rowsBody.rows]) if (tr.dataset.op) this.undress(tr, loaded);
  }
}
