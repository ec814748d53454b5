// <table-grid>: enhances the server-rendered table, updates its rows, and connects cursor, editor, selection,
// filters.

import { load, press } from "../element.js";
import { t, tn } from "../locale.js";
import { GridClipboard } from "./grid_clipboard.js";
import { GridColumns, ViewSettings } from "./view_settings.js";
import { GridCursor } from "./grid_cursor.js";
import { GridDetails, RowSelection } from "./grid_selection.js";
import { GridDrafts } from "./new_rows.js";
import { CellEditor } from "./grid_editor.js";
import { GridFilters } from "./grid_filters.js";
import { MAX_ROWS } from "./grid_geometry.js";
import { drawGridHead, applyWidths } from "./grid_head.js";
import { ReachableRows, RowStore } from "./row_store.js";
import { GridRanges } from "./grid_ranges.js";
import { GridReading } from "./row_loading.js";
import { GridWindow } from "./grid_window.js";
import { GridWriter } from "./grid_writer.js";
import { counted } from "./values.js";
import { countValue, nextSort, pageQuery, readPageQuery, withSortKey } from "./view_state.js";

/**
 * The source of the cells of a row: stored rows, an unsaved row, a proposed change.
 * @typedef {object} CellOwner
 * @property {(tr: HTMLTableRowElement, column: Column) => any} value
 * @property {(tr: HTMLTableRowElement, column: Column) => boolean} editable
 * @property {(tr: HTMLTableRowElement, column: Column, value: any, created?: boolean) => void} write  created: the value is a new option
 * @property {boolean} [createsOptions]  whether new options can be created
 * @property {(tr: HTMLTableRowElement) => void} [check]  Space on the gutter
 */

export class TableGrid extends HTMLElement {
  connectedCallback() {
    if (this.store) return;
    this.tableId = this.dataset.tableId;
    this.mayEdit = this.dataset.readOnly === undefined;
    /** @type {Column[]} */
    this.allColumns = JSON.parse(this.dataset.columns ?? "[]");
    this.view = { search: this.dataset.search ?? "", sort: this.dataset.sort ?? "", filter: this.dataset.filter ?? "" };
    const range = { offset: Number(this.dataset.offset), count: Number(this.dataset.count), isExact: this.dataset.estimated === undefined };
    this.store = new RowStore(JSON.parse(this.dataset.rows ?? "[]"), range);
    this.findParts();
    this.viewSettings = new ViewSettings(this);
    /** The columns that are shown. @type {Column[]} */
    this.columns = this.viewSettings.shown(this.allColumns);
    /** @type {WeakMap<HTMLTableRowElement, CellOwner>} */
    this.owners = new WeakMap();
    /** @type {null | {rowsDrawn: () => void, windowDrawn?: () => void, arrange?: (columns: any[]) => any[]}} */
    this.review = null;
    this.writer = new GridWriter(this);
    this.editor = new CellEditor(this);
    this.drafts = new GridDrafts(this);
    this.cursor = new GridCursor(this);
    this.selection = new RowSelection(this);
    this.filters = new GridFilters(this);
    this.ranges = new GridRanges(this);
    this.clipboard = new GridClipboard(this);
    this.rowRange = new ReachableRows(this);
    this.reading = new GridReading(this);
    this.heads = new GridColumns(this);
    this.details = new GridDetails(this);
    this.listen();
    applyWidths(this);
    this.window = new GridWindow(this);
    this.window.draw();
    this.showCounts();
    if (!this.store.isExact) this.reading.countRows();
  }

  findParts() {
    this.scroller = this.querySelector(".grid-scroll");
    this.table = this.querySelector("table");
    this.rowsBody = this.querySelector('tbody[data-body="rows"]');
    this.proposedBody = this.querySelector('tbody[data-body="proposed"]');
    this.draftsBody = this.querySelector('tbody[data-body="drafts"]');
    this.pager = this.querySelector("[data-pager]");
    this.searchForm = this.querySelector("[data-search-form]");
    this.table.tabIndex = 0;
  }

  listen() {
    const scrolled = () => this.scroller.classList.toggle("is-scrolled", Math.abs(this.scroller.scrollLeft) > 2);
    this.scroller.addEventListener("scroll", scrolled, { passive: true });
    this.table.tHead.addEventListener("click", (event) => this.sortClicked(event));
    this.searchForm.addEventListener("submit", (event) => {
      event.preventDefault();
      this.goTo({ ...this.view, search: this.searchInput.value.trim() });
    });
    const typed = () => {
      clearTimeout(this.searchTimer);
      this.searchTimer = setTimeout(() => this.goTo({ ...this.view, search: this.searchInput.value.trim() }), 250);
    };
    this.searchInput.addEventListener("input", typed);
    // The user may have typed before the scripts were loaded.
    if (this.searchInput.value !== this.searchInput.defaultValue) typed();
    addEventListener("popstate", () => {
      this.view = readPageQuery(location.search);
      if (!this.review) this.searchInput.value = this.view.search;
      this.reload({ fromTop: true });
    });
    document.addEventListener("table-changed", (event) => {
      const detail = /** @type {CustomEvent} */ (event).detail ?? {};
      if (detail.table_id === undefined || String(detail.table_id) === this.tableId) this.reload();
    });
  }

  get searchInput() {
    return this.searchForm.querySelector("input[type=search]");
  }

  /** @param {MouseEvent} event */
  sortClicked(event) {
    const head = /** @type {Element} */ (event.target).closest("th[data-col]");
    if (!head || !(/** @type {Element} */ (event.target).closest("a")) || event.button !== 0) return;
    const withCtrl = event.ctrlKey || event.metaKey;
    if (withCtrl && (this.review || !this.store.length)) return;
    event.preventDefault();
    if (withCtrl) {
      void load(() => import("./column_actions.js")).then(({ selectColumn }) => selectColumn(this, head.dataset.col)).catch(() => {});
      return;
    }
    if (event.shiftKey && this.ranges.extendToColumn(head.dataset.col)) return;
    const sorted = event.shiftKey ? withSortKey : nextSort;
    this.goTo({ ...this.view, sort: sorted(this.view.sort, head.dataset.col) });
  }

  /** @param {ViewState} view  the new view, which is written to the URL */
  goTo(view) {
    if (pageQuery(view) === pageQuery(this.view)) return;
    const typing = view.search !== this.view.search && this.view.search !== "";
    this.view = view;
    const address = location.pathname + pageQuery(view);
    if (typing) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    // The selected cells would refer to other rows.
    this.ranges.clear();
    drawGridHead(this);
    this.filters.draw();
    this.reload({ fromTop: true });
  }

  /** @returns {ViewState} the query of the rows: all rows while a proposal is reviewed */
  get query() {
    return this.review ? { ...this.view, search: "", filter: "" } : this.view;
  }

  /** @param {Column[]} columns  of the table; none is hidden during a review */
  setColumns(columns) {
    this.allColumns = columns;
    this.show(this.review ? this.review.arrange?.(columns) ?? columns : this.viewSettings.shown(columns));
    this.viewSettings.draw();
  }

  /** @param {string} role  the user's new role: owner, editor or viewer. Text being typed is preserved. */
  setRole(role) {
    if (role === this.dataset.role) return;
    this.dataset.role = role;
    this.mayEdit = role !== "viewer";
    const focusedElement = document.activeElement;
    for (const part of this.querySelectorAll("[data-for-editors]")) part.hidden = !this.mayEdit;
    this.drafts.updateEnabled();
    if (!this.mayEdit) this.querySelector(".colmenu")?.hidePopover();
    if (focusedElement instanceof HTMLElement && focusedElement.closest("[hidden]")) this.table.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("grid-role"));
  }

  /** @param {Column[]} columns  to show; the cursor stays in its column */
  show(columns) {
    const columnId = this.columns[this.cursor.col]?.id;
    this.columns = columns;
    const index = columns.findIndex((column) => column.id === columnId);
    if (index >= 0) this.cursor.col = index;
    this.drafts.updateEnabled();
  }

  /** @param {{fromTop?: boolean}} [how]  read columns and rows again */
  reload(how) {
    return this.reading.reload(how);
  }

  /** @param {{read?: boolean}} [how]  whether rows were read again */
  redraw({ read = true } = {}) {
    drawGridHead(this);
    this.filters.draw();
    this.drafts.redraw();
    if (read && !this.editor.isOpen) this.drafts.clearSaved();
    this.cursor.find();
    this.window.draw({ refill: true });
    this.review?.rowsDrawn();
    this.cursor.follow();
    this.ranges.follow();
    this.selection.refresh();
    this.showCounts();
    this.dispatchEvent(new CustomEvent("grid-redrawn"));
  }

  /** @param {{rowsDrawn: () => void, end: () => void, arrange?: (columns: any[]) => any[]}} review  a proposal that is reviewed in the grid */
  beginReview(review) {
    const narrowed = Boolean(this.view.search || this.view.filter);
    this.review = review;
    this.selection.suspend();
    this.ranges.clear();
    this.details.sheet?.close();
    this.drafts.updateEnabled();
    this.pauseSearch(true);
    if (narrowed || this.viewSettings.hidden.size) this.reload({ fromTop: narrowed });
  }

  /** @param {object} review  which ends; the user's columns are shown immediately, search and filter when the rows are read */
  endReview(review) {
    if (this.review !== review) return;
    this.review = null;
    this.drafts.updateEnabled();
    this.pauseSearch(false);
    this.selection.resume();
    this.redrawFromStore();
    this.reload();
  }

  /** @param {boolean} paused  during a review, which shows all rows */
  pauseSearch(paused) {
    const { searchInput } = this;
    clearTimeout(this.searchTimer);
    searchInput.disabled = paused;
    searchInput.value = paused ? "" : this.view.search;
    searchInput.placeholder = searchInput.title = paused ? t("Search is paused during the review") : searchInput.ariaLabel;
  }

  /** Redraw columns and rows from the store; deferred during an edit or pointer press. */
  redrawFromStore() {
    const draw = () => {
      this.setColumns(this.allColumns);
      this.redraw({ read: false });
    };
    press.whenReleased(() => this.editor.whenClosed("known", draw));
    this.showCounts();
  }

  /** Whether a search or filter applies to the rows that are shown. */
  get isNarrowed() {
    const { search, filter } = this.reading.shown;
    return Boolean(search || filter);
  }

  showCounts() {
    const narrowed = this.isNarrowed;
    const total = this.querySelector("[data-count]");
    // While they are filtered, proposed changes of other rows would be counted wrong.
    const { count, isExact } = this.store;
    const countAfter = narrowed || !isExact ? undefined : this.review?.countAfter?.(count);
    const value = { count: countValue(this.store, count) };
    const rows = tn("{count} row", "{count} rows", count, value);
    const found = narrowed ? tn("{count} matching row", "{count} matching rows", count, value) : rows;
    const shown = count > MAX_ROWS ? t("{rows}, first {most} shown", { rows: found, most: MAX_ROWS }) : found;
    this.drafts.updateBlankRows();
    total.textContent = countAfter === undefined ? shown : t("{rows} · {count} after applying", { rows: shown, count: countAfter });
    this.table.setAttribute("aria-rowcount", String(isExact ? this.rowRange.total + 1 : -1));
    this.rowRange.below.forEach((tr, step) => tr.setAttribute("aria-rowindex", String(this.rowRange.total - this.rowRange.below.length + step + 2)));
    this.dispatchEvent(new CustomEvent("grid-counted", { detail: { rows } }));
    const blank = this.querySelector("[data-blank]");
    const { blankRows } = this.drafts;
    const empty = this.store.displayedCount === 0 && this.draftsBody.rows.length === blankRows.length && this.proposedBody.rows.length === 0;
    const kind = narrowed && this.filters.total ? "result" : "table";
    blank.hidden = !empty;
    this.table.tFoot.hidden = empty && !narrowed && !blankRows.length;
    if (!empty || blank.dataset.blank === kind || !this.columns.length) return;
    blank.dataset.blank = kind;
    blank.replaceChildren();
    load(() => import("./empty_note.js")).then(({ describeEmpty }) => blank.dataset.blank === kind && describeEmpty(blank, kind, this.mayEdit), () => {});
  }

  /** @param {HTMLTableRowElement} tr @returns {CellOwner} */
  ownerOf(tr) {
    return this.owners.get(tr) ?? this.writer;
  }

  /** @param {string} rowKey @returns {HTMLTableRowElement | undefined} */
  rowElement(rowKey) {
    return this.table.querySelector(`tbody > tr[data-row="${CSS.escape(rowKey)}"]`) ?? undefined;
  }
}

customElements.define("table-grid", TableGrid);
