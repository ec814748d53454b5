// The filter builder: conditions on any column, all of which must hold; each can have alternatives joined by "or".

import { api } from "../api.js";
import { el, icon, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { MAX_CONDITIONS, blankLine, withColumn, parseErrorPath, readDraft, withOperator, writeDraft } from "./filter_draft.js";
import { operatorLabel, valueKindOf } from "./filter_conditions.js";
import { findColumn, rowsUrl } from "./view_state.js";

export class FilterBuilder {
  /** @param {TableGrid} grid @param {HTMLFormElement} form  a popover */
  constructor(grid, form) {
    this.grid = grid;
    this.form = form;
    this.operators = grid.filters.operators;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.apply();
    });
  }

  /** Columns to filter by, including hidden ones. @returns {Column[]} */
  get columns() {
    return this.grid.allColumns;
  }

  /** @returns {number} */
  get count() {
    return this.draft.flat().length;
  }

  open() {
    this.draft = readDraft(this.grid.view.filter, this.columns, this.operators);
    const { filters } = this.grid;
    const { presetColumn } = filters;
    filters.presetColumn = undefined;
    if (!this.draft.length || (presetColumn && this.count < MAX_CONDITIONS)) this.draft.push([blankLine(presetColumn ?? this.columns[0], this.operators)]);
    this.hasPreset = Boolean(presetColumn);
    this.showErrors([]);
  }

  focus() {
    const selects = this.form.querySelectorAll(this.hasPreset ? ".builder__test > .select > select" : "select");
    /** @type {HTMLElement | undefined} */ (this.hasPreset ? selects[selects.length - 1] : selects[0])?.focus();
  }

  /** @param {{clause: number, alternative: number, text: string}[]} faults @param {string} [message]  about the whole filter */
  showErrors(faults, message = "") {
    this.faults = faults;
    this.message = message;
    this.draw();
    if (faults.length) this.form.querySelector('[aria-invalid="true"]')?.focus();
  }

  draw() {
    let number = 0;
    const clauses = this.draft.flatMap((lines, clause) => {
      const drawn = lines.flatMap((line, alternative) => {
        number += 1;
        const one = this.drawLine(line, { clause, alternative, number });
        return alternative > 0 ? [el("span", { class: "builder__between", text: t("or") }), one] : [one];
      });
      const or = this.button(t("Or"), { part: `or ${clause}`, label: t("Or, with condition {number}", { number }) }, () => this.addLine(lines, clause));
      const box = el("div", { class: "builder__clause" }, ...drawn, el("div", {}, or));
      return clause > 0 ? [el("span", { class: "builder__between", text: t("and") }), box] : [box];
    });
    const add = this.button(t("Add condition"), { part: "add" }, () => this.addLine(null, this.draft.length));
    const submit = el("button", { class: "btn btn--primary btn--sm", type: "submit", text: t("Show rows") });
    const message = this.message && el("p", { class: "builder__fault", role: "alert", text: this.message });
    replaceInside(this.form, el("p", { class: "menu__label", text: t("Show rows where") }), ...clauses, ...(message ? [message] : []), el("div", { class: "builder__actions" }, add, submit));
  }

  /** @param {Line[] | null} lines  of a clause that gets an alternative; null: add a clause @param {number} clause */
  addLine(lines, clause) {
    const blank = blankLine(this.columns[0], this.operators);
    const { column, op } = lines?.at(-1) ?? blank;
    // An alternative is mostly about the same column.
    this.changed(() => (lines ? lines.push({ column, op, values: [] }) : this.draft.push([blank])));
    const box = this.form.querySelectorAll(".builder__clause")[clause];
    /** @type {HTMLElement | undefined} */ ([...box.querySelectorAll(".builder__line > :first-child > select")].at(-1))?.focus();
  }

  /** @param {string} text @param {{part: string, label?: string}} attributes @param {() => void} run */
  button(text, { part, label }, run) {
    const full = this.count >= MAX_CONDITIONS;
    return el("button", { class: "btn btn--ghost btn--sm", type: "button", disabled: full, "aria-label": label, "data-part": part, on: { click: run } }, icon("plus", "icon--14"), text);
  }

  /** @param {() => void} change */
  changed(change) {
    change();
    this.faults = [];
    this.message = "";
    this.draw();
  }

  /** @param {Line} line @param {{clause: number, alternative: number, number: number}} where */
  drawLine(line, { clause, alternative, number }) {
    const column = findColumn(this.columns, line.column) ?? this.columns[0];
    const replace = (now) => this.changed(() => this.draft[clause].splice(alternative, 1, now));
    const columns = this.columns.map((one) => el("option", { value: one.id, selected: one === column, text: one.name }));
    const tests = (this.operators[column.type] ?? []).map(([op, words]) => el("option", { value: op, selected: op === line.op, text: operatorLabel(words) }));
    const onColumn = (event) => replace(withColumn(line, findColumn(this.columns, event.target.value), this.operators));
    const onTest = (event) => replace(withOperator(line, event.target.value, column, this.operators));
    const fault = this.faults.find((one) => one.clause === clause && one.alternative === alternative);
    const id = `builder-fault-${number}`;
    const errorProps = fault ? { "aria-invalid": "true", "aria-describedby": id } : {};
    const remove = () => this.changed(() => {
      this.draft[clause].splice(alternative, 1);
      this.draft = this.draft.filter((lines) => lines.length);
    });
    return el("div", { class: "builder__line", role: "group", "aria-label": t("Condition {number}", { number }) },
      drawSelect({ "aria-label": t("Column of condition {number}", { number }), on: { change: onColumn } }, columns),
      el("div", { class: "builder__test" },
        drawSelect({ "aria-label": t("Operator of condition {number}", { number }), on: { change: onTest } }, tests),
        el("div", { class: "builder__value" }, ...this.drawFields(line, { column, number, errorProps }))),
      el("button", { class: "btn btn--ghost btn--icon", type: "button", "aria-label": t("Remove condition {number}", { number }), "data-part": `remove ${number}`, on: { click: remove } }, icon("x", "icon--14")),
      fault && el("span", { class: "builder__fault", id, text: fault.text }),
    );
  }

  /** @param {Line} line @param {{column: Column, number: number, errorProps: Record<string, string>}} how @returns {HTMLElement[]} */
  drawFields(line, { column, number, errorProps }) {
    const valueKind = valueKindOf(this.operators, column, line.op);
    const name = t("Value of condition {number}", { number });
    if (valueKind === "nothing") return [];
    const { fieldType, hasDecimals, listItems } = columnType(column);
    if (valueKind === "options" && listItems) return [this.drawOptions(line, { column, name, errorProps })];
    if (valueKind === "truth") {
      const options = [["yes", t("Yes")], ["no", t("No")]].map(([value, text]) => el("option", { value, selected: line.values[0] === value, text }));
      return [drawSelect({ "aria-label": name, ...errorProps, on: { change: (event) => (line.values = [event.target.value]) } }, options)];
    }
    if (valueKind === "options") {
      const set = (event) => (line.values = event.target.value.split(",").map((one) => one.trim()).filter(Boolean));
      return [el("input", { class: "input", value: line.values.join(", "), autocomplete: "off", placeholder: t("Names, separated by commas"), "aria-label": name, ...errorProps, on: { input: set } })];
    }
    const inputmode = valueKind === "days" ? "numeric" : hasDecimals ? "decimal" : undefined;
    // Browsers have a format of their own for numbers.
    const type = valueKind === "days" || valueKind === "part" || hasDecimals ? "text" : fieldType;
    const field = (index, label) =>
      el("input", { class: "input", type, inputmode, value: line.values[index] ?? "", autocomplete: "off", "aria-label": label, ...errorProps, on: { input: (event) => (line.values[index] = event.target.value) } });
    if (valueKind === "pair") return [field(0, name), el("span", { class: "builder__between", text: t("and") }), field(1, t("Second value of condition {number}", { number }))];
    return [field(0, name), ...(valueKind === "days" ? [el("span", { class: "builder__between", text: t("days") })] : [])];
  }

  /** @param {Line} line @param {{column: Column, name: string, errorProps: Record<string, string>}} how */
  drawOptions(line, { column, name, errorProps }) {
    const { listItem, listItems } = columnType(column);
    // Rows may have people who left the table.
    const former = (column.people ?? []).filter(({ has_left: left }) => left).map(({ id }) => listItem(id, column));
    const items = new Map([...listItems(column), ...former].map(({ label, draw }) => [label, draw]));
    const lines = [...new Set([...items.keys(), ...line.values])].map((label) => {
      const on = { change: (event) => (line.values = event.target.checked ? [...line.values, label] : line.values.filter((one) => one !== label)) };
      return el("label", {}, el("input", { class: "check", type: "checkbox", checked: line.values.includes(label), ...errorProps, on }), items.get(label)?.() ?? el("span", { text: label }));
    });
    return el("div", { class: "builder__options", role: "group", "aria-label": name }, ...lines);
  }

  /** The server validates the values; only a filter it accepts becomes the view. */
  async apply() {
    const { grid, form } = this;
    try {
      await Promise.all(this.columns.map((column) => columnType(column).prepare()));
    } catch {
      return this.showErrors([], t("The conditions could not be read. Try again in a moment."));
    }
    const { filter, faults } = writeDraft(this.draft, this.columns, this.operators);
    if (faults.length) return this.showErrors(faults);
    const request = (this.request = {});
    const sentDraft = JSON.stringify(this.draft);
    if (filter && filter !== grid.view.filter) {
      try {
        await api.get(rowsUrl(grid.tableId, { ...grid.view, filter }, { offset: 0, limit: 1, count: "none" }));
      } catch (error) {
        if (this.request !== request || !form.matches(":popover-open")) return;
        const errors = (error.errors ?? []).map((one) => ({ ...parseErrorPath(one.path), text: one.detail })).filter((one) => "clause" in one);
        return this.showErrors(errors, errors.length ? "" : t("The rows could not be loaded. {reason}", { reason: error.message }));
      }
    }
    // The builder may have been closed, or the conditions changed.
    if (this.request !== request || !form.matches(":popover-open")) return;
    // The form is not closed if the user has changed the conditions meanwhile.
    if (JSON.stringify(this.draft) === sentDraft) form.hidePopover();
    grid.filters.go({ ...grid.view, filter });
  }
}

/** @param {Record<string, any>} attributes @param {HTMLOptionElement[]} options  of the select */
function drawSelect(attributes, options) {
  return el("span", { class: "select" }, el("select", { class: "input", ...attributes }, ...options), icon("chevron-down", "icon--14"));
}
