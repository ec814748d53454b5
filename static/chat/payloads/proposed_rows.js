// Draws the operations of a data proposal into the grid: added rows on top, changed and deleted ones where they stand.

import { el, icon, remInPx } from "../../element.js";
import { t } from "../../locale.js";
import { drawProposed, drawRow, giveRoles, rowLabel, widthClass } from "../../tables/values.js";
import { layColumns } from "../../tables/grid_head.js";
import { drawNote, wordsFor } from "./previous_values.js";

const STEP = 200;
const SAMPLES = 50;
const NOTE_REM = 1.75;
const BORDER_PX = 1;
const SIGNS = { add: "plus", update: "pencil", delete: "minus" };
const CHECKS = {
  add: (/** @type {string} */ row) => t("Add {row}", { row }),
  update: (/** @type {string} */ row) => t("Update {row}", { row }),
  delete: (/** @type {string} */ row) => t("Delete {row}", { row }),
};
const STATE_SIGNS = { conflict: "triangle-alert", error: "circle-x" };

export class ProposedRows {
  /**
   * @param {{grid: TableGrid, proposal: Proposal,
   *   owner: CellOwner, checked: (index: number, on: boolean) => void, fetched: () => void, rearranged: () => void}} how
   *   fetched: more is known of rows that are drawn above; rearranged: changes are drawn as a list, or no longer
   */
  constructor({ grid, proposal, owner, checked, fetched, rearranged }) {
    this.grid = grid;
    this.proposal = proposal;
    this.owner = owner;
    this.checked = checked;
    this.fetched = fetched;
    this.rearranged = rearranged;
    /** Operations that are drawn above, in their order; of many, a part at a time. @type {Operation[]} */
    this.above = [];
    this.first = 0;
    /** Rows that operations are about and that are not on the pages read so far. @type {Map<number, any>} */
    this.elsewhere = new Map();
    /** Rows of the list above, by their operation. @type {Map<number, HTMLTableRowElement>} */
    this.listed = new Map();
    /** Saved rows in sight, by their operation. @type {Map<number, HTMLTableRowElement>} */
    this.standing = new Map();
    /** Operations on saved rows whose place was known, by it. @type {Map<number, Operation>} */
    this.inPlace = new Map();
    /** What is said about each of them in a line of its own. */
    this.wordsOf = wordsFor([], this);
    /** Only the touched rows are shown, as a list. */
    this.onlyChanges = false;
    this.drawnAsList = false;
    this.narrow = matchMedia("(max-width: 47.5rem)");
    this.turned = () => this.draw();
    this.narrow.addEventListener("change", this.turned);
  }

  nameOf = (/** @type {string | undefined} */ columnId) => this.grid.columns.find((column) => column.id === columnId)?.name ?? "";

  placeOf = (/** @type {number} */ rowId) => this.grid.store.indexOf(rowId);

  /** Draws everything anew; called after the grid has drawn its rows, and after each preview. */
  draw() {
    const { operations } = this.proposal.operations;
    const { grid } = this;
    const asList = this.onlyChanges || this.narrow.matches;
    this.wordsOf = wordsFor(operations, this);
    this.listed.clear();
    this.inPlace.clear();
    for (const operation of operations) {
      const index = asList || operation.action === "add" ? -1 : grid.store.indexOf(operation.row_id ?? 0);
      if (index >= 0) this.inPlace.set(index, operation);
    }
    const placed = new Set(this.inPlace.values());
    const above = operations.filter((operation) => !placed.has(operation));
    this.byRow = new Map(above.filter((one) => one.action !== "add").map((one) => [String(one.row_id), one]));
    this.above = above;
    this.first = Math.min(this.first, Math.floor(Math.max(0, above.length - 1) / STEP) * STEP);
    const lines = this.inPart.flatMap((operation) => this.drawAbove(operation));
    const after = above.length - this.first - STEP;
    if (this.first) lines.unshift(this.drawTurn(t("Show the {count} before", { count: STEP }), -1));
    if (after > 0) lines.push(this.drawTurn(t("Show {more} more of {count}", { more: Math.min(STEP, after), count: after }), 1));
    for (const line of lines) giveRoles(line);
    grid.proposedBody.replaceChildren(...lines);
    grid.proposedBody.hidden = lines.length === 0;
    grid.rowsBody.hidden = asList;
    this.markColumns(operations);
    this.makeRoom();
    grid.window.draw({ anew: true });
    grid.cursor.follow();
    this.readElsewhere();
    if (asList === this.drawnAsList) return;
    this.drawnAsList = asList;
    this.rearranged();
  }

  /** What is said about a row in the midst of the others takes one line. */
  makeRoom() {
    const noted = [...this.inPlace].filter(([, operation]) => this.wordsOf(operation).length);
    const height = remInPx(NOTE_REM) + BORDER_PX;
    this.grid.window.makeRoom(new Map(noted.map(([index]) => [index, height])));
  }

  /** The grid shows other rows than before. */
  dressWindow() {
    const { grid } = this;
    for (const note of grid.rowsBody.querySelectorAll(":scope > tr.opnote")) note.remove();
    this.standing.clear();
    for (const [index, tr] of grid.window.byIndex) {
      const operation = this.inPlace.get(index) ?? this.byRow?.get(tr.dataset.row ?? "");
      if (!operation || !tr.dataset.row) continue;
      if (tr.dataset.index !== String(operation.index)) this.dress(tr, operation, grid.store.at(index)?.data ?? {});
      this.standing.set(operation.index, tr);
      if (this.inPlace.has(index)) this.putNote(tr, operation, index);
    }
  }

  /** @param {HTMLTableRowElement} tr @param {Operation} operation @param {number} index */
  putNote(tr, operation, index) {
    const note = this.drawNote(operation);
    if (!note) return;
    const { geometry } = this.grid.window;
    note.dataset.under = String(index);
    note.style.top = `${geometry.topOf(index) + geometry.rowHeight}px`;
    giveRoles(note);
    tr.after(note);
  }

  /** @param {Operation[]} operations  columns need room for what is proposed, and for old beside new */
  markColumns(operations) {
    const touched = new Set(operations.filter((one) => one.action === "update").flatMap((one) => Object.keys(one.new)));
    const samples = [...this.grid.store.rows.slice(0, SAMPLES).map((row) => row.data), ...operations.slice(0, SAMPLES).map((one) => one.new)];
    for (const column of this.grid.columns) {
      const col = this.grid.table.querySelector(`col[data-col="${column.id}"]`);
      if (col) col.className = touched.has(column.id) ? `${widthClass(column, samples)} is-touched` : widthClass(column, samples);
    }
    layColumns(this.grid);
  }

  /** @param {Operation} operation @returns {HTMLTableRowElement[]} */
  drawAbove(operation) {
    const { columns } = this.grid;
    const data = operation.action === "add" ? operation.new : { ...this.dataOf(operation), ...operation.old };
    const tr = drawRow(columns, { id: `op-${operation.index}`, data }, { number: "", label: "" });
    this.dress(tr, operation, data);
    this.listed.set(operation.index, tr);
    const note = this.drawNote(operation);
    return note ? [tr, note] : [tr];
  }

  /** @param {number} id @returns {string} where a row without values stands; its id would tell nobody which one it is */
  placeWords(id) {
    const place = this.grid.store.indexOf(id);
    return place < 0 ? t("row without values") : t("row {number}", { number: String(place + 1) });
  }

  /** @param {Operation} operation @returns {Record<string, any>} the saved row it is about, as far as it is known */
  dataOf(operation) {
    const id = operation.row_id ?? 0;
    return (this.grid.store.get(id) ?? this.elsewhere.get(id))?.data ?? {};
  }

  /**
   * @param {HTMLTableRowElement} tr @param {Operation} operation
   * @param {Record<string, any>} data  the row as it is
   */
  dress(tr, operation, data) {
    const { columns } = this.grid;
    const on = this.proposal.operations.checked.has(operation.index);
    const label = rowLabel(columns, data, operation.row_id ? this.placeWords(operation.row_id) : t("new row"));
    tr.dataset.op = operation.action;
    tr.dataset.index = String(operation.index);
    tr.removeAttribute("aria-selected");
    tr.classList.remove("is-selected");
    tr.classList.toggle("is-off", !on);
    tr.classList.toggle("is-bad", operation.state === "error");
    this.grid.owners.set(tr, this.owner);
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
      "aria-label": CHECKS[operation.action](label),
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

  /** @param {Operation} operation @returns {HTMLTableRowElement | null} */
  drawNote(operation) {
    const checked = this.proposal.operations.checked.has(operation.index);
    return drawNote(operation, { words: this.wordsOf(operation), columns: this.grid.columns.length, checked });
  }

  /** @returns {Operation[]} those of them that are drawn now */
  get inPart() {
    return this.above.slice(this.first, this.first + STEP);
  }

  /** @param {string} words @param {1 | -1} step */
  drawTurn(words, step) {
    const button = el("button", { class: "btn btn--sm", type: "button", text: words, on: { click: () => this.turn(step) } });
    return el("tr", { class: "opnote" }, el("td", { colspan: String(this.grid.columns.length + 2) }, el("div", { class: "opnote__in" }, button)));
  }

  /** @param {1 | -1} step  the part behind or before; the cursor goes on from where this one ends */
  turn(step) {
    const next = this.above[step > 0 ? this.first + STEP : this.first - 1];
    const tr = next && this.reach(next);
    if (!tr) return;
    this.grid.cursor.put(tr, 0);
    this.grid.table.focus({ preventScroll: true });
  }

  /** @param {number} index @param {boolean} on  only the look; nothing is drawn anew */
  mark(index, on) {
    for (const tr of [this.listed.get(index), this.standing.get(index)]) {
      if (!tr) continue;
      tr.classList.toggle("is-off", !on);
      if (tr.nextElementSibling?.classList.contains("opnote")) tr.nextElementSibling.classList.toggle("is-off", !on);
      const check = tr.querySelector(".check");
      if (check) check.checked = on;
    }
  }

  /** @returns {Operation[]} from top to bottom as they are drawn: those above, then those where their rows stand */
  get inOrder() {
    return [...this.above, ...[...this.inPlace].sort(([one], [other]) => one - other).map(([, operation]) => operation)];
  }

  /** @param {Operation} operation @returns {HTMLTableRowElement | undefined} its row, scrolled into sight */
  reach(operation) {
    const place = [...this.inPlace].find(([, one]) => one.index === operation.index)?.[0];
    if (place !== undefined) return this.grid.window.reveal(place, { center: true });
    const at = this.above.findIndex((one) => one.index === operation.index);
    if (at >= 0 && !this.listed.has(operation.index)) {
      this.first = Math.floor(at / STEP) * STEP;
      this.draw();
    }
    const tr = this.listed.get(operation.index);
    tr?.scrollIntoView({ block: "center", behavior: "instant" });
    return tr;
  }

  /** Fetches the rest of rows that are far down. */
  async readElsewhere() {
    const ids = this.inPart.map((operation) => operation.row_id).filter((id) => id && !this.elsewhere.has(id) && !this.grid.store.get(id));
    if (!ids.length) return;
    for (const id of ids) this.elsewhere.set(id, null);
    const found = await this.grid.reading.readRows(ids).catch(() => null);
    // What could not be read is asked for again when it is drawn the next time.
    if (!found) for (const id of ids) this.elsewhere.delete(id);
    for (const row of found ?? []) this.elsewhere.set(row.id, row);
    if (found?.length) this.fetched();
  }

  /** Takes everything out of the grid again. */
  end() {
    this.grid.proposedBody.replaceChildren();
    this.grid.proposedBody.hidden = true;
    this.narrow.removeEventListener("change", this.turned);
    this.grid.rowsBody.hidden = false;
    for (const note of this.grid.table.querySelectorAll("tr.opnote")) note.remove();
    this.inPlace.clear();
    this.byRow = new Map();
    this.grid.window.makeRoom(new Map());
    this.grid.window.draw({ anew: true });
  }
}
