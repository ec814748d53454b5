// Writes what was edited, at once: one request after the other, so that each knows what the one before it left.

import { ApiError, api } from "../api.js";
import { t } from "../locale.js";
import { load, toast } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { redrawCell, sameValue } from "./values.js";
import { OwnChangesPast, PendingCells, SavingStatus, bothValues } from "./written.js";

export class GridWriter {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.address = `/api/tables/${grid.tableId}`;
    this.status = new SavingStatus(document.querySelector("[data-saving]"));
    this.queue = Promise.resolve();
    /** Whether what was done last went well. */
    this.well = true;
    this.pending = new PendingCells();
    /** What is said about a cell that could not be saved, until it is. @type {Map<string, {remove: () => void}>} */
    this.complaints = new Map();
    this.past = new OwnChangesPast(this);
    this.createsOptions = true;
    addEventListener("beforeunload", (event) => {
      if (this.status.running > 0 || grid.drafts.hold || grid.editor.holds) event.preventDefault();
    });
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @returns {any} what is still being saved counts */
  value(tr, column) {
    const rowId = tr.dataset.row ?? "";
    const pending = this.pending.at(rowId, column.id);
    return (pending ? pending.value : this.grid.store.get(rowId)?.data[column.id]) ?? null;
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

  /** @param {string} rowId @param {Column} column @param {{value: any, seen: any, created?: boolean}} write  seen: what was there before */
  writeCell(rowId, column, { value, seen, created = false }) {
    const pending = this.pending.at(rowId, column.id);
    if (sameValue(pending ? pending.value : seen, value)) return;
    this.complain(rowId, column, null);
    this.pending.begin(rowId, column.id, { value, saved: seen });
    this.show(rowId, column, value, "is-saving");
    this.inTurn(() => this.patch(rowId, column, value, created));
  }

  /** Runs at once, or as soon as what reads the column's typed text is loaded. @param {Column} column @param {() => void} run */
  whenReadable(column, run) {
    const loading = columnType(column).prepare();
    if (!loading) return run();
    this.status.begin();
    void loading.then(run).finally(() => this.status.end(true));
  }

  /** @param {() => Promise<void>} work */
  inTurn(work) {
    this.status.begin();
    this.queue = this.queue.then(work).then(
      () => this.ended(true),
      () => this.ended(false),
    );
    return this.queue;
  }

  /** @param {boolean} well */
  ended(well) {
    this.well = well;
    this.status.end(well);
    this.grid.dispatchEvent(new CustomEvent("grid-written"));
  }

  /** @param {string} rowId @param {Column} column @param {any} value @param {boolean} created  as an option, in the same change */
  async patch(rowId, column, value, created) {
    // What the write before this one has left, if there was one: that is what the person saw.
    const before = this.pending.at(rowId, column.id)?.saved ?? null;
    const body = { data: { [column.id]: value }, expected: { [column.id]: before } };
    try {
      this.demandRight();
      const row = await api.patch(`${this.address}/rows/${rowId}/?keys=id&typecast=true${created ? "&create_options=true" : ""}`, body);
      this.pending.end(rowId, column.id, { saved: row.data[column.id] ?? null });
      this.settled(row);
      this.past.made(row.change);
      this.grid.dispatchEvent(new CustomEvent("row-written", { detail: { id: row.id } }));
      if (created) await this.grid.reload();
    } catch (error) {
      this.pending.end(rowId, column.id);
      // Its cell has been given another value meanwhile: what becomes of that one is what counts.
      if (this.pending.at(rowId, column.id)) throw error;
      if (saysTheSame(error, value)) {
        this.show(rowId, column, value, "");
        this.grid.reload();
        return;
      }
      this.refused(rowId, column, { value, created }, error);
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
    for (const column of this.grid.columns) this.show(String(row.id), column, row.data[column.id], "");
    this.grid.dispatchEvent(new CustomEvent("grid-written"));
  }

  /** @param {string} rowId @param {Column} column @param {{value: any, created: boolean}} written @param {any} error */
  refused(rowId, column, { value, created }, error) {
    const known = this.grid.store.get(rowId)?.data[column.id];
    this.show(rowId, column, known, "is-failed");
    if (error instanceof ApiError && error.status === 409) {
      // The column itself may be another one now, too.
      const theirs = error.errors.find((one) => one.code === "cell_changed");
      const reason = theirs ? bothValues(column, value, theirs.value) : t("It was changed meanwhile.");
      const over = { label: t("Write it anyway"), run: () => this.writeCell(rowId, column, { value, seen: theirs.value ?? null, created }) };
      this.complain(rowId, column, toast(t("{column} was not saved. {reason}", { column: column.name, reason }), { kind: "error", actions: theirs ? [over] : [] }));
      this.grid.reload();
      return;
    }
    const reason = (error.errors?.[0]?.detail ?? error.message).replace(`${column.name}: `, "");
    const tr = () => this.grid.rowElement(rowId);
    const retry = { label: t("Retry"), run: () => tr() && this.write(tr(), column, value, created) };
    this.complain(rowId, column, toast(t("{column} was not saved. {reason}", { column: column.name, reason }), { kind: "error", action: retry }));
  }

  /** @param {boolean} skipInvalid @returns {string} */
  manyRowsAddress(skipInvalid) {
    return `${this.address}/rows/?keys=id&typecast=true${skipInvalid ? "&on_invalid=skip" : ""}`;
  }

  /** @param {string} rowId @param {{id: string}} column @param {HTMLElement | null} note  takes the place of an earlier one */
  complain(rowId, column, note) {
    const cell = `${rowId} ${column.id}`;
    this.complaints.get(cell)?.remove();
    if (note) this.complaints.set(cell, note);
    else this.complaints.delete(cell);
  }

  /** @param {string} rowId @param {Column} column @param {any} value @param {string} state */
  show(rowId, column, value, state) {
    const cell = this.grid.rowElement(rowId)?.querySelector(`td[data-col="${column.id}"]`);
    if (!cell || cell.classList.contains("is-editing") || cell.classList.contains("is-changed")) return;
    const pending = this.pending.at(rowId, column.id);
    redrawCell(cell, column, pending ? pending.value : value);
    cell.classList.remove("is-saving", "is-failed");
    if (pending || state) cell.classList.add(pending ? "is-saving" : state);
  }

  /** @param {string} rowId  a row that was drawn as the server has it: what is still being saved shows all the same */
  dress(rowId) {
    for (const { columnId, value } of this.pending.ofRow(rowId)) {
      const column = this.grid.columns.find((one) => one.id === columnId);
      if (column) this.show(rowId, column, value, "is-saving");
    }
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
    this.past.made(answer.change);
    return place ? answer.rows[0] : answer;
  }

  /**
   * @param {{id: number, data: Record<string, any>, expected: Record<string, any>}[]} rows  all or nothing, one change
   * @param {string} refusal  what is said first when they are refused
   * @param {{skipInvalid?: boolean}} [how]  cells whose values do not fit are left as they are and named
   */
  writeRows(rows, refusal, { skipInvalid = false } = {}) {
    for (const { rowId, id, row } of cellsOf(rows)) {
      this.complain(rowId, { id }, null);
      this.pending.begin(rowId, id, { value: row.data[id], saved: row.expected[id] });
    }
    this.showRows(rows);
    return this.inTurn(async () => {
      // What was still being saved is known now: that is what was seen here.
      for (const { rowId, id, row } of cellsOf(rows)) row.expected[id] = this.pending.at(rowId, id)?.saved ?? null;
      try {
        const { rows: written, ...outcome } = await api.patch(this.manyRowsAddress(skipInvalid), { rows });
        const now = new Map(written.map((row) => [row.id, row]));
        for (const { rowId, id, row } of cellsOf(rows)) this.pending.end(rowId, id, { saved: (now.get(row.id)?.data ?? row.expected)[id] ?? null });
        for (const row of written) this.grid.store.renew(row);
        this.showRows(rows);
        this.past.made(outcome.change);
        if (outcome.skipped_count) this.refusals().then((cells) => cells.skipped(rows, outcome), () => {});
        await this.grid.reload();
      } catch (error) {
        this.rowsRefused(rows, refusal, error);
        throw error;
      }
    });
  }

  /** @returns {Promise<import("./refused_cells.js").RefusedCells>} loaded when cells of many rows are first refused */
  refusals() {
    this.refusedCells ??= load(() => import("./refused_cells.js")).then(({ RefusedCells }) => new RefusedCells(this.grid)).catch((error) => {
      this.refusedCells = undefined;
      throw error;
    });
    return this.refusedCells;
  }

  /** @param {any[]} rows @param {string} refusal @param {any} error */
  rowsRefused(rows, refusal, error) {
    for (const { rowId, id } of cellsOf(rows)) this.pending.end(rowId, id);
    this.showRows(rows);
    this.refusals().then((cells) => cells.refused(rows, refusal, error), () => toast(`${refusal} ${error.message}`, { kind: "error" }));
    if (error instanceof ApiError && error.status === 409) this.grid.reload();
  }

  /** @param {{id: number}[]} rows  those of them that are in sight, as they are now */
  showRows(rows) {
    const ids = new Set(rows.map((row) => String(row.id)));
    for (const tr of this.grid.window.slots.keys()) {
      const rowId = tr.dataset.row ?? "";
      if (!ids.has(rowId)) continue;
      for (const column of this.grid.columns) this.show(rowId, column, this.grid.store.get(rowId)?.data[column.id], "");
    }
  }
}

/** @param {{id: number, data: Record<string, any>, expected: Record<string, any>}[]} rows */
function cellsOf(rows) {
  return rows.flatMap((row) => Object.keys(row.data).map((id) => ({ rowId: String(row.id), id, row })));
}

/**
 * Whether a write was refused only because somebody else had written the very same: then nobody has to be told.
 * @param {any} error @param {any} value
 */
function saysTheSame(error, value) {
  if (!(error instanceof ApiError) || error.status !== 409 || error.errors.length !== 1) return false;
  return sameValue(error.errors[0].value ?? null, value ?? null);
}
