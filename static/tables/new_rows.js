// Unsaved new rows: a row is saved when its required cells are filled and it has at least one value.

import { ApiError, newId } from "../api.js";
import { t } from "../locale.js";
import { el, icon, toast } from "../element.js";
import { MIN_ROWS } from "./grid_geometry.js";
import { drawRow, setRoles, isEmpty, markCell, redrawCell, sameValue } from "./values.js";

/**
 * @typedef {object} Draft
 * @property {Record<string, any>} data
 * @property {boolean} sending
 * @property {Set<string>} [created]  ids of columns whose value is a new option
 * @property {{idempotencyKey: string, data: Record<string, any>, created: boolean} | null} request  the last request without a response;
 *   it is repeated unchanged, so that the row is added once
 * @property {RowPosition} [position]  default is the end
 * @property {HTMLElement | null} note  the toast about a failed request
 * @property {Map<string, string>} [reasons]  error messages by column, until the values are changed
 * @property {boolean} [changed]  whether a value was typed
 * @property {boolean} [blank]  whether it is one of the blank rows, which are not stored
 */

export class GridDrafts {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.next = 1;
    this.createsOptions = true;
    /** @type {Map<string, Draft>} */
    this.drafts = new Map();
    /** States before each edit. @type {import("./undo_redo.js").DraftEdit[]} */
    this.edits = [];
    this.button = grid.querySelector("[data-add-row]");
    this.updateEnabled();
    this.button.addEventListener("click", () => this.start());
    addEventListener("online", () => this.resend());
  }

  /** Update whether rows can be added. */
  updateEnabled() {
    const { mayEdit, columns, review } = this.grid;
    this.button.disabled = !mayEdit || columns.length === 0 || review !== null;
    this.blankRowList?.update();
  }

  /** Fill a short table with blank rows. */
  updateBlankRows() {
    const { grid } = this;
    if (this.blankRowList) this.blankRowList.update();
    else if (grid.mayEdit && grid.store.displayedCount < MIN_ROWS) {
      this.blankRowList = new BlankRows(grid);
      this.blankRowList.update();
      delete grid.dataset.room;
    }
  }

  /** @returns {HTMLTableRowElement[]} */
  get blankRows() {
    return [...this.grid.draftsBody.querySelectorAll(":scope > .is-blank")];
  }

  /** Add an unsaved row with the defaults and edit its first cell. @param {RowPosition} [position] */
  start(position) {
    if (this.grid.columns.length === 0) return;
    this.revealRequired();
    this.open({ ...this.newDraft(), position });
    this.grid.cursor.edit();
  }

  revealRequired() {
    this.grid.viewSettings.reveal((column) => column.required && isEmpty(column.default), t("New rows require it."));
  }

  /** @returns {Draft} */
  newDraft() {
    const defaults = this.grid.allColumns.filter((column) => !isEmpty(column.default)).map((column) => [column.id, column.default]);
    return { data: Object.fromEntries(defaults), sending: false, request: null, note: null };
  }

  /** @param {Draft} draft @returns {string} its key */
  register(draft) {
    const key = `new-${this.next++}`;
    this.drafts.set(key, draft);
    return key;
  }

  /** @param {Draft} draft  inserted before the blank rows, with the cursor in its first cell */
  open(draft) {
    this.grid.cursor.put(this.insert(draft), 0);
    this.grid.table.focus({ preventScroll: true });
  }

  /** @param {Draft} draft  inserted before the blank rows @returns {HTMLTableRowElement} */
  insert(draft) {
    const body = this.grid.draftsBody;
    const tr = this.draw(this.register(draft));
    body.hidden = false;
    body.insertBefore(tr, this.blankRows[0] ?? null);
    this.markRequired(tr);
    this.grid.showCounts();
    return tr;
  }

  /** @param {string} key @returns {HTMLTableRowElement} */
  draw(key) {
    const { data = {}, blank } = this.drafts.get(key) ?? {};
    const tr = drawRow(this.grid.columns, { id: key, data: blank ? {} : data }, { number: "+", label: t("new row") });
    tr.classList.add(blank ? "is-blank" : "is-draft");
    setRoles(tr);
    tr.querySelector(".check")?.remove();
    const discard = { click: () => this.discard(tr) };
    tr.cells[0].append(el("button", { class: "gutter__open", type: "button", tabindex: "-1", "aria-label": t("Discard this new row"), title: t("Discard this new row (Esc)"), on: discard }, icon("x", "icon--14")));
    this.grid.owners.set(tr, this);
    return tr;
  }

  /** Whether an unsaved row has typed values. */
  get hasUnsaved() {
    return [...this.grid.draftsBody.rows].some((tr) => this.has(tr) && !this.isUntouched(tr));
  }

  /** @param {HTMLTableRowElement} tr @returns {boolean} whether it only has default values */
  isUntouched(tr) {
    const data = this.drafts.get(tr.dataset.row ?? "")?.data ?? {};
    return this.grid.allColumns.every((column) => sameValue(data[column.id] ?? null, isEmpty(column.default) ? null : column.default));
  }

  /** @param {HTMLTableRowElement} tr @returns {boolean} whether it is an unsaved row and not blank */
  has(tr) {
    const draft = this.drafts.get(tr.dataset.row ?? "");
    return draft !== undefined && !draft.blank;
  }

  /** @param {HTMLTableRowElement} tr  an unsaved row, which can be restored @returns {boolean} whether it was discarded */
  discard(tr) {
    const { grid } = this;
    const key = tr.dataset.row ?? "";
    const draft = this.drafts.get(key);
    if (!draft || draft.blank || draft.sending) return false;
    const untouched = this.isUntouched(tr);
    draft.note?.remove();
    this.drafts.delete(key);
    tr.remove();
    grid.draftsBody.hidden = grid.draftsBody.rows.length === 0;
    grid.showCounts();
    if (!grid.cursor.goTo({ row: grid.rowRange.filled - 1, col: grid.cursor.col })) grid.cursor.follow();
    grid.table.focus({ preventScroll: true });
    // It may have been saved, which a reload will show.
    if (draft.request) grid.reload();
    else if (!untouched) toast(t("The new row was discarded"), { action: { label: t("Undo"), run: () => this.open(draft) } });
    return true;
  }

  /** Redraw after columns have changed. */
  redraw() {
    for (const tr of [...this.grid.draftsBody.rows]) {
      if (!this.drafts.has(tr.dataset.row ?? "")) continue;
      if (this.grid.editor.isIn(tr)) {
        this.grid.editor.whenClosed("drafts", () => this.redraw());
        continue;
      }
      const redrawn = this.draw(tr.dataset.row ?? "");
      tr.replaceWith(redrawn);
      this.markRequired(redrawn);
    }
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column */
  value(tr, column) {
    const draft = this.drafts.get(tr.dataset.row ?? "");
    return (draft?.blank ? null : draft?.data[column.id]) ?? null;
  }

  /** @param {HTMLTableRowElement} tr */
  editable(tr) {
    return this.grid.mayEdit && this.drafts.has(tr.dataset.row ?? "");
  }

  /**
   * @param {HTMLTableRowElement} tr
   * @param {Column} column @param {any} value @param {boolean} [created]  as a new option, when the row is saved
   */
  write(tr, column, value, created) {
    const draft = this.drafts.get(tr.dataset.row ?? "");
    if (!draft) return;
    if (draft.blank) tr = this.blankRowList.startRow(tr);
    const { failures, undoRedo } = this.grid.writer;
    this.edits.push({ draft, before: { ...draft, data: { ...draft.data }, created: new Set(draft.created), reasons: new Map(draft.reasons) }, after: undoRedo.stack.nextUndo ?? 0, failures });
    draft.data[column.id] = value;
    draft.changed = true;
    draft.reasons?.delete(column.id);
    draft.created ??= new Set();
    if (created) draft.created.add(column.id);
    else draft.created.delete(column.id);
    const cell = tr.querySelector(`td[data-col="${column.id}"]`);
    if (cell) redrawCell(cell, column, value);
    this.markRequired(tr);
    undoRedo.showButtons();
    if (!draft.sending && this.isComplete(draft.data)) this.send(tr.dataset.row ?? "", draft);
  }

  /**
   * @param {number} change
   * @returns {import("./undo_redo.js").DraftEdit | undefined} the last edit that can be undone, if it was made after this
   *   change
   */
  lastEdit(change) {
    const open = [...this.drafts.values()].filter(({ sending, request }) => !sending && !request);
    return this.edits.findLast(({ draft, after }) => after >= change && open.includes(draft));
  }

  /** @param {Record<string, any>} data */
  isComplete(data) {
    const columns = this.grid.allColumns;
    const filled = columns.some((column) => !isEmpty(data[column.id]));
    return filled && columns.every((column) => !column.required || !isEmpty(data[column.id]));
  }

  /** @param {HTMLTableRowElement} tr  marks its required empty cells */
  markRequired(tr) {
    if (!this.has(tr)) return;
    const { reasons } = this.drafts.get(tr.dataset.row ?? "") ?? {};
    for (const column of this.grid.columns) {
      const isMissing = column.required && isEmpty(this.value(tr, column));
      const cell = tr.querySelector(`td[data-col="${column.id}"]`);
      cell?.classList.toggle("is-required", Boolean(isMissing));
      if (cell && reasons) markCell(cell, reasons.get(column.id));
    }
  }

  /** @param {string} key @param {Draft} draft */
  send(key, draft) {
    const isRepeated = draft.request !== null;
    const { idempotencyKey, data, created } = (draft.request ??= { idempotencyKey: newId(), data: { ...draft.data }, created: Boolean(draft.created?.size) });
    const { allColumns } = this.grid;
    const filled = Object.fromEntries(Object.entries(data).filter(([id, value]) => !isEmpty(value) && allColumns.some((column) => column.id === id)));
    draft.sending = true;
    draft.note?.remove();
    this.grid.writer.enqueue(async () => {
      try {
        const row = await this.grid.writer.addRow(filled, idempotencyKey, { created, position: draft.position });
        // It may have been redrawn meanwhile.
        this.convertToRow(this.grid.rowElement(key), row, { key, sent: data });
        // The row is among the others: at its position, or since the first attempt.
        if (isRepeated || created || draft.position) this.grid.reload();
      } catch (error) {
        draft.sending = false;
        if (isRefusal(error)) draft.request = null;
        const corrected = isRepeated && !draft.request && this.grid.columns.some((column) => !sameValue(draft.data[column.id], data[column.id]));
        if (corrected && this.isComplete(draft.data)) return this.send(key, draft);
        const reason = error.errors?.[0]?.detail ?? error.message;
        const message = draft.request ? t("It is not clear whether the row was saved. {reason} Retrying saves it only once.", { reason }) : t("The row was not saved. {reason}", { reason });
        draft.note = toast(message, { kind: "error", action: { label: t("Retry"), run: () => this.retry(key) } });
        throw error;
      }
    });
  }

  /** @param {string} key */
  retry(key) {
    const draft = this.drafts.get(key);
    if (draft && !draft.sending) this.send(key, draft);
  }

  /** The server can be reached again: repeat requests without a response. */
  resend() {
    for (const [key, { request }] of this.drafts) if (request) this.retry(key);
  }

  /**
   * Convert a draft to a stored row. It is not moved until rows are read, so that typing in its next cell is not interrupted.
   * @param {HTMLTableRowElement | undefined} tr @param {any} row @param {{key: string, sent: Record<string, any>}} how
   */
  convertToRow(tr, row, { key, sent }) {
    const { grid } = this;
    const { data: current = {}, created } = this.drafts.get(key) ?? {};
    this.drafts.delete(key);
    if (!tr) return void grid.reload();
    grid.owners.delete(tr);
    if (grid.cursor.rowKey === key) grid.cursor.rowKey = String(row.id);
    tr.dataset.row = String(row.id);
    tr.classList.remove("is-draft");
    tr.querySelector(".gutter__open")?.remove();
    grid.store.addUnplaced({ id: row.id, version: row.version, data: row.data });
    grid.filters.total += 1;
    tr.querySelector(".gutter__number").textContent = String(grid.store.displayedCount);
    for (const column of grid.columns) {
      if (!sameValue(current[column.id], sent[column.id])) grid.writer.write(tr, column, current[column.id] ?? null, created?.has(column.id));
      else grid.writer.show(String(row.id), column, row.data[column.id]);
    }
    grid.showCounts();
    grid.dispatchEvent(new CustomEvent("row-written", { detail: { id: row.id } }));
  }

  /** After rows were drawn: remove drafts that are stored rows now. */
  clearSaved() {
    for (const tr of [...this.grid.draftsBody.rows]) if (!this.drafts.has(tr.dataset.row ?? "")) tr.remove();
    this.grid.draftsBody.hidden = this.grid.draftsBody.rows.length === 0;
  }
}

/** @param {any} error @returns {boolean} whether the server has refused the row; otherwise it may have been added */
function isRefusal(error) {
  return error instanceof ApiError && error.status < 500 && error.code !== "in_progress";
}

/** Blank rows below a short table. They are not stored until a cell is written; then the row becomes a new row. */
class BlankRows {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
  }

  /** @returns {number} number of blank rows to show: none if rows are hidden, filtered or sorted */
  get count() {
    const { mayEdit, columns, review, isNarrowed, view, store, draftsBody } = this.grid;
    if (!mayEdit || review || !columns.length || isNarrowed || view.search || view.filter || view.sort) return 0;
    return MIN_ROWS - store.displayedCount - draftsBody.querySelectorAll(":scope > .is-draft").length;
  }

  update() {
    const { grid, count: wanted } = this;
    const { cursor, draftsBody: body, drafts } = grid;
    const shown = drafts.blankRows;
    const surplus = shown.slice(Math.max(0, wanted)).filter((tr) => !grid.editor.isIn(tr));
    for (const tr of surplus) {
      drafts.drafts.delete(tr.dataset.row ?? "");
      tr.remove();
    }
    for (let count = shown.length; count < wanted; count += 1) body.append(drafts.draw(drafts.register({ ...drafts.newDraft(), blank: true })));
    body.hidden = body.rows.length === 0;
    const last = grid.rowRange.below.at(-1);
    if (last && surplus.some((tr) => tr.dataset.row === cursor.rowKey)) cursor.put(last, cursor.col, { scroll: false });
  }

  /** Turn a blank row into an unsaved new row; the blank rows above it are moved below it. @param {HTMLTableRowElement} tr */
  startRow(tr) {
    const { grid } = this;
    const { drafts } = grid;
    const key = tr.dataset.row ?? "";
    const draft = drafts.drafts.get(key);
    draft.blank = false;
    // Columns and defaults may have changed since it was drawn.
    draft.data = drafts.newDraft().data;
    drafts.revealRequired();
    // Revealed columns have redrawn the row.
    const row = grid.rowElement(key);
    row.classList.replace("is-blank", "is-draft");
    for (const column of grid.columns) {
      const cell = row.querySelector(`td[data-col="${column.id}"]`);
      if (!isEmpty(draft.data[column.id]) && !grid.editor.isIn(cell)) redrawCell(cell, column, draft.data[column.id]);
    }
    // The row itself is not moved, since a field in it would lose the focus.
    row.after(...drafts.blankRows.filter((one) => one.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING));
    grid.showCounts();
    return row;
  }
}
