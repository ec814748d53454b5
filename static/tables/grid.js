// The grid: takes over the server's table where it stands, keeps its rows fresh, and hands keys, edits and checks on.

import { load, press } from "../element.js";
import { t, tn } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { GridClipboard } from "./grid_clipboard.js";
import { GridColumns, GridLook } from "./view_settings.js";
import { GridCursor } from "./grid_cursor.js";
import { GridDetails, RowSelection } from "./grid_selection.js";
import { GridDrafts } from "./new_rows.js";
import { CellEditor } from "./grid_editor.js";
import { GridFilters } from "./grid_filters.js";
import { MOST_ROWS } from "./grid_geometry.js";
import { drawGridHead, layColumns } from "./grid_head.js";
import { GridPlaces, RowStore } from "./row_store.js";
import { GridRanges } from "./grid_ranges.js";
import { GridReading } from "./row_loading.js";
import { GridWindow } from "./grid_window.js";
import { GridWriter } from "./grid_writer.js";
import { counted, displayText } from "./values.js";
import { nextSort, pageQuery, readPageQuery, withSortKey } from "./view_state.js";

/**
 * Whoever stands behind the cells of a row: saved rows, a draft, a proposed change.
 * @typedef {object} CellOwner
 * @property {(tr: HTMLTableRowElement, column: Column) => any} value
 * @property {(tr: HTMLTableRowElement, column: Column) => boolean} editable
 * @property {(tr: HTMLTableRowElement, column: Column, value: any, created?: boolean) => void} write  created: the value becomes an option
 * @property {boolean} [createsOptions]  whether it can be written with a value that is no option yet
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
    const where = { offset: Number(this.dataset.offset), count: Number(this.dataset.count) };
    this.store = new RowStore(JSON.parse(this.dataset.rows ?? "[]"), where);
    this.findParts();
    this.look = new GridLook(this);
    /** Those that are drawn. @type {Column[]} */
    this.columns = this.look.shown(this.allColumns);
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
    this.places = new GridPlaces(this);
    this.reading = new GridReading(this);
    this.heads = new GridColumns(this);
    this.details = new GridDetails(this);
    this.listen();
    this.localise();
    layColumns(this);
    this.window = new GridWindow(this);
    this.window.draw();
    this.showCounts();
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
    // Before the scripts were there, perhaps.
    if (this.searchInput.value !== this.searchInput.defaultValue) typed();
    addEventListener("popstate", () => {
      this.view = readPageQuery(location.search);
      this.searchInput.value = this.view.search;
      this.reload({ fromTop: true });
    });
    document.addEventListener("table-changed", (event) => {
      const told = /** @type {CustomEvent} */ (event).detail ?? {};
      if (told.table_id === undefined || String(told.table_id) === this.tableId) this.reload();
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
    if (event.shiftKey && this.ranges.reachColumn(head.dataset.col)) return;
    const sorted = event.shiftKey ? withSortKey : nextSort;
    this.goTo({ ...this.view, sort: sorted(this.view.sort, head.dataset.col) });
  }

  /** @param {ViewState} view  what to show from now on; goes into the address */
  goTo(view) {
    if (pageQuery(view) === pageQuery(this.view)) return;
    const typing = view.search !== this.view.search && this.view.search !== "";
    this.view = view;
    const address = location.pathname + pageQuery(view);
    if (typing) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    // Other rows will stand in its place.
    this.ranges.clear();
    drawGridHead(this);
    this.filters.draw();
    this.reload({ fromTop: true });
  }

  /** @returns {ViewState} what is asked of the server: all rows while a proposal is reviewed */
  get asked() {
    return this.review ? { ...this.view, search: "", filter: "" } : this.view;
  }

  /** @param {Column[]} columns  those of the table; while a proposal is looked over, none is out of sight */
  takeColumns(columns) {
    this.allColumns = columns;
    this.show(this.review ? this.review.arrange?.(columns) ?? columns : this.look.shown(columns));
    this.look.draw();
  }

  /** @param {string} role  owner, editor or viewer: what the person may do here from now on. What is being typed stays. */
  takeRole(role) {
    if (role === this.dataset.role) return;
    this.dataset.role = role;
    this.mayEdit = role !== "viewer";
    const held = document.activeElement;
    for (const part of this.querySelectorAll("[data-for-editors]")) part.hidden = !this.mayEdit;
    this.drafts.allow();
    if (!this.mayEdit) this.querySelector(".colmenu")?.hidePopover();
    if (held instanceof HTMLElement && held.closest("[hidden]")) this.table.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("grid-role"));
  }

  /** @param {Column[]} columns  those that are drawn from now on; the cursor goes where its own one goes */
  show(columns) {
    const held = this.columns[this.cursor.col]?.id;
    this.columns = columns;
    const place = columns.findIndex((column) => column.id === held);
    if (place >= 0) this.cursor.col = place;
    this.drafts.allow();
  }

  /** @param {{fromTop?: boolean}} [how]  reads columns and rows again */
  reload(how) {
    return this.reading.reload(how);
  }

  /** @param {{read?: boolean}} [how]  whether rows were read anew */
  redraw({ read = true } = {}) {
    drawGridHead(this);
    this.filters.draw();
    this.drafts.redraw();
    if (read && !this.editor.isOpen) this.drafts.clearSaved();
    this.cursor.find();
    this.window.draw({ anew: true });
    this.review?.rowsDrawn();
    this.cursor.follow();
    this.ranges.follow();
    this.selection.refresh();
    this.showCounts();
    this.dispatchEvent(new CustomEvent("grid-redrawn"));
  }

  /** @param {{rowsDrawn: () => void, end: () => void, arrange?: (columns: any[]) => any[]}} review  a proposal that is looked over in the grid */
  beginReview(review) {
    const narrowed = Boolean(this.view.search || this.view.filter);
    this.review = review;
    this.selection.suspend();
    this.ranges.clear();
    this.details.sheet?.close();
    this.drafts.allow();
    this.searchInput.disabled = true;
    if (narrowed || this.look.hidden.size) this.reload({ fromTop: narrowed });
  }

  /** @param {object} review  the person's own columns come back at once, their search and filters with the rows */
  endReview(review) {
    if (this.review !== review) return;
    this.review = null;
    this.drafts.allow();
    this.searchInput.disabled = false;
    this.selection.resume();
    this.drawKnown();
    this.reload();
  }

  /** Columns and rows as they are known by now; not under the hands of somebody. */
  drawKnown() {
    const draw = () => {
      this.takeColumns(this.allColumns);
      this.redraw({ read: false });
    };
    press.whenReleased(() => this.editor.whenClosed("known", draw));
    this.showCounts();
  }

  /** Whether the rows that are shown are not all of them. */
  get isNarrowed() {
    const { search, filter } = this.reading.shown;
    return Boolean(search || filter);
  }

  showCounts() {
    const narrowed = this.isNarrowed;
    const total = this.querySelector("[data-count]");
    // While a search or filter still narrows them, what is proposed for the others is not counted right.
    const after = narrowed ? undefined : this.review?.countAfter?.(this.store.count);
    const { count } = this.store;
    const rows = tn("{count} row", "{count} rows", count);
    const found = narrowed ? tn("{count} matching row", "{count} matching rows", count) : rows;
    const shown = count > MOST_ROWS ? t("{rows}, the first {most} of this order shown", { rows: found, most: MOST_ROWS }) : found;
    this.drafts.fillUp();
    total.textContent = after === undefined ? shown : t("{rows} · {count} after applying", { rows: shown, count: after });
    this.table.setAttribute("aria-rowcount", String(this.places.total + 1));
    this.places.below.forEach((tr, step) => tr.setAttribute("aria-rowindex", String(this.places.total - this.places.below.length + step + 2)));
    this.dispatchEvent(new CustomEvent("grid-counted", { detail: { rows } }));
    const blank = this.querySelector("[data-blank]");
    const { blankRows } = this.drafts;
    const empty = this.store.standing === 0 && this.draftsBody.rows.length === blankRows.length && this.proposedBody.rows.length === 0;
    const kind = narrowed && this.filters.total ? "result" : "table";
    blank.hidden = !empty;
    this.table.tFoot.hidden = empty && !narrowed && !blankRows.length;
    if (!empty || blank.dataset.blank === kind || !this.columns.length) return;
    blank.dataset.blank = kind;
    blank.replaceChildren();
    load(() => import("./empty_note.js")).then(({ describeEmpty }) => blank.dataset.blank === kind && describeEmpty(blank, kind, this.mayEdit), () => {});
  }

  /** Numbers and dates of the server's rows, in the reader's own way of writing. */
  localise() {
    for (const column of this.columns.filter((one) => columnType(one).localised)) {
      for (const tr of this.rowsBody.rows) {
        const text = displayText(column, this.store.get(tr.dataset.row)?.data[column.id]);
        const shown = tr.querySelector(`td[data-col="${column.id}"] > .val`);
        if (text && shown && shown.textContent !== text) (shown.querySelector("time") ?? shown).textContent = text;
      }
    }
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
