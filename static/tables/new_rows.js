// New rows that are not saved yet: a row is written once its required cells are filled and something stands in it.

import { ApiError, newId } from "../api.js";
import { t } from "../locale.js";
import { el, icon, load, toast } from "../element.js";
import { MIN_ROWS } from "./grid_geometry.js";
import { drawRow, giveRoles, isEmpty, markCell, redrawCell, sameValue } from "./values.js";

/**
 * @typedef {object} Draft
 * @property {Record<string, any>} data
 * @property {boolean} sending
 * @property {Set<string>} [created]  ids of columns whose value becomes an option
 * @property {{once: string, data: Record<string, any>, created: boolean} | null} asked  what was sent last, until it is known what came of it:
 *   it is sent again as it was, so that the row is added once
 * @property {RowPlace} [place]  where the row goes, if not to the end
 * @property {HTMLElement | null} note  what is said about a try that failed
 * @property {Map<string, string>} [reasons]  why values did not fit, by column, until they are changed
 * @property {boolean} [changed]  whether something was typed into it
 * @property {boolean} [blank]  whether nothing was written into it so far: it is only on the screen
 */

export class GridDrafts {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.next = 1;
    this.createsOptions = true;
    /** @type {Map<string, Draft>} */
    this.drafts = new Map();
    /** Before each edit of a new row. @type {import("./undo_redo.js").DraftEdit[]} */
    this.edits = [];
    this.button = grid.querySelector("[data-add-row]");
    this.allow();
    this.button.addEventListener("click", () => this.start());
    addEventListener("online", () => this.sendAgain());
  }

  /** Whether rows can be added now. */
  allow() {
    const { mayEdit, columns, review } = this.grid;
    this.button.disabled = !mayEdit || columns.length === 0 || review !== null;
    this.blanks?.lay();
  }

  /** Fills a short table up with blank rows. */
  fillUp() {
    const { grid } = this;
    if (this.blanks) this.blanks.lay();
    else if (grid.mayEdit && grid.store.standing < MIN_ROWS) {
      this.loading ??= load(() => import("./blank_rows.js")).then(
        ({ BlankRows }) => (this.blanks = new BlankRows(grid)),
        () => {}, // Rows can still be added with the button.
      ).then(() => {
        delete grid.dataset.room;
        grid.showCounts();
      });
    }
  }

  /** @returns {HTMLTableRowElement[]} */
  get blankRows() {
    return [...this.grid.draftsBody.querySelectorAll(":scope > .is-blank")];
  }

  /** Opens an empty row, with the defaults of its columns, and starts in its first cell. @param {RowPlace} [place] */
  start(place) {
    if (this.grid.columns.length === 0) return;
    this.revealRequired();
    this.open({ ...this.fresh(), place });
    this.grid.cursor.edit();
  }

  revealRequired() {
    this.grid.look.reveal((column) => column.required && isEmpty(column.default), t("A new row needs it."));
  }

  /** @returns {Draft} */
  fresh() {
    const defaults = this.grid.allColumns.filter((column) => !isEmpty(column.default)).map((column) => [column.id, column.default]);
    return { data: Object.fromEntries(defaults), sending: false, asked: null, note: null };
  }

  /** @param {Draft} draft @returns {string} its key */
  keep(draft) {
    const key = `new-${this.next++}`;
    this.drafts.set(key, draft);
    return key;
  }

  /** @param {Draft} draft  becomes the last row but the blank ones, with the cursor in its first cell */
  open(draft) {
    this.grid.cursor.put(this.insert(draft), 0);
    this.grid.table.focus({ preventScroll: true });
  }

  /** @param {Draft} draft  becomes the last row but the blank ones @returns {HTMLTableRowElement} */
  insert(draft) {
    const body = this.grid.draftsBody;
    const tr = this.draw(this.keep(draft));
    body.hidden = false;
    body.insertBefore(tr, this.blankRows[0] ?? null);
    this.markWanted(tr);
    this.grid.showCounts();
    return tr;
  }

  /** @param {string} key @returns {HTMLTableRowElement} */
  draw(key) {
    const { data = {}, blank } = this.drafts.get(key) ?? {};
    const tr = drawRow(this.grid.columns, { id: key, data: blank ? {} : data }, { number: "+", label: t("new row") });
    tr.classList.add(blank ? "is-blank" : "is-draft");
    giveRoles(tr);
    tr.querySelector(".check")?.remove();
    const discard = { click: () => this.discard(tr) };
    tr.cells[0].append(el("button", { class: "gutter__open", type: "button", tabindex: "-1", "aria-label": t("Discard this new row"), title: t("Discard this new row (Esc)"), on: discard }, icon("x", "icon--14")));
    this.grid.owners.set(tr, this);
    return tr;
  }

  /** Whether something was typed into a new row that is not saved yet. */
  get hold() {
    return [...this.grid.draftsBody.rows].some((tr) => this.has(tr) && !this.isUntouched(tr));
  }

  /** @param {HTMLTableRowElement} tr @returns {boolean} whether nothing stands in it but what every new row begins with */
  isUntouched(tr) {
    const data = this.drafts.get(tr.dataset.row ?? "")?.data ?? {};
    return this.grid.allColumns.every((column) => sameValue(data[column.id] ?? null, isEmpty(column.default) ? null : column.default));
  }

  /** @param {HTMLTableRowElement} tr @returns {boolean} whether it is new, and not saved or blank */
  has(tr) {
    const draft = this.drafts.get(tr.dataset.row ?? "");
    return draft !== undefined && !draft.blank;
  }

  /** @param {HTMLTableRowElement} tr  a new row that is not wanted after all; what was typed into it can be had back @returns {boolean} whether it could be */
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
    if (!grid.cursor.goTo({ row: grid.places.filled - 1, col: grid.cursor.col })) grid.cursor.follow();
    grid.table.focus({ preventScroll: true });
    // Of one that may have been saved, the rows tell.
    if (draft.asked) grid.reload();
    else if (!untouched) toast(t("The new row was discarded"), { action: { label: t("Undo"), run: () => this.open(draft) } });
    return true;
  }

  /** The columns may be others now. */
  redraw() {
    for (const tr of [...this.grid.draftsBody.rows]) {
      if (!this.drafts.has(tr.dataset.row ?? "")) continue;
      if (this.grid.editor.isIn(tr)) {
        this.grid.editor.whenClosed("drafts", () => this.redraw());
        continue;
      }
      const fresh = this.draw(tr.dataset.row ?? "");
      tr.replaceWith(fresh);
      this.markWanted(fresh);
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

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {any} value @param {boolean} [created]  it becomes an option when the row is saved */
  write(tr, column, value, created) {
    const draft = this.drafts.get(tr.dataset.row ?? "");
    if (!draft) return;
    if (draft.blank) tr = this.blanks.begin(tr);
    const { failures, past } = this.grid.writer;
    this.edits.push({ draft, before: { ...draft, data: { ...draft.data }, created: new Set(draft.created), reasons: new Map(draft.reasons) }, after: past.stack.nextUndo ?? 0, failures });
    draft.data[column.id] = value;
    draft.changed = true;
    draft.reasons?.delete(column.id);
    draft.created ??= new Set();
    if (created) draft.created.add(column.id);
    else draft.created.delete(column.id);
    const cell = tr.querySelector(`td[data-col="${column.id}"]`);
    if (cell) redrawCell(cell, column, value);
    this.markWanted(tr);
    past.showButtons();
    if (!draft.sending && this.isComplete(draft.data)) this.send(tr.dataset.row ?? "", draft);
  }

  /** @param {number} change @returns {import("./undo_redo.js").DraftEdit | undefined} the last edit of a new row that can be undone, if it came after this change */
  lastEdit(change) {
    const open = [...this.drafts.values()].filter(({ sending, asked }) => !sending && !asked);
    return this.edits.findLast(({ draft, after }) => after >= change && open.includes(draft));
  }

  /** @param {Record<string, any>} data */
  isComplete(data) {
    const columns = this.grid.allColumns;
    const filled = columns.some((column) => !isEmpty(data[column.id]));
    return filled && columns.every((column) => !column.required || !isEmpty(data[column.id]));
  }

  /** @param {HTMLTableRowElement} tr  shows which cells are still wanted */
  markWanted(tr) {
    if (!this.has(tr)) return;
    const { reasons } = this.drafts.get(tr.dataset.row ?? "") ?? {};
    for (const column of this.grid.columns) {
      const wanted = column.required && isEmpty(this.value(tr, column));
      const cell = tr.querySelector(`td[data-col="${column.id}"]`);
      cell?.classList.toggle("is-wanted", Boolean(wanted));
      if (cell && reasons) markCell(cell, reasons.get(column.id));
    }
  }

  /** @param {string} key @param {Draft} draft */
  send(key, draft) {
    const again = draft.asked !== null;
    const { once, data, created } = (draft.asked ??= { once: newId(), data: { ...draft.data }, created: Boolean(draft.created?.size) });
    const { allColumns } = this.grid;
    const filled = Object.fromEntries(Object.entries(data).filter(([id, value]) => !isEmpty(value) && allColumns.some((column) => column.id === id)));
    draft.sending = true;
    draft.note?.remove();
    this.grid.writer.inTurn(async () => {
      try {
        const row = await this.grid.writer.addRow(filled, once, { created, place: draft.place });
        // It may have been drawn anew meanwhile.
        this.becomeRow(this.grid.rowElement(key), row, { key, sent: data });
        // It stands among the others: at its place, or since a first try.
        if (again || created || draft.place) this.grid.reload();
      } catch (error) {
        draft.sending = false;
        if (isRefusal(error)) draft.asked = null;
        const corrected = again && !draft.asked && this.grid.columns.some((column) => !sameValue(draft.data[column.id], data[column.id]));
        if (corrected && this.isComplete(draft.data)) return this.send(key, draft);
        const reason = error.errors?.[0]?.detail ?? error.message;
        const words = draft.asked ? t("The row may be saved or not. {reason} Retry saves it once.", { reason }) : t("The row was not saved. {reason}", { reason });
        draft.note = toast(words, { kind: "error", action: { label: t("Retry"), run: () => this.retry(key) } });
        throw error;
      }
    });
  }

  /** @param {string} key */
  retry(key) {
    const draft = this.drafts.get(key);
    if (draft && !draft.sending) this.send(key, draft);
  }

  /** Back in reach of the server: what it may never have heard of is sent again. */
  sendAgain() {
    for (const [key, { asked }] of this.drafts) if (asked) this.retry(key);
  }

  /**
   * The draft is a row of the table from now on. It stays where it is until rows are read again, so that nobody who
   * is already typing in its next cell is disturbed.
   * @param {HTMLTableRowElement | undefined} tr @param {any} row @param {{key: string, sent: Record<string, any>}} how
   */
  becomeRow(tr, row, { key, sent }) {
    const { grid } = this;
    const { data: later = {}, created } = this.drafts.get(key) ?? {};
    this.drafts.delete(key);
    if (!tr) return void grid.reload();
    grid.owners.delete(tr);
    if (grid.cursor.rowKey === key) grid.cursor.rowKey = String(row.id);
    tr.dataset.row = String(row.id);
    tr.classList.remove("is-draft");
    tr.querySelector(".gutter__open")?.remove();
    grid.store.know({ id: row.id, version: row.version, data: row.data });
    grid.filters.total += 1;
    tr.querySelector(".gutter__n").textContent = String(grid.store.standing);
    for (const column of grid.columns) {
      if (!sameValue(later[column.id], sent[column.id])) grid.writer.write(tr, column, later[column.id] ?? null, created?.has(column.id));
      else grid.writer.show(String(row.id), column, row.data[column.id]);
    }
    grid.showCounts();
    grid.dispatchEvent(new CustomEvent("row-written", { detail: { id: row.id } }));
  }

  /** Rows were drawn anew: what was saved meanwhile stands among them now. */
  clearSaved() {
    for (const tr of [...this.grid.draftsBody.rows]) if (!this.drafts.has(tr.dataset.row ?? "")) tr.remove();
    this.grid.draftsBody.hidden = this.grid.draftsBody.rows.length === 0;
  }
}

/** @param {any} error @returns {boolean} whether the server has said no: whatever else happened, the row may be there */
function isRefusal(error) {
  return error instanceof ApiError && error.status < 500 && error.code !== "in_progress";
}
