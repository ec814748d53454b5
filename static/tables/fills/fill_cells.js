// Cells of the grid that fills work on: which wait, are worked on, were found or failed. Found values can be corrected there.

import { api } from "../../api.js";
import { el, icon, load, press, toast } from "../../element.js";
import { t } from "../../locale.js";
import { columnType } from "../column_types/registry.js";
import { displayText, drawProposed, redrawCell, sameValue } from "../values.js";
import { CONFIDENCE, stateText } from "./result_texts.js";

const MAX_ROWS = 200;
const SCROLL_MS = 80;
const UNFINISHED = new Set(["waiting", "working"]);
const REVIEWED = new Set(["open", "conflict", "invalid"]);
const BLOCKED = new Set(["conflict", "invalid"]);
const NAMES = ["is-fill", "is-changed", "is-conflict", "is-fill-waiting", "is-fill-working", "is-fill-failed"];

/** @typedef {{fill: Fill, result: FillResult, column: Column}} FillCell */

/** As owner of a row (see grid.js), this writes corrections of found values. */
export class FillCells {
  /** @param {import("./table_fills.js").TableFills} fills */
  constructor(fills) {
    this.fills = fills;
    this.grid = fills.grid;
    /** Results by fill and row. @type {Map<string, Map<string, FillResult>>} */
    this.results = new Map();
    /** @type {WeakMap<Element, string>} */
    this.drawn = new WeakMap();
    /** The end of the last correction that is being stored. */
    this.saving = Promise.resolve();
    this.createsOptions = false;
    this.wasReviewing = Boolean(this.grid.review);
    for (const name of ["grid-drawn", "grid-redrawn"]) this.grid.addEventListener(name, () => this.windowDrawn());
    // A review of a proposal begins or ends.
    new MutationObserver(() => this.grid.table.classList.contains("is-reviewing") !== this.wasReviewing && this.reviewToggled()).observe(this.grid.table, { attributes: true, attributeFilter: ["class"] });
    this.grid.table.addEventListener("cell-cursor", () => this.cursorMoved());
    this.grid.table.addEventListener("focus", () => this.cursorMoved());
    this.grid.table.addEventListener("keydown", (event) => {
      if (event.key !== "F2" || !event.shiftKey || !this.grid.cursor.cell?.classList.contains("is-fill")) return;
      event.preventDefault();
      event.stopPropagation();
      this.cursorMoved();
      void this.showing?.then(() => this.card?.focus());
    }, { capture: true });
  }

  reviewToggled() {
    this.wasReviewing = this.grid.table.classList.contains("is-reviewing");
    this.draw();
  }

  windowDrawn() {
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.readMissing(), SCROLL_MS);
  }

  /** Read the results of the visible rows again. */
  async refresh() {
    const ids = new Set(this.fills.fills.map(({ id }) => id));
    for (const id of this.results.keys()) if (!ids.has(id)) this.results.delete(id);
    // Else corrections that are being stored would be overwritten by earlier ones.
    await this.saving;
    await Promise.all(this.fills.fills.map((fill) => this.read(fill, this.visibleRows)));
    this.draw();
  }

  async readMissing() {
    await Promise.all(this.fills.fills.map((fill) => this.read(fill, this.visibleRows.filter((id) => !this.results.get(fill.id)?.has(id)))));
    this.draw();
  }

  /** @returns {string[]} */
  get visibleRows() {
    return [...this.grid.window.slots.keys()].flatMap((tr) => tr.dataset.row || []);
  }

  /** @param {Fill} fill @param {string[]} ids  of rows */
  async read(fill, ids) {
    const known = this.results.get(fill.id) ?? new Map();
    this.results.set(fill.id, known);
    for (let start = 0; start < ids.length; start += MAX_ROWS) {
      const some = ids.slice(start, start + MAX_ROWS);
      const query = new URLSearchParams({ keys: "id", limit: String(MAX_ROWS), ids: some.join(",") });
      const page = await api.get(`${this.fills.address}${fill.id}/results/?${query}`).catch(() => null);
      if (!page) return;
      for (const id of some) known.delete(id);
      for (const result of page.results) known.set(String(result.row), result);
    }
  }

  /** @param {string} rowId @param {string} columnId @returns {FillCell | null} what the newest fill says of this cell */
  at(rowId, columnId) {
    for (const fill of this.fills.fills) {
      const result = fill.columns.includes(columnId) && this.results.get(fill.id)?.get(rowId);
      if (!result || (result.state === "found" && (!REVIEWED.has(result.review) || !this.hasValue(result, columnId)))) continue;
      if (UNFINISHED.has(result.state) && fill.state !== "running" && fill.state !== "paused") continue;
      const column = this.grid.allColumns.find(({ id }) => id === columnId);
      return column ? { fill, result, column } : null;
    }
    return null;
  }

  /** @param {FillResult} result @param {string} columnId */
  hasValue({ values, corrections }, columnId) {
    return columnId in values || columnId in corrections;
  }

  /** @param {FillCell} cell @returns {any} the found value, or a user's in place of it */
  proposed({ result: { values, corrections }, column }) {
    return column.id in corrections ? corrections[column.id] : values[column.id] ?? null;
  }

  /** Draw what is known of the visible cells. */
  draw() {
    press.whenReleased(() => this.grid.editor.whenClosed("fills", () => this.drawNow()));
  }

  drawNow() {
    if (this.grid.review) return this.clear();
    const columns = this.grid.columns.map(({ id }) => id);
    for (const tr of this.grid.window.slots.keys()) {
      const rowId = tr.dataset.row;
      if (rowId) columns.forEach((id, index) => this.drawCell(tr.cells[index + 1], rowId, id));
    }
    this.cursorMoved();
  }

  /** A proposal is reviewed in the same cells: show the stored values in those that it does not change. */
  clear() {
    this.card?.hide();
    if (this.owned && this.grid.owners.get(this.owned) === this) this.grid.owners.delete(this.owned);
    for (const td of this.grid.rowsBody.querySelectorAll("tr:not([data-op]) > td.is-fill")) this.restore(td, td.parentElement.dataset.row, td.dataset.col);
  }

  /** @param {HTMLTableCellElement} td @param {string} rowId @param {string} columnId */
  drawCell(td, rowId, columnId) {
    const wasDrawn = td.classList.contains("is-fill");
    const cell = this.at(rowId, columnId);
    if (!cell) {
      if (wasDrawn) this.restore(td, rowId, columnId);
      return;
    }
    const { result, column, fill } = cell;
    const before = this.grid.writer.value(/** @type {HTMLTableRowElement} */ (td.parentElement), column);
    const after = this.proposed(cell);
    const key = JSON.stringify([rowId, columnId, fill.id, result.state, result.review, before, after]);
    if (wasDrawn && this.drawn.get(td) === key) return;
    this.drawn.set(td, key);
    td.classList.remove(...NAMES);
    if (wasDrawn) redrawCell(td, column, before);
    td.classList.add("is-fill");
    td.setAttribute("aria-description", this.describe(cell, before));
    if (result.state === "found") drawFound(td, column, { before, after, isBlocked: BLOCKED.has(result.review), isWeak: result.confidence === "low" || result.unverified });
    else if (result.state !== "empty" && result.state !== "discarded") td.classList.add(`is-fill-${result.state}`);
  }

  /** @param {FillCell} cell @param {any} before @returns {string} for screen readers */
  describe({ result, column }, before) {
    if (result.state !== "found") return stateText(result);
    const was = displayText(column, before) || t("empty");
    if (result.review === "invalid") return [t("The found value no longer fits the column."), result.fault?.detail, t("Shift and F2 for details.")].filter(Boolean).join(" ");
    const words = [t("Proposed, was {value}.", { value: was }), CONFIDENCE[result.confidence] ? `${CONFIDENCE[result.confidence]}.` : "", result.unverified ? `${t("Unverified")}.` : "", t("Shift and F2 for details.")];
    return words.filter(Boolean).join(" ");
  }

  /** @param {HTMLTableCellElement} td @param {string} rowId @param {string} columnId  show the stored value */
  restore(td, rowId, columnId) {
    const column = this.grid.columns.find(({ id }) => id === columnId);
    td.classList.remove(...NAMES);
    td.removeAttribute("aria-description");
    if (column) this.grid.writer.show(rowId, column, this.grid.store.get(rowId)?.data[columnId]);
  }

  /** The row of the cursor belongs to this object while the cursor is in a found value, and its card is shown. */
  cursorMoved() {
    const { cursor, owners, editor, review } = this.grid;
    if (review) return;
    const { current } = cursor;
    const tr = current?.tr;
    const cell = tr?.dataset.row && current.column && cursor.cell?.classList.contains("is-fill") ? this.at(tr.dataset.row, current.column.id) : null;
    if (this.owned && this.owned !== tr && !editor.isIn(this.owned) && owners.get(this.owned) === this) owners.delete(this.owned);
    if (tr && cell?.result.state === "found" && this.grid.mayEdit && !columnType(cell.column).hasFiles) {
      owners.set(tr, this);
      this.owned = tr;
    } else if (tr && owners.get(tr) === this && !editor.isIn(tr)) owners.delete(tr);
    if (cell && !UNFINISHED.has(cell.result.state) && this.hasFocus) this.showing = this.showCard(cursor.cell, cell);
    else this.card?.hide();
  }

  /** @returns {boolean} whether the user is in the grid: the card shows where the cursor is */
  get hasFocus() {
    const { activeElement } = document;
    return activeElement === this.grid.table || Boolean(this.card?.element.contains(activeElement));
  }

  /** @param {HTMLElement} anchor @param {FillCell} cell */
  async showCard(anchor, cell) {
    this.card ??= await load(() => import("./fill_card.js")).then(({ FillCard }) => new FillCard(this), () => undefined);
    if (this.grid.cursor.cell === anchor && anchor.classList.contains("is-fill")) this.card?.show(anchor, cell);
  }

  // CellOwner: the found values, which can be corrected.

  /** @param {HTMLTableRowElement} tr @param {Column} column */
  value(tr, column) {
    const cell = this.at(tr.dataset.row ?? "", column.id);
    // The editor of the column cannot show a value that no longer fits.
    return cell?.result.state === "found" && cell.result.review !== "invalid" ? this.proposed(cell) : this.grid.writer.value(tr, column);
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column */
  editable(tr, column) {
    return this.grid.writer.editable(tr, column);
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {any} value @param {boolean} [created] */
  write(tr, column, value, created) {
    const cell = this.at(tr.dataset.row ?? "", column.id);
    if (cell?.result.state !== "found") return this.grid.writer.write(tr, column, value, created);
    const { fill, result } = cell;
    const { [column.id]: _, ...others } = result.corrections;
    result.corrections = sameValue(value, result.values[column.id]) ? others : { ...others, [column.id]: value };
    // Until the server has checked it.
    if (result.review === "invalid") result.review = "open";
    this.draw();
    this.saving = this.saving.then(() => this.store(fill, result));
  }

  /** Store the corrections of a row on the server. @param {Fill} fill @param {FillResult} result */
  async store(fill, { row, corrections }) {
    try {
      await api.patch(`${this.fills.address}${fill.id}/results/`, { edits: { [row]: corrections } });
    } catch (error) {
      toast(t("The correction was not saved. {reason}", { reason: error.errors?.[0]?.detail ?? error.message }), { kind: "error" });
      await this.read(fill, [String(row)]);
      this.draw();
    }
  }
}

/**
 * @param {HTMLTableCellElement} td @param {Column} column
 * @param {{before: any, after: any, isBlocked: boolean, isWeak: boolean}} how  isBlocked: it is not applied with the others
 */
function drawFound(td, column, { before, after, isBlocked, isWeak }) {
  const was = el("del", { class: "was" }, drawProposed(column, before));
  const found = el("ins", {}, drawProposed(column, after));
  // First, as the end of a long value is not visible.
  const sign = isBlocked ? [icon("triangle-alert", "icon--14")] : isWeak ? [icon("circle-help", "icon--12 fill__weak")] : [];
  td.classList.add(isBlocked ? "is-conflict" : "is-changed");
  td.replaceChildren(el("span", { class: "val" }, ...sign, was, isBlocked ? null : icon("arrow-right", "icon--12 to"), found));
}
