// The form for editing a table's definition. All edits are saved as one proposal, after confirming losses.

import { api } from "../api.js";
import { replaceInside, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { drawColumnEditor } from "./column_editor.js";
import { DEFAULT_TYPE } from "./column_types/registry.js";
import { confirmLosses } from "./save_preview.js";
import { columnChanges, columnFaults, editCount, editWords, schemaProposal } from "./schema_diff.js";
import { drawFormatPreview, usedSettings } from "./column_settings.js";
import { UndoMemory } from "./undo_memory.js";
import { rowsUrl } from "./view_state.js";

const MAX_EXAMPLES = 3;
/** In which different values are searched. */
const EXAMPLE_ROWS = 20;

export class SchemaForm {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.tableId = form.dataset.tableId;
    this.list = form.querySelector("[data-columns-list]");
    this.bar = document.querySelector("[data-savebar]");
    this.nameField = form.elements.namedItem("name");
    this.descriptionField = form.elements.namedItem("description");
    this.nextKey = 1;
    /** All types, including those of other apps. @type {import("./column_editor.js").EditedType[]} */
    this.types = JSON.parse(form.dataset.types);
    // Text typed before the script was loaded is an edit.
    const typed = [this.nameField, this.descriptionField].filter((field) => field.value !== field.defaultValue).map((field) => ({ field, text: field.value }));
    this.setTable({ name: form.dataset.name, description: form.dataset.description, columns: JSON.parse(form.dataset.columns) });
    for (const { field, text } of typed) field.value = text;
    this.listen();
    this.showBar();
  }

  /** @param {{name: string, description: string, columns: any[]}} table  as stored */
  setTable(table) {
    const toEdited = (column) => ({
      key: column.id, id: column.id, name: column.name, type: column.type, required: Boolean(column.required), default: column.default ?? null,
      options: column.options ?? [], optionColors: column.optionColors ?? {}, filterDisplay: column.filterDisplay ?? "dropdown", removed: false,
      people: column.people, settings: this.settingsOf(column.type, column),
    });
    this.before = { name: table.name, description: table.description, columns: table.columns.map(toEdited) };
    this.columns = structuredClone(this.before.columns);
    this.nameField.value = table.name;
    this.descriptionField.value = table.description;
    /** Values by column. @type {Map<string, any[]>} */
    this.examples = new Map();
    /** @type {Set<string>} */
    this.unfolded = new Set();
    this.draw();
  }

  listen() {
    const add = this.form.querySelector("[data-add-column]");
    add.disabled = false;
    add.addEventListener("click", () => this.addColumn());
    this.form.addEventListener("input", () => this.showBar());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    this.bar.querySelector("[data-save]").addEventListener("click", () => this.save());
    this.bar.querySelector("[data-discard]").addEventListener("click", () => this.saving || this.setTable(this.before));
    this.list.addEventListener("dragover", (event) => this.onDragOver(event));
    this.list.addEventListener("drop", (event) => event.preventDefault());
    addEventListener("beforeunload", (event) => {
      if (!this.isLeaving && editCount(this.proposal) > 0) event.preventDefault();
    });
    // After going back from the table, load the stored definition.
    addEventListener("pageshow", ({ persisted }) => persisted && this.isLeaving && location.reload());
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.save();
    });
  }

  get after() {
    return { name: this.nameField.value, description: this.descriptionField.value, columns: this.columns };
  }

  get proposal() {
    return schemaProposal(this.before, this.after);
  }

  draw() {
    const faults = columnFaults(this.columns);
    replaceInside(this.list, ...this.columns.map((column) => this.drawColumn(column, this.tried ? faults.get(column.key) ?? "" : "")));
    this.form.querySelector("[data-no-columns]").hidden = this.columns.length > 0;
    this.showBar();
  }

  /** @param {any} column @param {string} fault */
  drawColumn(column, fault) {
    return drawColumnEditor(column, {
      fault,
      types: this.types,
      examples: () => this.examplesOf(column),
      state: this.stateOf(column),
      open: this.unfolded.has(column.key),
      changed: () => this.onEdited(column),
      redraw: () => this.redraw(column.key),
      move: (step) => this.move(column, step),
      remove: () => this.remove(column),
      unfold: (open) => (open ? this.unfolded.add(column.key) : this.unfolded.delete(column.key)),
      drag: (event) => {
        this.dragged = column;
        event.dataTransfer?.setData("text/plain", column.name);
      },
    });
  }

  /** @param {string} type @param {Record<string, any>} [given]  a column @returns {Record<string, any>} the settings of the column */
  settingsOf(type, given = {}) {
    return usedSettings(this.types.find(({ name }) => name === type)?.settings ?? [], given);
  }

  /** @param {EditedColumn} column @returns {{before: Column, values: any[]}} values of a column whose settings are changed; none until they are read */
  examplesOf(column) {
    const stored = this.before.columns.find((one) => one.id === column.id);
    if (!stored || stored.type !== column.type || JSON.stringify(stored.settings) === JSON.stringify(column.settings)) return { before: column, values: [] };
    const before = { ...stored, ...stored.settings };
    const values = this.examples.get(column.id);
    if (!values) {
      this.examples.set(column.id, []);
      void this.readExamples(column);
    }
    return { before, values: values ?? [] };
  }

  /** Read some values of a column, and show them. @param {EditedColumn} column */
  async readExamples({ id, key }) {
    const { examples } = this;
    const filter = JSON.stringify([{ column: id, op: "not_empty" }]);
    const answer = await api.get(rowsUrl(this.tableId, { filter, search: "", sort: "" }, { offset: 0, limit: EXAMPLE_ROWS, count: "none" })).catch(() => null);
    // Without them, the settings can still be changed.
    if (!answer || examples !== this.examples) return;
    examples.set(id, [...new Set(answer.rows.map((row) => row.data[id]))].slice(0, MAX_EXAMPLES));
    // Only the preview is redrawn, since text may be typed in the other fields.
    const column = this.columns.find((one) => one.key === key);
    const { before, values } = this.examplesOf(column);
    this.list.querySelector(`[data-key="${CSS.escape(key)}"] [data-preview]`)?.replaceWith(drawFormatPreview(before, { ...column, ...column.settings }, values));
  }

  /** @param {any} column @returns {"" | "is-new" | "is-dirty" | "is-removed"} */
  stateOf(column) {
    if (column.removed) return "is-removed";
    if (!column.id) return "is-new";
    const saved = this.before.columns.find((one) => one.id === column.id);
    return Object.keys(columnChanges(saved, column)).length ? "is-dirty" : "";
  }

  /** Only update the mark of the line, so that the caret does not move. @param {any} column */
  onEdited(column) {
    const item = this.list.querySelector(`[data-key="${CSS.escape(column.key)}"]`);
    item?.classList.toggle("is-dirty", this.stateOf(column) === "is-dirty");
    this.showBar();
  }

  /** @param {string} key  of the line; redraws all lines and restores the focus */
  redraw(key) {
    const part = document.activeElement?.getAttribute("data-part");
    this.draw();
    if (part) this.list.querySelector(`[data-key="${CSS.escape(key)}"] [data-part="${CSS.escape(part)}"]`)?.focus();
  }

  /** @param {string} id  of a column to edit; "new": add one */
  editColumn(id) {
    if (id === "new") return this.addColumn();
    if (!this.columns.some((column) => column.id === id)) return;
    this.unfolded.add(id);
    this.draw();
    const line = this.list.querySelector(`[data-key="${CSS.escape(id)}"]`);
    line.scrollIntoView({ block: "center" });
    line.querySelector("[data-part=name]").focus({ preventScroll: true });
  }

  addColumn() {
    const key = `new-${this.nextKey++}`;
    this.columns.push({ key, id: "", name: "", type: DEFAULT_TYPE, required: false, default: null, options: [], optionColors: {}, filterDisplay: "dropdown", removed: false, settings: this.settingsOf(DEFAULT_TYPE) });
    this.draw();
    this.list.querySelector(`[data-key="${key}"] [data-part=name]`)?.focus();
  }

  /** @param {any} column  a new one is removed, a stored one is marked as removed */
  remove(column) {
    if (column.id) column.removed = !column.removed;
    else this.columns = this.columns.filter((one) => one !== column);
    this.draw();
  }

  /** @param {any} column @param {number} step */
  move(column, step) {
    const from = this.columns.indexOf(column);
    const to = from + step;
    if (to < 0 || to >= this.columns.length) return;
    this.columns.splice(from, 1);
    this.columns.splice(to, 0, column);
    this.redraw(column.key);
  }

  /** @param {DragEvent} event */
  onDragOver(event) {
    const item = /** @type {Element} */ (event.target).closest("li[data-key]");
    if (!this.dragged || !item) return;
    event.preventDefault();
    const to = this.columns.findIndex((column) => column.key === item.dataset.key);
    const from = this.columns.indexOf(this.dragged);
    if (to < 0 || to === from) return;
    this.columns.splice(from, 1);
    this.columns.splice(to, 0, this.dragged);
    this.draw();
  }

  showBar() {
    const count = editCount(this.proposal);
    this.bar.hidden = count === 0;
    this.bar.querySelector("[data-dirty-count]").textContent = tn("{count} unsaved change", "{count} unsaved changes", count);
    this.bar.querySelector("[data-dirty-words]").textContent = editWords(this.proposal);
  }

  async save() {
    const { proposal } = this;
    this.tried = true;
    if (!editCount(proposal) || this.saving) return;
    if (columnFaults(this.columns).size || !this.nameField.reportValidity()) {
      this.draw();
      const invalid = this.list.querySelector("[aria-invalid]");
      invalid?.focus();
      // The error message is below the field.
      invalid?.closest("li").scrollIntoView({ block: "nearest" });
      return;
    }
    this.saving = true;
    const button = this.bar.querySelector("[data-save]");
    button.disabled = true;
    // Text typed during the request would be lost.
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    this.form.inert = true;
    try {
      const address = `/api/tables/${this.tableId}/proposals/schema/`;
      const preview = await api.post(`${address}?dry_run=true&keys=id`, proposal);
      const choices = await confirmLosses(preview);
      if (!choices) return;
      // Exactly what was confirmed, or nothing.
      const { change } = await api.post(`${address}?plan=${preview.plan}&${choices}`, proposal);
      new UndoMemory(sessionStorage, this.form.dataset).record("made", change);
      this.isLeaving = true;
      location.assign(this.form.dataset.back);
    } catch (error) {
      const reasons = (error.errors ?? []).slice(0, 3).map((one) => one.detail);
      toast([t("Nothing was saved. {reason}", { reason: error.message }), ...reasons].join(" "), { kind: "error" });
    } finally {
      this.saving = false;
      button.disabled = false;
      if (!this.isLeaving) this.resumeEditing(focused);
    }
  }

  /** Continue editing after a failed save. @param {HTMLElement | null} focused */
  resumeEditing(focused) {
    this.form.inert = false;
    if (document.activeElement === document.body) focused?.focus();
  }

  /** The table was changed by others: load it, unless there are unsaved edits. */
  async reload() {
    if (editCount(this.proposal) > 0) {
      toast(t("The table was changed meanwhile. Save or discard your edits to see it."));
      return;
    }
    const number = (this.reloadCount = (this.reloadCount ?? 0) + 1);
    const table = await api.get(`/api/tables/${this.tableId}/`).catch(() => null);
    if (!table || number !== this.reloadCount) return;
    // Edited while it was read: show the message, and do not discard the edits.
    if (editCount(this.proposal) > 0) await this.reload();
    else this.setTable(table);
  }
}
