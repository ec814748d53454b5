// Renders the operations of a data proposal in the grid: added rows at the top, changed and deleted ones in their positions.

import { drawRevealed, el, icon, remInPx } from "../../element.js";
import { t } from "../../locale.js";
import { drawProposed, drawRow, sameValue, setRoles, rowLabel, widthClass } from "../../tables/values.js";
import { applyWidths } from "../../tables/grid_head.js";

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
   *   owner: CellOwner, checked: (index: number, on: boolean) => void, onFetched: () => void, onRearranged: () => void}} how
   *   onFetched: more rows of the list were loaded; onRearranged: switched to or from the list of changes
   */
  constructor({ grid, proposal, owner, checked, onFetched, onRearranged }) {
    this.grid = grid;
    this.proposal = proposal;
    this.owner = owner;
    this.checked = checked;
    this.onFetched = onFetched;
    this.onRearranged = onRearranged;
    /** Operations in the list above the rows, shown in pages. @type {Operation[]} */
    this.above = [];
    this.first = 0;
    /** Rows of operations that the grid has not loaded. @type {Map<number, any>} */
    this.otherRows = new Map();
    /** Rows of the list, by operation. @type {Map<number, HTMLTableRowElement>} */
    this.listed = new Map();
    /** Visible stored rows, by operation. @type {Map<number, HTMLTableRowElement>} */
    this.rowsInPlace = new Map();
    /** Operations on stored rows, by row index if it is known. @type {Map<number, Operation>} */
    this.inPlace = new Map();
    /** The notes of an operation. */
    this.notesOf = notesFor([], this);
    /** Whether only changed rows are shown, as a list. */
    this.onlyChanges = false;
    this.drawnAsList = false;
    this.narrow = matchMedia("(max-width: 47.5rem)");
    this.onWidthChange = () => this.draw();
    this.narrow.addEventListener("change", this.onWidthChange);
  }

  nameOf = (/** @type {string | undefined} */ columnId) => this.grid.columns.find((column) => column.id === columnId)?.name ?? "";

  indexOf = (/** @type {number} */ rowId) => this.grid.store.indexOf(rowId);

  /** Redraw; called after the grid has drawn its rows, and after each preview. */
  draw() {
    const { operations } = this.proposal.operations;
    const { grid } = this;
    const asList = this.onlyChanges || this.narrow.matches;
    this.notesOf = notesFor(operations, this);
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
    const lines = this.currentPage.flatMap((operation) => this.drawAbove(operation));
    const after = above.length - this.first - STEP;
    if (this.first) lines.unshift(this.pageButton(t("Show the {count} before", { count: STEP }), -1));
    if (after > 0) lines.push(this.pageButton(t("Show {more} more of {count}", { more: Math.min(STEP, after), count: after }), 1));
    for (const line of lines) setRoles(line);
    grid.proposedBody.replaceChildren(...lines);
    grid.proposedBody.hidden = lines.length === 0;
    grid.rowsBody.hidden = asList;
    this.markColumns(operations);
    this.setNoteSpace();
    grid.window.draw({ refill: true });
    grid.cursor.follow();
    this.readOtherRows();
    if (asList === this.drawnAsList) return;
    this.drawnAsList = asList;
    this.onRearranged();
  }

  /** Reserve space for the notes between rows, one line each. */
  setNoteSpace() {
    const noted = [...this.inPlace].filter(([, operation]) => this.notesOf(operation).length);
    const height = remInPx(NOTE_REM) + BORDER_PX;
    this.grid.window.setNoteSpace(new Map(noted.map(([index]) => [index, height])));
  }

  /** Called when the grid has scrolled to other rows. */
  decorateWindow() {
    const { grid } = this;
    for (const note of grid.rowsBody.querySelectorAll(":scope > tr.opnote")) note.remove();
    this.rowsInPlace.clear();
    for (const [index, tr] of grid.window.byIndex) {
      const operation = this.inPlace.get(index) ?? this.byRow?.get(tr.dataset.row ?? "");
      if (!operation || !tr.dataset.row) continue;
      if (tr.dataset.index !== String(operation.index)) this.decorate(tr, operation, grid.store.at(index)?.data ?? {});
      this.rowsInPlace.set(operation.index, tr);
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
    setRoles(note);
    tr.after(note);
  }

  /** @param {Operation[]} operations  proposed values, and old ones beside them, need wider columns */
  markColumns(operations) {
    const touched = new Set(operations.filter((one) => one.action === "update").flatMap((one) => Object.keys(one.new)));
    const samples = [...this.grid.store.rows.slice(0, SAMPLES).map((row) => row.data), ...operations.slice(0, SAMPLES).map((one) => one.new)];
    for (const column of this.grid.columns) {
      const col = this.grid.table.querySelector(`col[data-col="${column.id}"]`);
      if (col) col.className = touched.has(column.id) ? `${widthClass(column, samples)} is-touched` : widthClass(column, samples);
    }
    applyWidths(this.grid);
  }

  /** @param {Operation} operation @returns {HTMLTableRowElement[]} */
  drawAbove(operation) {
    const { columns } = this.grid;
    const data = operation.action === "add" ? operation.new : { ...this.dataOf(operation), ...operation.old };
    const tr = drawRow(columns, { id: `op-${operation.index}`, data }, { number: "", label: "" });
    this.decorate(tr, operation, data);
    this.listed.set(operation.index, tr);
    const note = this.drawNote(operation);
    return note ? [tr, note] : [tr];
  }

  /** @param {number} id @returns {string} label of a row without values, by its position */
  positionText(id) {
    const index = this.grid.store.indexOf(id);
    return index < 0 ? t("empty row") : t("row {number}", { number: String(index + 1) });
  }

  /** @param {Operation} operation @returns {Record<string, any>} the stored row, as far as it is known */
  dataOf(operation) {
    const id = operation.row_id ?? 0;
    return (this.grid.store.get(id) ?? this.otherRows.get(id))?.data ?? {};
  }

  /**
   * @param {HTMLTableRowElement} tr @param {Operation} operation
   * @param {Record<string, any>} data  of the row
   */
  decorate(tr, operation, data) {
    const { columns } = this.grid;
    const on = this.proposal.operations.checked.has(operation.index);
    const label = rowLabel(columns, data, operation.row_id ? this.positionText(operation.row_id) : t("new row"));
    tr.dataset.op = operation.action;
    tr.dataset.index = String(operation.index);
    tr.removeAttribute("aria-selected");
    tr.classList.remove("is-selected");
    tr.classList.toggle("is-off", !on);
    tr.classList.toggle("is-bad", operation.state === "error");
    this.grid.owners.set(tr, this.owner);
    tr.cells[0].replaceChildren(this.drawGutter(operation, label, on));
    columns.forEach((column, index) => {
      const cell = tr.cells[index + 1];
      cell.dataset.label = column.name;
      if (operation.action === "add") cell.firstElementChild?.replaceChildren(drawProposed(column, operation.new[column.id]));
      cell.classList.toggle("is-cast", operation.notes.some((note) => note.code === "cast" && note.column === column.id));
      if (operation.action === "update" && column.id in operation.new) this.decorateCell(cell, column, operation);
    });
  }

  /** @param {Operation} operation @param {string} label @param {boolean} on */
  drawGutter(operation, label, on) {
    const check = el("input", {
      class: "check", type: "checkbox", tabindex: "-1", checked: on, disabled: !this.canCheck(operation),
      "aria-label": CHECKS[operation.action](label),
      on: { change: (event) => this.checked(operation.index, event.target.checked) },
    });
    const result = el("span", { class: "gutter__result" }, icon("loader-circle", "spin"));
    const sign = icon(STATE_SIGNS[operation.state] ?? SIGNS[operation.action], "icon--14");
    return el("div", { class: "gutter__inner" }, check, result, el("span", { class: "gutter__icon" }, sign));
  }

  /** @param {Operation} operation */
  canCheck(operation) {
    return operation.state !== "error" && !operation.notes.some((note) => note.code === "row_missing");
  }

  /**
   * @param {HTMLTableCellElement} cell @param {Column} column
   * @param {Operation} operation
   */
  decorateCell(cell, column, operation) {
    const [was, now] = [operation.old[column.id], operation.new[column.id]];
    const conflict = operation.state === "conflict" && operation.notes.some((note) => note.column === column.id);
    if (!conflict && sameValue(was, now)) return;
    const before = el("del", { class: "was" }, drawProposed(column, was));
    const after = el("ins", {}, drawProposed(column, now));
    cell.classList.add(conflict ? "is-conflict" : "is-changed");
    const middle = conflict ? [before, after, icon("triangle-alert", "icon--14")] : [before, icon("arrow-right", "icon--12 to"), after];
    cell.replaceChildren(el("span", { class: "val" }, ...middle));
  }

  /** @param {Operation} operation @returns {HTMLTableRowElement | null} */
  drawNote(operation) {
    const checked = this.proposal.operations.checked.has(operation.index);
    return drawNote(operation, { words: this.notesOf(operation), columns: this.grid.columns.length, checked });
  }

  /** @returns {Operation[]} operations of the current page of the list */
  get currentPage() {
    return this.above.slice(this.first, this.first + STEP);
  }

  /** @param {string} words @param {1 | -1} step */
  pageButton(words, step) {
    const button = el("button", { class: "btn btn--sm", type: "button", text: words, on: { click: () => this.turnPage(step) } });
    return el("tr", { class: "opnote" }, el("td", { colspan: String(this.grid.columns.length + 2) }, el("div", { class: "opnote__inner" }, button)));
  }

  /** @param {1 | -1} step  show the next or previous page; the cursor moves to its nearest end */
  turnPage(step) {
    const next = this.above[step > 0 ? this.first + STEP : this.first - 1];
    const tr = next && this.revealOperation(next);
    if (!tr) return;
    this.grid.cursor.put(tr, 0);
    this.grid.table.focus({ preventScroll: true });
  }

  /** @param {number} index @param {boolean} on  only updates classes and checkboxes */
  mark(index, on) {
    for (const tr of [this.listed.get(index), this.rowsInPlace.get(index)]) {
      if (!tr) continue;
      tr.classList.toggle("is-off", !on);
      if (tr.nextElementSibling?.classList.contains("opnote")) tr.nextElementSibling.classList.toggle("is-off", !on);
      const check = tr.querySelector(".check");
      if (check) check.checked = on;
    }
  }

  /** @returns {Operation[]} in the order of rendering: the list, then operations in their positions */
  get inOrder() {
    return [...this.above, ...[...this.inPlace].sort(([one], [other]) => one - other).map(([, operation]) => operation)];
  }

  /** @param {Operation} operation @returns {HTMLTableRowElement | undefined} its row, scrolled into view */
  revealOperation(operation) {
    const index = [...this.inPlace].find(([, one]) => one.index === operation.index)?.[0];
    if (index !== undefined) return this.grid.window.reveal(index, { center: true });
    const at = this.above.findIndex((one) => one.index === operation.index);
    if (at >= 0 && !this.listed.has(operation.index)) {
      this.first = Math.floor(at / STEP) * STEP;
      this.draw();
    }
    const tr = this.listed.get(operation.index);
    tr?.scrollIntoView({ block: "center", behavior: "instant" });
    return tr;
  }

  /** Load rows that the grid has not loaded. */
  async readOtherRows() {
    const ids = this.currentPage.map((operation) => operation.row_id).filter((id) => id && !this.otherRows.has(id) && !this.grid.store.get(id));
    if (!ids.length) return;
    for (const id of ids) this.otherRows.set(id, null);
    const found = await this.grid.reading.readRows(ids).catch(() => null);
    // Failed reads are retried with the next draw.
    if (!found) for (const id of ids) this.otherRows.delete(id);
    for (const row of found ?? []) this.otherRows.set(row.id, row);
    if (found?.length) this.onFetched();
  }

  /** Remove everything from the grid. */
  end() {
    this.grid.proposedBody.replaceChildren();
    this.grid.proposedBody.hidden = true;
    this.narrow.removeEventListener("change", this.onWidthChange);
    this.grid.rowsBody.hidden = false;
    for (const note of this.grid.table.querySelectorAll("tr.opnote")) note.remove();
    this.inPlace.clear();
    this.byRow = new Map();
    this.grid.window.setNoteSpace(new Map());
    this.grid.window.draw({ refill: true });
  }
}

const MAX_DELETE_REASONS = 3;
const NOTE_SIGNS = { error: "circle-x", conflict: "triangle-alert", warning: "triangle-alert" };

/**
 * Return the notes of a row. Reasons of deletions are shown at the rows if they differ, else in the bar. Casts are shown in the cells.
 * @param {Operation[]} operations  all of the proposal
 * @param {{nameOf: (columnId?: string) => string, indexOf: (rowId: number) => number}} grid  column names, and row indexes (-1 if unknown)
 * @returns {(operation: Operation) => string[]} the notes of an operation, usually none
 */
export function notesFor(operations, grid) {
  const deletes = operations.filter(({ action }) => action === "delete");
  const showsReasons = deletes.length <= MAX_DELETE_REASONS || new Set(deletes.map(({ reason }) => reason ?? "")).size > 1;
  return ({ action, reason, notes }) => {
    const words = notes.filter((note) => note.code !== "cast").map((note) => noteText(note, grid));
    return action === "delete" && reason && showsReasons ? [reason, ...words] : words;
  };
}

/** Replace server messages that contain row ids, which users do not see. @param {any} note @param {any} grid @returns {string} */
function noteText({ code, detail, column, value }, { nameOf, indexOf }) {
  const name = nameOf(column);
  if (code === "cell_changed" && name) return t("{column} was changed since.", { column: name });
  if (code === "row_changed") return t("This row was changed since.");
  if (code === "row_missing" || code === "unknown_row") return t("This row no longer exists.");
  if (code !== "double") return detail;
  if (value === undefined) return t("Same as another row of this proposal.");
  const index = indexOf(value);
  return index < 0 ? t("Same as an existing row.") : t("Same as row {number}.", { number: index + 1 });
}

/**
 * @param {Operation} operation @param {{words: string[], columns: number, checked: boolean}} how  columns: number of columns of the grid
 * @returns {HTMLTableRowElement | null} null if there are no notes
 */
function drawNote({ action, state }, { words, columns, checked }) {
  if (!words.length) return null;
  const inside = el("div", { class: "opnote__inner" }, icon(NOTE_SIGNS[state] ?? "info", "icon--14"), el("span", {}, drawRevealed(words.join(" · "))));
  const note = { class: checked ? "opnote" : "opnote is-off", title: words.join(" · "), dataset: { op: action, state } };
  return el("tr", note, el("td", { colspan: String(columns + 2) }, inside));
}
