// Writes what was edited, at once: one request after the other, so that each knows what the one before it left.

import { ApiError, api, newId } from "../api.js";
import { t, tn } from "../locale.js";
import { load, toast } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { markCell, redrawCell, sameValue } from "./values.js";
import { OwnChangesPast, PendingCells, SavingStatus } from "./pending_writes.js";

/** Without an answer, or one of a proxy before the server. */
const UNREACHED = new Set([0, 502, 503, 504]);
const INVALID = new Set([400, 422]);

/**
 * An edit of one cell that could not be saved.
 * @typedef {object} UnsavedEdit
 * @property {string} rowId @property {Column} column @property {any} value
 * @property {any} seen  what the person knows to be stored there
 * @property {boolean} created @property {string} once  the key of its request @property {string} reason
 * @property {"unreached" | "invalid" | "conflict" | "missing" | "other"} failure
 * @property {number} after  the last change of this tab when it first failed; 0: none @property {number} number  counts failures
 */

/** @typedef {{words: string, change?: number | null, edit?: UnsavedEdit}} Complaint  change: the one that left the cell out */

export class GridWriter {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.address = `/api/tables/${grid.tableId}`;
    this.status = new SavingStatus(document.querySelector("[data-saving]"));
    this.queue = Promise.resolve();
    /** Whether what was done last went well. */
    this.well = true;
    this.failures = 0;
    this.pending = new PendingCells();
    /** Why cells could not be saved, by row and column, and the edits that were refused, until they are saved or discarded. @type {Map<string, Complaint>} */
    this.complaints = new Map();
    /** The toast about the edits that could not be saved. @type {HTMLElement | undefined} */
    this.note = undefined;
    this.past = new OwnChangesPast(this);
    this.createsOptions = true;
    addEventListener("beforeunload", (event) => {
      if (this.status.running > 0 || this.unsaved.length || grid.drafts.hold || grid.editor.holds) event.preventDefault();
    });
    grid.addEventListener("grid-reached", () => this.resend());
    // Once the server is out of reach, it could not be loaded any more.
    grid.table?.addEventListener("focus", () => void Promise.all([this.refusals(), load(() => import("./undo_redo.js"))]).catch(() => {}), { once: true });
  }

  /** @returns {UnsavedEdit[]} those that could not be saved, in the order in which they failed */
  get unsaved() {
    return [...this.complaints.values()].flatMap(({ edit }) => edit ?? []);
  }

  /** @param {string} rowId @param {string} columnId @returns {{value: any} | undefined} what was written there and is not stored */
  written(rowId, columnId) {
    return this.pending.at(rowId, columnId) ?? this.complaints.get(`${rowId} ${columnId}`)?.edit;
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @returns {any} what is not saved yet counts */
  value(tr, column) {
    const rowId = tr.dataset.row ?? "";
    const written = this.written(rowId, column.id);
    return (written ? written.value : this.grid.store.get(rowId)?.data[column.id]) ?? null;
  }

  /** @param {HTMLTableRowElement} tr @param {Column & {proposed?: boolean}} column */
  editable(tr, column) {
    return this.grid.mayEdit && !column.proposed;
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {any} value @param {boolean} [created]  it becomes an option */
  write(tr, column, value, created) {
    const rowId = tr.dataset.row ?? "";
    this.writeCell(rowId, column, { value, seen: this.grid.store.get(rowId)?.data[column.id] ?? null, created });
  }

  /** @param {string} rowId @param {Column} column @param {{value: any, seen: any, created?: boolean, once?: string, after?: number}} write  seen: what was there before; once, after: the same request again */
  writeCell(rowId, column, { value, seen, created = false, once = newId(), after }) {
    const unsaved = this.complaints.get(`${rowId} ${column.id}`)?.edit;
    // What others have stored since is not seen in a cell that shows what was typed.
    const saved = unsaved ? unsaved.seen : seen;
    const pending = this.pending.at(rowId, column.id);
    // The server may have stored what it was sent, although its answer was lost.
    const isUnsure = unsaved?.failure === "unreached";
    if (!isUnsure && sameValue(pending ? pending.value : saved, value)) return void this.discard(rowId, column);
    this.pending.begin(rowId, column.id, { value, saved });
    this.forget(rowId, column.id);
    this.show(rowId, column, value);
    this.inTurn(() => this.patch({ rowId, column, value, created, once, after }));
  }

  /** Gives a cell its stored value back. @param {string} rowId @param {Column} column @returns {boolean} whether it had one that was not saved */
  discard(rowId, column) {
    const edit = this.complaints.get(`${rowId} ${column.id}`)?.edit;
    if (edit) this.discardAll([edit]);
    return Boolean(edit);
  }

  /** @param {UnsavedEdit[]} edits */
  discardAll(edits) {
    for (const { rowId, column } of edits) {
      this.forget(rowId, column.id);
      this.show(rowId, column, this.grid.store.get(rowId)?.data[column.id]);
    }
    if (!this.unsaved.length) this.status.clear();
    this.grid.dispatchEvent(new CustomEvent("grid-written"));
    if (edits.some(({ failure }) => failure === "unreached")) this.grid.reload();
  }

  /** @param {UnsavedEdit} edit */
  retry({ rowId, column, ...edit }) {
    this.writeCell(rowId, this.grid.columns.find((one) => one.id === column.id) ?? column, edit);
  }

  /** Sends what has not reached the server, in the order in which it was written. */
  resend() {
    for (const edit of this.unsaved) if (edit.failure === "unreached") this.retry(edit);
  }

  /** Runs at once, or as soon as what reads the column's typed text is loaded. @param {Column} column @param {() => void} run */
  whenReadable(column, run) {
    const loading = columnType(column).prepare();
    if (!loading) return run();
    this.status.begin();
    void loading.then(run).finally(() => this.status.end(true));
  }

  /** @param {() => Promise<void | "refused">} work  refused: nothing was written, and nothing waits to be saved */
  inTurn(work) {
    this.status.begin();
    this.queue = this.queue.then(work).then(
      (outcome) => this.ended(!outcome, outcome),
      () => this.ended(false),
    );
    return this.queue;
  }

  /** @param {boolean} well @param {void | "refused"} [outcome] */
  ended(well, outcome) {
    this.well = well;
    if (outcome) this.status.word = "";
    this.status.end((well || Boolean(outcome)) && !this.unsaved.length);
    this.grid.dispatchEvent(new CustomEvent("grid-written"));
    if (well) this.resend();
  }

  /** @param {{rowId: string, column: Column, value: any, created: boolean, once: string, after?: number}} write  created: as an option, in the same change */
  async patch(write) {
    const { rowId, column, value, created, once } = write;
    // What the write before this one has left, if there was one: that is what the person saw.
    const seen = this.pending.at(rowId, column.id)?.saved ?? null;
    const body = { data: { [column.id]: value }, expected: { [column.id]: seen } };
    try {
      this.demandRight();
      const row = await api.patch(`${this.address}/rows/${rowId}/?keys=id&typecast=true${created ? "&create_options=true" : ""}`, body, { once });
      this.pending.end(rowId, column.id, { saved: row.data[column.id] ?? null });
      this.settled(row);
      this.past.record("made", row.change);
      this.grid.dispatchEvent(new CustomEvent("row-written", { detail: { id: row.id } }));
      if (created) await this.grid.reload();
    } catch (error) {
      this.pending.end(rowId, column.id);
      // Its cell has been given another value meanwhile: what becomes of that one is what counts.
      if (this.pending.at(rowId, column.id)) throw error;
      if (saysTheSame(error, value)) {
        this.show(rowId, column, value);
        this.grid.reload();
        return;
      }
      await this.refused({ ...write, seen }, error);
      throw error;
    }
  }

  /** What was begun while it was allowed is kept, to be tried again: the server would say the same. */
  demandRight() {
    if (!this.grid.mayEdit) throw new ApiError(403, { error: "forbidden", detail: t("You can read this table, but no longer change it.") });
  }

  /** @param {Row} row  what the server holds now */
  settled(row) {
    this.grid.store.renew(row);
    const { data } = this.grid.store.get(row.id) ?? row;
    for (const column of this.grid.columns) this.show(String(row.id), column, data[column.id]);
    this.grid.dispatchEvent(new CustomEvent("grid-written"));
  }

  /** @param {Omit<UnsavedEdit, "reason" | "failure" | "after" | "number"> & {after?: number}} edit @param {any} error */
  async refused(edit, error) {
    const { rowId, column, value } = edit;
    const isRunning = error.code === "in_progress";
    const status = error instanceof ApiError && !isRunning ? error.status : 0;
    const theirs = status === 409 ? error.errors.find((one) => one.code === "cell_changed") : undefined;
    const said = isRunning ? t("The first attempt is still running.") : (error.errors?.[0]?.detail ?? error.message).replace(`${column.name}: `, "");
    const both = theirs && (await this.refusals().then((cells) => cells.bothValues(column, value, theirs.value), () => ""));
    // It may have been given another value meanwhile.
    if (this.pending.at(rowId, column.id)) return;
    const reason = both || (status === 409 ? t("It was changed meanwhile.") : said);
    const failure = theirs ? "conflict" : UNREACHED.has(status) ? "unreached" : INVALID.has(status) ? "invalid" : status === 404 ? "missing" : "other";
    // Written once more after a conflict it goes over what the person was shown.
    const seen = theirs ? theirs.value ?? null : edit.seen;
    // The server repeats a refusal for the same key.
    const once = failure === "unreached" ? edit.once : newId();
    this.complaints.set(`${rowId} ${column.id}`, { words: t("Not saved. {reason}", { reason }), edit: { ...edit, seen, once, reason, failure, after: edit.after ?? this.past.stack.nextUndo ?? 0, number: ++this.failures } });
    this.show(rowId, column, value);
    this.tellUnsaved();
    // The column itself may be another one now, too.
    if (status === 409) this.grid.reload();
  }

  /** Shows one note about all edits that are not saved. */
  tellUnsaved() {
    const briefly = () => {
      const { length } = this.unsaved;
      this.note?.remove();
      const action = { label: t("Retry"), run: () => this.resend() };
      if (length) this.note = toast(tn("{count} cell is not saved.", "{count} cells are not saved.", length), { kind: "error", action });
    };
    this.refusals().then((cells) => cells.tellUnsaved(), briefly);
  }

  /** @param {string} rowId @param {string} columnId  it was saved, is written anew, or has its stored value again */
  forget(rowId, columnId) {
    const key = `${rowId} ${columnId}`;
    const isUnsaved = Boolean(this.complaints.get(key)?.edit);
    this.complaints.delete(key);
    if (isUnsaved && this.note?.isConnected) this.tellUnsaved();
  }

  /** @param {string} rowId @param {Column} column @param {any} value  where nothing else was written */
  show(rowId, column, value) {
    const cell = this.grid.rowElement(rowId)?.querySelector(`td[data-col="${column.id}"]`);
    if (!cell || cell.classList.contains("is-editing") || cell.classList.contains("is-changed")) return;
    const written = this.written(rowId, column.id);
    const isPending = Boolean(this.pending.at(rowId, column.id));
    redrawCell(cell, column, written ? written.value : value);
    cell.classList.toggle("is-saving", isPending);
    markCell(cell, isPending ? undefined : this.complaints.get(`${rowId} ${column.id}`)?.words);
  }

  /** @param {string} rowId  a row that was drawn as the server has it: what is not saved yet shows all the same */
  dress(rowId) {
    const pending = new Set(this.pending.ofRow(rowId).map(({ columnId }) => columnId));
    if (!pending.size && !this.complaints.size) return;
    const row = this.grid.store.get(rowId);
    for (const column of this.grid.columns) if (pending.has(column.id) || this.complaints.has(`${rowId} ${column.id}`)) this.show(rowId, column, row?.data[column.id]);
  }

  /**
   * @param {Record<string, any>} data @param {string} [once]  the same again for the same row: it is added once
   * @param {{created?: boolean, place?: RowPlace}} [how]  created: with values that become options; place: else at the end
   * @returns {Promise<any>} the new row; rejects when it is refused
   */
  async addRow(data, once, { created = false, place } = {}) {
    this.demandRight();
    const address = `${this.address}/rows/?keys=id&typecast=true${created ? "&create_options=true" : ""}`;
    const answer = await api.post(address, place ? { rows: [data], ...place } : data, { once });
    this.past.record("made", answer.change);
    return place ? answer.rows[0] : answer;
  }

  /** @returns {Promise<import("./refused_cells.js").RefusedCells>} loaded before the first edit, where the server can be reached */
  refusals() {
    this.refusedCells ??= load(() => import("./refused_cells.js")).then(({ RefusedCells }) => new RefusedCells(this.grid)).catch((error) => {
      this.refusedCells = undefined;
      throw error;
    });
    return this.refusedCells;
  }

  /** @param {{id: number}[]} rows  those of them that are in sight, as they are now */
  showRows(rows) {
    const ids = new Set(rows.map((row) => String(row.id)));
    for (const tr of this.grid.window.slots.keys()) {
      const rowId = tr.dataset.row ?? "";
      if (!ids.has(rowId)) continue;
      for (const column of this.grid.columns) this.show(rowId, column, this.grid.store.get(rowId)?.data[column.id]);
    }
  }
}

/**
 * Whether a write was refused only because somebody else had written the very same: then nobody has to be told.
 * @param {any} error @param {any} value
 */
function saysTheSame(error, value) {
  if (!(error instanceof ApiError) || error.status !== 409 || error.errors.length !== 1) return false;
  return sameValue(error.errors[0].value ?? null, value ?? null);
}
