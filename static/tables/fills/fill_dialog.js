// The dialog that sets up a fill: instruction, columns, rows, estimate, a trial of three rows, and the start.

import { ApiError, api } from "../../api.js";
import { el, icon, replaceInside } from "../../element.js";
import { t, tn } from "../../locale.js";
import { columnType } from "../column_types/registry.js";
import { ExampleRows } from "./example_rows.js";
import { FillChoices } from "./fill_choices.js";
import { FillTrial } from "./fill_trial.js";
import { InstructionField } from "./instruction_field.js";
import { estimateText } from "./result_texts.js";
import { RowChoice } from "./row_choice.js";

const MAX_COLUMNS = 8;
const ESTIMATE_MS = 600;
/** If what is offered cannot be read, the API decides. */
const NO_OFFERS = { models: [], confident: false, notify: false };

/**
 * Open the dialog for a column. What was typed for it earlier is still there.
 * @param {TableGrid} grid @param {string} columnId @param {{started: (fill: Fill) => void}} how
 */
export async function openFillDialog(grid, columnId, { started }) {
  const offers = await api.get(`/api/tables/${grid.tableId}/fills/offers/`).catch(() => NO_OFFERS);
  const dialog = new FillDialog(grid, columnId, { offers, started });
  document.body.append(dialog.element);
  dialog.element.showModal();
  dialog.instruction.input.focus();
}

class FillDialog {
  /**
   * @param {TableGrid} grid @param {string} columnId
   * @param {{offers: import("./fill_choices.js").Offers, started: (fill: Fill) => void}} how
   */
  constructor(grid, columnId, { offers, started }) {
    this.grid = grid;
    this.started = started;
    this.address = `/api/tables/${grid.tableId}/fills/`;
    this.stored = new StoredDraft(`fill ${grid.tableId} ${columnId}`);
    const { instruction = "", columns = [columnId], rows = "empty", fill = null, examples = [], ...chosen } = this.stored.value;
    /** The draft on the server, and what it was last sent. @type {Fill | null} */
    this.fill = null;
    /** The id of the draft of an earlier dialog. @type {string | null} */
    this.earlier = fill;
    this.sent = "";
    /** What was last tried. */
    this.tried = "";
    this.busy = "";
    this.fillable = grid.allColumns.filter((column) => !columnType(column).isComputed && !columnType(column).hasFiles);
    this.columns = this.drawColumns(columns.filter((id) => this.fillable.some((column) => column.id === id)), columnId);
    this.instruction = new InstructionField({ columns: grid.allColumns, value: instruction, changed: () => this.changed() });
    this.rows = new RowChoice(grid, { columns: () => this.columnIds, changed: () => this.changed(), name: rows });
    this.examples = new ExampleRows(grid, { chosen: examples, columns: () => grid.allColumns.filter(({ id }) => this.columnIds.includes(id)), changed: () => this.changed() });
    this.choices = new FillChoices(offers, { chosen, changed: () => this.changed() });
    this.estimate = el("p", { class: "fill__estimate", role: "status" });
    this.fault = el("p", { class: "notice is-bad", role: "alert", hidden: true });
    this.trial = new FillTrial(grid);
    this.buildElement(grid.allColumns.find((column) => column.id === columnId)?.name ?? "");
    void this.rows.countEmpty();
    this.draw();
    this.estimateSoon();
  }

  /** @param {string} name  of the column */
  buildElement(name) {
    this.tryButton = el("button", { class: "btn", type: "button", on: { click: () => void this.try() } });
    this.runButton = el("button", { class: "btn btn--primary", type: "submit" });
    const close = el("button", { class: "btn btn--ghost", type: "button", text: t("Close"), on: { click: () => this.element.close() } });
    const form = el("form", { class: "modal__inner fill", novalidate: true },
      el("h2", { id: "fill-title", text: t("Fill “{column}” with the assistant", { column: name }) }),
      this.instruction.element, this.rows.element, ...this.choices.elements, this.columns.element, this.examples.element, this.choices.ending, this.choices.modes.element, this.estimate, this.trial.element, this.fault,
      el("div", { class: "actions" }, close, this.tryButton, this.runButton));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.run();
    });
    this.element = el("dialog", { class: "modal fill-dialog", "aria-labelledby": "fill-title" }, form);
    this.element.addEventListener("close", () => this.closed());
  }

  /** @param {string[]} chosen @param {string} columnId  always chosen @returns {{element: HTMLElement, boxes: HTMLInputElement[]}} */
  drawColumns(chosen, columnId) {
    const boxes = this.fillable.map((column) => el("input", { class: "check", type: "checkbox", value: column.id, checked: column.id === columnId || chosen.includes(column.id), disabled: column.id === columnId }));
    const changed = () => {
      const isFull = boxes.filter((box) => box.checked).length >= MAX_COLUMNS;
      for (const box of boxes) box.disabled = box.value === columnId || (isFull && !box.checked);
      void this.rows.countEmpty();
      this.examples.columnsChanged();
      this.changed();
    };
    const choices = this.fillable.map((column, index) => el("label", { class: "fill__choice", on: { change: changed } }, boxes[index], el("span", { text: column.name })));
    const isOpen = chosen.length > 1;
    const element = el("details", { open: isOpen }, el("summary", { class: "fill__more" }, icon("chevron-right", "icon--14"), t("Fill more columns at the same time")), el("fieldset", { class: "fill__set fill__columns" }, el("legend", { class: "sr", text: t("Columns to fill, at most {most}", { most: MAX_COLUMNS }) }), ...choices));
    return { element, boxes };
  }

  /** @returns {string[]} */
  get columnIds() {
    return this.columns.boxes.filter((box) => box.checked).map((box) => box.value);
  }

  get body() {
    return { columns: this.columnIds, instruction: this.instruction.value, rows: this.rows.value, examples: this.examples.ids, ...this.choices.value };
  }

  /** @returns {string} what the results depend on */
  get asked() {
    const { apply, notify, ...asked } = this.body;
    return JSON.stringify(asked);
  }

  changed() {
    this.stored.save({ instruction: this.instruction.value, columns: this.columnIds, rows: this.rows.name, examples: this.examples.ids, ...this.choices.value, fill: this.fill?.id ?? this.earlier });
    this.showFault("");
    this.trial.setOutdated(this.asked !== this.tried);
    this.draw();
    this.estimateSoon();
  }

  estimateSoon() {
    clearTimeout(this.timer);
    if (this.instruction.isComplete) this.timer = setTimeout(() => void this.saveDraft({ quietly: true }), ESTIMATE_MS);
  }

  /** Create or change the draft. @param {{quietly?: boolean}} [how]  quietly: no error messages while the user types @returns {Promise<Fill | null>} null after a message */
  saveDraft({ quietly = false } = {}) {
    clearTimeout(this.timer);
    this.saving = (this.saving ?? Promise.resolve()).then(() => this.save(quietly));
    return this.saving;
  }

  /** @param {boolean} quietly */
  async save(quietly) {
    const { body } = this;
    const text = JSON.stringify(body);
    if (this.fill && text === this.sent) return this.fill;
    try {
      this.fill = await this.send(body);
      this.sent = text;
      this.stored.save({ ...this.stored.value, fill: this.fill.id });
      return this.fill;
    } catch (error) {
      if (!quietly) this.showError(error);
      return null;
    } finally {
      this.draw();
    }
  }

  /** @param {any} body @returns {Promise<Fill>} */
  async send(body) {
    const id = this.fill?.id ?? this.earlier;
    this.earlier = null;
    if (!id) return api.post(this.address, body);
    try {
      return await api.patch(`${this.address}${id}/`, body);
    } catch (error) {
      // It was deleted, or run in another tab.
      if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return api.post(this.address, body);
      throw error;
    }
  }

  async try() {
    await this.during("trying", async (fill) => {
      this.tried = this.asked;
      await api.post(`${this.address}${fill.id}/try/`, { rows: 3 });
      const shown = this.trial.show(fill);
      this.draw();
      await shown;
    });
  }

  async run() {
    await this.during("starting", async (fill) => {
      const started = await api.post(`${this.address}${fill.id}/run/`, this.choices.mode === "batch" ? { mode: "batch" } : {});
      this.stored.clear();
      this.fill = null;
      this.element.close();
      this.started(started);
    });
  }

  /** @param {"trying" | "starting"} what @param {(fill: Fill) => Promise<void>} work */
  async during(what, work) {
    if (this.busy) return;
    this.busy = what;
    this.showFault("");
    this.draw();
    try {
      const fill = await this.saveDraft();
      if (fill) await work(fill);
    } catch (error) {
      this.showError(error);
    } finally {
      this.busy = "";
      this.draw();
    }
  }

  draw() {
    const { fill, busy } = this;
    const isPriced = fill && JSON.stringify(this.body) === this.sent;
    const estimate = isPriced ? (fill.estimate.rows ? estimateText(fill.estimate) : t("There are no such rows.")) : "";
    // Screen readers would read the same text again.
    if (this.estimate.textContent !== estimate) this.estimate.textContent = estimate;
    if (fill) this.choices.showModes(fill.estimate);
    const label = (words, isBusy) => (isBusy ? [icon("loader-circle", "spin icon--14"), ` ${words}`] : [words]);
    this.tryButton.replaceChildren(...label(this.trial.isUsed ? t("Try again") : t("Try 3 rows"), busy === "trying"));
    this.runButton.replaceChildren(...label(isPriced && fill.estimate.rows ? tn("Fill {count} row", "Fill {count} rows", fill.estimate.rows) : t("Fill rows"), busy === "starting"));
    for (const button of [this.tryButton, this.runButton]) button.setAttribute("aria-disabled", String(busy !== ""));
  }

  /** @param {any} error */
  showError(error) {
    const of = (/** @type {string} */ name) => (error.errors ?? []).filter(({ path = "" }) => path.startsWith(name)).map(({ detail }) => detail).join(" ");
    const atField = of("instruction");
    this.instruction.showFault(atField);
    if (atField) this.instruction.input.focus();
    const others = (error.errors ?? []).filter(({ path = "" }) => !path.startsWith("instruction")).map(({ detail }) => detail);
    this.showFault(atField ? others.join(" ") : others.join(" ") || error.message);
  }

  /** @param {string} words  "" for none */
  showFault(words) {
    this.fault.hidden = !words;
    replaceInside(this.fault, icon("circle-alert"), el("span", { text: words }));
  }

  closed() {
    clearTimeout(this.timer);
    this.trial.end();
    this.element.remove();
    // A draft with a text stays, for the case that the dialog was closed by accident.
    if (!this.instruction.value.trim()) this.stored.clear();
    if (document.activeElement === document.body) this.grid.table.focus({ preventScroll: true });
  }
}

/** What was typed, in the storage of the browser. */
class StoredDraft {
  /** @param {string} key */
  constructor(key) {
    this.key = key;
  }

  /** @returns {{instruction?: string, columns?: string[], rows?: any, examples?: number[], fill?: string | null} & Partial<import("./fill_choices.js").Chosen>} */
  get value() {
    try {
      return JSON.parse(localStorage.getItem(this.key) ?? "{}");
    } catch {
      return {};
    }
  }

  /** @param {Record<string, any>} value */
  save(value) {
    try {
      localStorage.setItem(this.key, JSON.stringify(value));
    } catch {
      // Without storage, a draft lasts as long as the dialog.
    }
  }

  clear() {
    localStorage.removeItem(this.key);
  }
}
