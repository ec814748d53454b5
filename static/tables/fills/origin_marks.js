// Marks of cells whose value a fill has found, with a card that says where it comes from. They can be switched off in the menu “View”.

import { api } from "../../api.js";
import { el, icon, isMirrored, load } from "../../element.js";
import { t } from "../../locale.js";
import { sameValue } from "../values.js";

/** @typedef {import("./origin_card.js").ValueOrigin} ValueOrigin */
/** @typedef {{data: Record<string, any>, origins: Record<string, ValueOrigin>}} KnownRow  data: the values that have these origins */

const MAX_ROWS = 100;
const SCROLL_MS = 120;
const CHANGE_MS = 400;
const CORNER_PX = 14;
const STORED = "origin-marks";

export class OriginMarks {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** By row id. @type {Map<string, KnownRow>} */
    this.known = new Map();
    this.reads = 0;
    this.words = t("Found by the assistant. Shift and F2 for details.");
    this.isOn = readStored() !== "off";
    this.addSwitch();
    for (const name of ["grid-drawn", "grid-redrawn"]) grid.addEventListener(name, () => this.windowDrawn());
    grid.addEventListener("grid-written", () => this.changed());
    document.addEventListener("table-changed", () => this.changed());
    grid.addEventListener("row-sheet-drawn", (/** @type {any} */ { detail }) => void this.drawInSheet(detail.sheet));
    grid.table.addEventListener("keydown", (event) => this.keyPressed(event), { capture: true });
    grid.table.addEventListener("cell-cursor", () => this.card?.anchor !== grid.cursor.cell && this.card?.hide());
    grid.rowsBody.addEventListener("pointermove", (event) => void this.pointed(event), { passive: true });
    grid.rowsBody.addEventListener("pointerleave", (event) => this.isPointed && !this.card?.element.contains(event.relatedTarget) && this.card?.hide());
    grid.rowsBody.addEventListener("click", (/** @type {any} */ event) => event.pointerType === "touch" && void this.touched(event));
    this.windowDrawn();
  }

  /** The switch in the menu “View”, whose other boxes are columns. */
  addSwitch() {
    const all = this.grid.querySelector("[data-shown-all]");
    if (!all) return;
    const box = el("input", { class: "check", type: "checkbox", checked: this.isOn, on: { change: (event) => {
      event.stopPropagation();
      this.isOn = box.checked;
      store(this.isOn ? "on" : "off");
      this.windowDrawn();
    } } });
    all.after(el("label", { class: "menu__item" }, box, el("span", { text: t("Mark values found by the assistant") })));
  }

  windowDrawn() {
    this.draw();
    if (!this.isOn) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.readMissing(), SCROLL_MS);
  }

  /** Values have changed: others may have origins now. */
  changed() {
    this.draw();
    clearTimeout(this.changeTimer);
    this.changeTimer = setTimeout(() => {
      this.known.clear();
      void this.readMissing();
    }, CHANGE_MS);
  }

  async readMissing() {
    if (!this.isOn || document.visibilityState === "hidden") return;
    const number = ++this.reads;
    const ids = [...this.grid.window.slots.keys()].flatMap((tr) => tr.dataset.row || []).filter((id) => !this.known.has(id));
    await this.read(ids).catch(() => {}); // the connection is lost: read again after the next change or scroll
    if (number === this.reads) this.draw();
  }

  /** @param {string[]} ids  of rows */
  async read(ids) {
    for (let start = 0; start < ids.length; start += MAX_ROWS) {
      const query = new URLSearchParams({ keys: "id", origins: "true", limit: String(MAX_ROWS), ids: ids.slice(start, start + MAX_ROWS).join(",") });
      const { rows } = await api.get(`/api/tables/${this.grid.tableId}/rows/?${query}`);
      for (const { id, data, origins } of rows) this.known.set(String(id), { data, origins });
    }
  }

  /** @param {string | undefined} rowId @param {string | undefined} columnId @returns {ValueOrigin | null} that of the value which the cell shows */
  at(rowId = "", columnId = "") {
    const row = this.known.get(rowId);
    const origin = row?.origins[columnId];
    if (!row || !origin) return null;
    const unsaved = this.grid.writer.unsavedValue(rowId, columnId);
    const value = unsaved ? unsaved.value : this.grid.store.get(rowId)?.data[columnId];
    return sameValue(value, row.data[columnId]) ? origin : null;
  }

  draw() {
    const marks = this.isOn && !this.grid.review;
    const columns = this.grid.columns.map(({ id }) => id);
    for (const tr of this.grid.window.slots.keys()) {
      columns.forEach((id, index) => this.mark(tr.cells[index + 1], marks && this.at(tr.dataset.row, id) !== null));
    }
  }

  /** @param {HTMLTableCellElement | undefined} td @param {boolean} isMarked */
  mark(td, isMarked) {
    if (!td || (!isMarked && !td.classList.contains("has-origin"))) return;
    td.classList.toggle("has-origin", isMarked);
    if (isMarked && !td.hasAttribute("aria-description")) td.setAttribute("aria-description", this.words);
    if (!isMarked && td.getAttribute("aria-description") === this.words) td.removeAttribute("aria-description");
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    const { cell } = this.grid.cursor;
    if (event.key !== "F2" || !event.shiftKey || !cell?.classList.contains("has-origin") || cell.classList.contains("is-fill")) return;
    event.preventDefault();
    event.stopPropagation();
    this.isPointed = false;
    void this.show(cell).then(() => this.card?.focus());
  }

  /** Show the card while the pointer is on the mark, and until it leaves the cell and the card. @param {PointerEvent} event */
  async pointed(event) {
    const td = /** @type {HTMLTableCellElement | null} */ (/** @type {Element} */ (event.target).closest("td.has-origin:not(.is-fill)"));
    if (this.isPointed && this.card?.anchor !== td) this.card?.hide();
    if (!td) return;
    const box = td.getBoundingClientRect();
    const across = isMirrored() ? event.clientX - box.left : box.right - event.clientX;
    if (across > CORNER_PX || event.clientY - box.top > CORNER_PX || this.card?.anchor === td) return;
    this.isPointed = true;
    await this.show(td);
  }

  /** Show the card of a cell that is tapped: its mark is too small to touch. @param {PointerEvent} event */
  async touched(event) {
    const td = /** @type {HTMLTableCellElement | null} */ (/** @type {Element} */ (event.target).closest("td.has-origin:not(.is-fill, .is-editing)"));
    if (!td) return;
    this.isPointed = false;
    // The cell gets the cursor, which hides the card of another one.
    await new Promise(requestAnimationFrame);
    await this.show(td);
    // A tap on the cell of the cursor edits it.
    if (this.grid.cursor.cell !== td || td.classList.contains("is-editing")) this.card?.hide();
  }

  /** @param {HTMLElement} td */
  async show(td) {
    const origin = this.at(td.parentElement?.dataset.row, td.dataset.col);
    if (!origin) return;
    this.card ??= await load(() => import("./origin_card.js")).then(({ OriginCard }) => new OriginCard(this.grid), () => undefined);
    if (td.classList.contains("has-origin")) this.card?.show(td, origin);
  }

  /** Draw the origins below the fields of the row sheet. @param {import("../row_sheet.js").RowSheet} sheet */
  async drawInSheet(sheet) {
    const { id } = sheet;
    if (!this.known.has(id)) await this.read([id]).catch(() => {});
    const { drawOrigin } = await load(() => import("./origin_card.js"));
    if (sheet.id !== id) return;
    for (const { column, node } of sheet.fields) {
      node.querySelector(":scope > .fillorigin")?.remove();
      const origin = this.at(id, column.id);
      if (origin) node.append(el("details", { class: "fillorigin" }, el("summary", { class: "fill__more" }, icon("chevron-right", "icon--14"), t("Found by the assistant")), ...drawOrigin(origin)));
    }
  }
}

/** @returns {string | null} */
function readStored() {
  try {
    return localStorage.getItem(STORED);
  } catch {
    return null;
  }
}

/** @param {string} value */
function store(value) {
  try {
    localStorage.setItem(STORED, value);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}
