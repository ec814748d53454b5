// Writes edits to the server, one request after the other, so that each knows the result of the previous one.

import { ApiError, api, newId } from "../api.js";
import { t, tn } from "../locale.js";
import { lazy, load, press, toast } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { markCell, redrawCell, sameValue } from "./values.js";
import { UndoRedo, PendingCells, SavingStatus } from "./pending_writes.js";

/** No response, or one from a proxy. */
const UNREACHABLE = new Set([0, 502, 503, 504]);
const INVALID = new Set([400, 422]);

/**
 * An edit of one cell that could not be saved.
 * @typedef {object} UnsavedEdit
 * @property {string} rowId @property {Column} column @property {any} value
 * @property {any} seen  the stored value that the user has seen
 * @property {boolean} created @property {string} idempotencyKey  of its request @property {string} reason
 * @property {"unreached" | "invalid" | "conflict" | "missing" | "other"} failure
 * @property {number} after  the last change of this tab when it first failed, 0 for none @property {number} number  counts failures
 */

/** @typedef {{words: string, change?: number | null, edit?: UnsavedEdit}} CellError  change: the one that has skipped the cell */

/** @param {Column} column @param {any} value @returns {boolean} */
const isUnknownPerson = ({ people }, value) => Boolean(people) && typeof value === "number" && !people?.some(({ id }) => id === value);

export class GridWriter {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.address = `/api/tables/${grid.tableId}`;
    this.status = new SavingStatus(document.querySelector("[data-saving]"));
    this.queue = Promise.resolve();
    /** Whether the last write succeeded. */
    this.succeeded = true;
    this.failures = 0;
    this.pending = new PendingCells();
    /** Errors and unsaved edits of cells, by row and column, until they are saved or discarded. @type {Map<string, CellError>} */
    this.cellErrors = new Map();
    /** The toast about unsaved edits. @type {HTMLElement | undefined} */
    this.toast = undefined;
    this.undoRedo = new UndoRedo(this);
    this.createsOptions = true;
    addEventListener("beforeunload", (event) => {
      if (this.status.running > 0 || this.unsaved.length || grid.drafts.hasUnsaved || grid.editor.hasUnsavedText) event.preventDefault();
    });
    grid.addEventListener("grid-reached", () => this.resend());
    // Load these before an error, when the server may not be reachable.
    grid.table?.addEventListener("focus", () => void Promise.all([this.loadRefusedCells(), load(() => import("./undo_redo.js"))]).catch(() => {}), { once: true });
  }

  /** @returns {UnsavedEdit[]} in the order in which they failed */
  get unsaved() {
    return [...this.cellErrors.values()].flatMap(({ edit }) => edit ?? []);
  }

  /** @param {string} rowId @param {string} columnId @returns {{value: any} | undefined} a value that is not stored */
  unsavedValue(rowId, columnId) {
    return this.pending.at(rowId, columnId) ?? this.cellErrors.get(`${rowId} ${columnId}`)?.edit;
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @returns {any} including unsaved edits */
  value(tr, column) {
    const rowId = tr.dataset.row ?? "";
    const unsaved = this.unsavedValue(rowId, column.id);
    return (unsaved ? unsaved.value : this.grid.store.get(rowId)?.data[column.id]) ?? null;
  }

  /** @param {HTMLTableRowElement} tr @param {Column & {proposed?: boolean}} column */
  editable(tr, column) {
    return this.grid.mayEdit && !column.proposed;
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {any} value @param {boolean} [created]  as a new option */
  write(tr, column, value, created) {
    const rowId = tr.dataset.row ?? "";
    this.writeCell(rowId, column, { value, seen: this.grid.store.get(rowId)?.data[column.id] ?? null, created });
  }

  /**
   * @param {string} rowId
   * @param {Column} column @param {{value: any, seen: any, created?: boolean, idempotencyKey?: string, after?: number}} write
   *   seen: the previous value; idempotencyKey, after: of a repeated request
   */
  writeCell(rowId, column, { value, seen, created = false, idempotencyKey = newId(), after }) {
    const unsaved = this.cellErrors.get(`${rowId} ${column.id}`)?.edit;
    // A cell with an unsaved edit does not show values that other users have stored since.
    const saved = unsaved ? unsaved.seen : seen;
    const pending = this.pending.at(rowId, column.id);
    // The server may have stored the value although its response was lost.
    const isUnsure = unsaved?.failure === "unreached";
    if (!isUnsure && sameValue(pending ? pending.value : saved, value)) return void this.discard(rowId, column);
    this.pending.start(rowId, column.id, { value, saved });
    this.forget(rowId, column.id);
    this.show(rowId, column, value);
    this.enqueue(() => this.patch({ rowId, column, value, created, idempotencyKey, after }));
  }

  /** Restore the stored value of a cell. @param {string} rowId @param {Column} column @returns {boolean} whether it had an unsaved edit */
  discard(rowId, column) {
    const edit = this.cellErrors.get(`${rowId} ${column.id}`)?.edit;
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

  /** Send the edits that have not reached the server, in their order. */
  resend() {
    for (const edit of this.unsaved) if (edit.failure === "unreached") this.retry(edit);
  }

  /** Run immediately, or when the parser of the column is loaded. @param {Column} column @param {() => void} run */
  whenReadable(column, run) {
    const { prepare } = columnType(column);
    const loading = prepare();
    if (!loading) return run();
    this.status.start();
    void lazy(t("The value cannot be saved yet."), () => loading.catch(prepare)).then(run).finally(() => this.status.end(true));
  }

  /** @param {() => Promise<void | "refused">} work  refused: nothing was written and nothing is unsaved */
  enqueue(work) {
    this.status.start();
    this.queue = this.queue.then(work).then(
      (outcome) => this.onEnd(!outcome, outcome),
      () => this.onEnd(false),
    );
    return this.queue;
  }

  /** @param {boolean} succeeded @param {void | "refused"} [outcome] */
  onEnd(succeeded, outcome) {
    this.succeeded = succeeded;
    if (outcome) this.status.message = "";
    this.status.end((succeeded || Boolean(outcome)) && !this.unsaved.length);
    this.grid.dispatchEvent(new CustomEvent("grid-written"));
    if (succeeded) this.resend();
  }

  /**
   * @param {{rowId: string, column: Column, value: any, created: boolean, idempotencyKey: string, after?: number}} write
   *   created: as a new option, in the same change
   */
  async patch(write) {
    const { rowId, column, value, created, idempotencyKey } = write;
    // The user has seen the result of the previous write.
    const seen = this.pending.at(rowId, column.id)?.saved ?? null;
    const body = { data: { [column.id]: value }, expected: { [column.id]: seen } };
    try {
      this.requireEditRight();
      const row = await api.patch(`${this.address}/rows/${rowId}/?keys=id&typecast=true${created ? "&create_options=true" : ""}`, body, { idempotencyKey });
      this.pending.end(rowId, column.id, { saved: row.data[column.id] ?? null });
      this.onSaved(row);
      this.undoRedo.record("made", row.change);
      this.grid.dispatchEvent(new CustomEvent("row-written", { detail: { id: row.id } }));
      if (created) await this.grid.reload();
    } catch (error) {
      this.pending.end(rowId, column.id);
      // The cell was written again meanwhile, so that only the later write counts.
      if (this.pending.at(rowId, column.id)) throw error;
      if (isSameValueConflict(error, value)) {
        this.show(rowId, column, value);
        this.grid.reload();
        return;
      }
      await this.onRefused({ ...write, seen }, error);
      throw error;
    }
  }

  /** Throw the error of the server if the user has lost the right to edit, without a request. */
  requireEditRight() {
    if (!this.grid.mayEdit) throw new ApiError(403, { error: "forbidden", detail: t("You can view this table, but no longer edit it.") });
  }

  /** @param {Row} row  as stored */
  onSaved(row) {
    const { columns, store } = this.grid;
    const before = store.get(row.id)?.data;
    store.update(row);
    const { data } = store.get(row.id) ?? row;
    press.whenReleased(() => this.showStored(String(row.id)));
    // A member who has joined since the columns were read.
    if (columns.some((column) => data[column.id] !== before?.[column.id] && isUnknownPerson(column, data[column.id]))) this.grid.reload();
    this.grid.dispatchEvent(new CustomEvent("grid-written"));
  }

  /** @param {Omit<UnsavedEdit, "reason" | "failure" | "after" | "number"> & {after?: number}} edit @param {any} error */
  async onRefused(edit, error) {
    const { rowId, column, value } = edit;
    const isRunning = error.code === "in_progress";
    const status = error instanceof ApiError && !isRunning ? error.status : 0;
    const conflict = status === 409 ? error.errors.find((one) => one.code === "cell_changed") : undefined;
    const detail = isRunning ? t("The first attempt is still running.") : (error.errors?.[0]?.detail ?? error.message).replace(`${column.name}: `, "");
    const bothValues = conflict && (await this.loadRefusedCells().then((cells) => cells.bothValues(column, value, conflict.value), () => ""));
    // The cell may have been written again meanwhile.
    if (this.pending.at(rowId, column.id)) return;
    const reason = bothValues || (status === 409 ? t("It was changed meanwhile.") : detail);
    const failure = conflict ? "conflict" : UNREACHABLE.has(status) ? "unreached" : INVALID.has(status) ? "invalid" : status === 404 ? "missing" : "other";
    // Written again after a conflict, it overwrites the value that was shown to the user.
    const seen = conflict ? conflict.value ?? null : edit.seen;
    // The server repeats a refusal for the same key.
    const idempotencyKey = failure === "unreached" ? edit.idempotencyKey : newId();
    this.cellErrors.set(`${rowId} ${column.id}`, { words: t("Not saved. {reason}", { reason }), edit: { ...edit, seen, idempotencyKey, reason, failure, after: edit.after ?? this.undoRedo.stack.nextUndo ?? 0, number: ++this.failures } });
    this.show(rowId, column, value);
    this.showUnsaved();
    // The column may have changed too.
    if (status === 409) this.grid.reload();
  }

  /** Show one toast about all unsaved edits. */
  showUnsaved() {
    const showBrief = () => {
      const { length } = this.unsaved;
      this.toast?.remove();
      const action = { label: t("Retry"), run: () => this.resend() };
      if (length) this.toast = toast(tn("{count} cell is not saved.", "{count} cells are not saved.", length), { kind: "error", action });
    };
    this.loadRefusedCells().then((cells) => cells.showUnsaved(), showBrief);
  }

  /** @param {string} rowId @param {string} columnId  the cell was saved, is written again, or restored */
  forget(rowId, columnId) {
    const key = `${rowId} ${columnId}`;
    const isUnsaved = Boolean(this.cellErrors.get(key)?.edit);
    this.cellErrors.delete(key);
    if (isUnsaved && this.toast?.isConnected) this.showUnsaved();
  }

  /** @param {string} rowId @param {Column} column @param {any} value  used if there is no unsaved edit */
  show(rowId, column, value) {
    const cell = this.grid.rowElement(rowId)?.querySelector(`td[data-col="${column.id}"]`);
    if (!cell || cell.classList.contains("is-editing") || cell.classList.contains("is-changed")) return;
    const unsaved = this.unsavedValue(rowId, column.id);
    const isPending = Boolean(this.pending.at(rowId, column.id));
    redrawCell(cell, column, unsaved ? unsaved.value : value);
    cell.classList.toggle("is-saving", isPending);
    markCell(cell, isPending ? undefined : this.cellErrors.get(`${rowId} ${column.id}`)?.words);
  }

  /** @param {string} rowId  a newly drawn row: show its unsaved edits */
  markRow(rowId) {
    const pending = new Set(this.pending.ofRow(rowId).map(({ columnId }) => columnId));
    if (!pending.size && !this.cellErrors.size) return;
    const row = this.grid.store.get(rowId);
    for (const column of this.grid.columns) if (pending.has(column.id) || this.cellErrors.has(`${rowId} ${column.id}`)) this.show(rowId, column, row?.data[column.id]);
  }

  /**
   * @param {Record<string, any>} data @param {string} [idempotencyKey]  the same key for the same row, which is added once
   * @param {{created?: boolean, position?: RowPosition, copiedFrom?: number[]}} [how]  created: with new options; position: default is
   *   the end; copiedFrom: ids of the rows that it repeats
   * @returns {Promise<any>} the new row; rejects if refused
   */
  async addRow(data, idempotencyKey, { created = false, position, copiedFrom } = {}) {
    this.requireEditRight();
    const address = `${this.address}/rows/?keys=id&typecast=true${created ? "&create_options=true" : ""}`;
    const answer = await api.post(address, position || copiedFrom ? { rows: [data], ...position, copied_from: copiedFrom } : data, { idempotencyKey });
    this.undoRedo.record("made", answer.change);
    return position ? answer.rows[0] : answer;
  }

  /** @returns {Promise<import("./refused_cells.js").RefusedCells>} loaded before the first edit if possible */
  loadRefusedCells() {
    this.refusedCells ??= load(() => import("./refused_cells.js")).then(({ RefusedCells }) => new RefusedCells(this.grid)).catch((error) => {
      this.refusedCells = undefined;
      throw error;
    });
    return this.refusedCells;
  }

  /** @param {{id: number}[]} rows  update those that are visible */
  showRows(rows) {
    const ids = new Set(rows.map((row) => String(row.id)));
    for (const tr of this.grid.window.slots.keys()) {
      const rowId = tr.dataset.row ?? "";
      if (ids.has(rowId)) this.showStored(rowId);
    }
  }

  /** @param {string} rowId  redrawing its cells during a pointer press would lose the click */
  showStored(rowId) {
    const row = this.grid.store.get(rowId);
    for (const column of this.grid.columns) this.show(rowId, column, row?.data[column.id]);
  }
}

/**
 * Whether a write was refused only because another user has stored the same value.
 * @param {any} error @param {any} value
 */
function isSameValueConflict(error, value) {
  if (!(error instanceof ApiError) || error.status !== 409 || error.errors.length !== 1) return false;
  return sameValue(error.errors[0].value ?? null, value ?? null);
}
