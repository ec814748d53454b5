// The filter builder: conditions on any column, all of which must hold, each with others beside it of which one is enough.

import { api } from "../api.js";
import { el, icon, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { MOST_LINES, blankLine, movedTo, placeOfFault, readDraft, testedBy, writeDraft } from "./filter_draft.js";
import { columnNamed, labelOf, rowsAddress, takesOf } from "./view_state.js";

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

  /** The columns one can filter by: also those that are hidden. @returns {Column[]} */
  get columns() {
    return this.grid.allColumns;
  }

  /** @returns {number} */
  get count() {
    return this.draft.flat().length;
  }

  open() {
    this.draft = readDraft(this.grid.view.filter, this.columns, this.operators);
    const wish = this.grid.filters.takeWish();
    if (!this.draft.length || (wish && this.count < MOST_LINES)) this.draft.push([blankLine(wish ?? this.columns[0], this.operators)]);
    this.wished = Boolean(wish);
    this.tell([]);
  }

  focus() {
    const selects = this.form.querySelectorAll(this.wished ? ".builder__test > .select > select" : "select");
    /** @type {HTMLElement | undefined} */ (this.wished ? selects[selects.length - 1] : selects[0])?.focus();
  }

  /** @param {{clause: number, place: number, text: string}[]} faults @param {string} [said]  about the whole */
  tell(faults, said = "") {
    this.faults = faults;
    this.said = said;
    this.draw();
    if (faults.length) this.form.querySelector('[aria-invalid="true"]')?.focus();
  }

  draw() {
    let number = 0;
    const clauses = this.draft.flatMap((lines, clause) => {
      const drawn = lines.flatMap((line, place) => {
        number += 1;
        const one = this.drawLine(line, { clause, place, number });
        return place > 0 ? [el("span", { class: "builder__between", text: t("or") }), one] : [one];
      });
      const or = this.button(t("Or"), { part: `or ${clause}`, label: t("Or, beside condition {number}", { number }) }, () => this.further(lines, clause));
      const box = el("div", { class: "builder__clause" }, ...drawn, el("div", {}, or));
      return clause > 0 ? [el("span", { class: "builder__between", text: t("and") }), box] : [box];
    });
    const add = this.button(t("Add condition"), { part: "add" }, () => this.further(null, this.draft.length));
    const submit = el("button", { class: "btn btn--primary btn--sm", type: "submit", text: t("Show rows") });
    const said = this.said && el("p", { class: "builder__fault", role: "alert", text: this.said });
    replaceInside(this.form, el("p", { class: "menu__label", text: t("Show rows where") }), ...clauses, ...(said ? [said] : []), el("div", { class: "builder__acts" }, add, submit));
  }

  /** @param {Line[] | null} lines  of a clause that gets another choice; null: a clause of its own @param {number} clause */
  further(lines, clause) {
    const blank = blankLine(this.columns[0], this.operators);
    const { column, op } = lines?.at(-1) ?? blank;
    // Another choice is mostly about the same column.
    this.changed(() => (lines ? lines.push({ column, op, values: [] }) : this.draft.push([blank])));
    const box = this.form.querySelectorAll(".builder__clause")[clause];
    /** @type {HTMLElement | undefined} */ ([...box.querySelectorAll(".builder__line > :first-child > select")].at(-1))?.focus();
  }

  /** @param {string} text @param {{part: string, label?: string}} names @param {() => void} run */
  button(text, { part, label }, run) {
    const full = this.count >= MOST_LINES;
    return el("button", { class: "btn btn--ghost btn--sm", type: "button", disabled: full, "aria-label": label, "data-part": part, on: { click: run } }, icon("plus", "icon--14"), text);
  }

  /** @param {() => void} change */
  changed(change) {
    change();
    this.faults = [];
    this.said = "";
    this.draw();
  }

  /** @param {Line} line @param {{clause: number, place: number, number: number}} where */
  drawLine(line, { clause, place, number }) {
    const column = columnNamed(this.columns, line.column) ?? this.columns[0];
    const put = (now) => this.changed(() => this.draft[clause].splice(place, 1, now));
    const columns = this.columns.map((one) => el("option", { value: one.id, selected: one === column, text: one.name }));
    const tests = (this.operators[column.type] ?? []).map(([op, words]) => el("option", { value: op, selected: op === line.op, text: labelOf(words) }));
    const onColumn = (event) => put(movedTo(line, columnNamed(this.columns, event.target.value), this.operators));
    const onTest = (event) => put(testedBy(line, event.target.value, column, this.operators));
    const fault = this.faults.find((one) => one.clause === clause && one.place === place);
    const id = `builder-fault-${number}`;
    const told = fault ? { "aria-invalid": "true", "aria-describedby": id } : {};
    const remove = () => this.changed(() => {
      this.draft[clause].splice(place, 1);
      this.draft = this.draft.filter((lines) => lines.length);
    });
    return el("div", { class: "builder__line", role: "group", "aria-label": t("Condition {number}", { number }) },
      chosen({ "aria-label": t("Column of condition {number}", { number }), on: { change: onColumn } }, columns),
      el("div", { class: "builder__test" },
        chosen({ "aria-label": t("Test of condition {number}", { number }), on: { change: onTest } }, tests),
        el("div", { class: "builder__value" }, ...this.drawFields(line, { column, number, told }))),
      el("button", { class: "btn btn--ghost btn--icon", type: "button", "aria-label": t("Remove condition {number}", { number }), "data-part": `remove ${number}`, on: { click: remove } }, icon("x", "icon--14")),
      fault && el("span", { class: "builder__fault", id, text: fault.text }),
    );
  }

  /** @param {Line} line @param {{column: Column, number: number, told: Record<string, string>}} how @returns {HTMLElement[]} */
  drawFields(line, { column, number, told }) {
    const takes = takesOf(this.operators, column, line.op);
    const name = t("Value of condition {number}", { number });
    if (takes === "nothing") return [];
    if (takes === "options") return [this.drawOptions(line, { column, name, told })];
    if (takes === "truth") {
      const options = [["yes", t("Yes")], ["no", t("No")]].map(([value, text]) => el("option", { value, selected: line.values[0] === value, text }));
      return [chosen({ "aria-label": name, ...told, on: { change: (event) => (line.values = [event.target.value]) } }, options)];
    }
    const type = takes === "days" ? "days" : takes === "part" ? "text" : columnType(column).fieldType;
    const kind = { days: { type: "text", inputmode: "numeric" }, number: { type: "text", inputmode: "decimal" }, date: { type: "date" } }[type] ?? { type: "text" };
    const field = (place, label) =>
      el("input", { class: "input", ...kind, value: line.values[place] ?? "", autocomplete: "off", "aria-label": label, ...told, on: { input: (event) => (line.values[place] = event.target.value) } });
    if (takes === "pair") return [field(0, name), el("span", { class: "builder__between", text: t("and") }), field(1, t("Second value of condition {number}", { number }))];
    return [field(0, name), ...(takes === "days" ? [el("span", { class: "builder__between", text: t("days") })] : [])];
  }

  /** @param {Line} line @param {{column: Column, name: string, told: Record<string, string>}} how */
  drawOptions(line, { column, name, told }) {
    const lines = (column.options ?? []).map((option) => {
      const on = { change: (event) => (line.values = event.target.checked ? [...line.values, option] : line.values.filter((one) => one !== option)) };
      return el("label", {}, el("input", { class: "check", type: "checkbox", checked: line.values.includes(option), ...told, on }), el("span", { text: option }));
    });
    return el("div", { class: "builder__options", role: "group", "aria-label": name }, ...lines);
  }

  /** The server says what counts as a value; only what it takes becomes the view. */
  async apply() {
    const { grid, form } = this;
    const { filter, faults } = writeDraft(this.draft, this.columns, this.operators);
    if (faults.length) return this.tell(faults);
    const asked = (this.asked = {});
    const meant = JSON.stringify(this.draft);
    if (filter && filter !== grid.view.filter) {
      try {
        await api.get(rowsAddress(grid.tableId, { ...grid.view, filter }, { offset: 0, limit: 1 }));
      } catch (error) {
        if (this.asked !== asked || !form.matches(":popover-open")) return;
        const told = (error.errors ?? []).map((one) => ({ ...placeOfFault(one.path), text: one.detail })).filter((one) => "clause" in one);
        return this.tell(told, told.length ? "" : t("The rows could not be read. {reason}", { reason: error.message }));
      }
    }
    // They may have closed it, or said something else meanwhile.
    if (this.asked !== asked || !form.matches(":popover-open")) return;
    // Who goes on with the conditions has not done with them yet.
    if (JSON.stringify(this.draft) === meant) form.hidePopover();
    grid.filters.go({ ...grid.view, filter });
  }
}

/** @param {Record<string, any>} names @param {HTMLOptionElement[]} options  to choose one of */
function chosen(names, options) {
  return el("span", { class: "select" }, el("select", { class: "input", ...names }, ...options), icon("chevron-down", "icon--14"));
}
