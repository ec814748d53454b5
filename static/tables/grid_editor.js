// Edits one cell in place, with an editor that fits the column's type. Leaving a cell as it was writes nothing.

import { el } from "../element.js";
import { columnType } from "./column_types/index.js";
import { openOptionList } from "./option_list.js";
import { editText, typedValue } from "./values.js";


export class CellEditor {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {null | {cell: HTMLTableCellElement, column: Column, before: Node[], start: string, input: any, list?: any}} */
    this.session = null;
    /** What waits until the editor is closed, by its name. @type {Map<string, () => void>} */
    this.afterwards = new Map();
  }

  get isOpen() {
    return this.session !== null;
  }

  /**
   * Nothing is drawn under the hands of somebody who types: it waits until they are done.
   * @param {string} name  what waits under the same name already is waited for once @param {() => void} run
   */
  whenClosed(name, run) {
    if (this.isOpen) this.afterwards.set(name, run);
    else run();
  }

  /** @param {Element} part @returns {boolean} whether a cell in it is being edited */
  isIn(part) {
    return this.session !== null && part.contains(this.session.cell);
  }

  /** @param {HTMLTableCellElement} cell @param {Column} column @param {{replace?: boolean}} [how]  `replace`: a key was typed */
  open(cell, column, { replace = false } = {}) {
    this.commit();
    const tr = cell.closest("tr");
    const start = editText(column, this.grid.ownerOf(tr).value(tr, column));
    const before = [...cell.childNodes];
    const input = this.inputFor(column, replace && columnType(column).keepsFirstKey ? "" : start);
    this.session = { cell, column, before, start, input };
    cell.classList.add("is-editing");
    cell.replaceChildren(input);
    if (columnType(column).hasOptions) {
      const chosen = (option) => this.finish(option, "");
      this.session.list = openOptionList({ input, cell, column, current: start, chosen });
    }
    input.addEventListener("keydown", (event) => this.keyPressed(event));
    input.addEventListener("blur", () => this.blurred(input));
    input.focus();
    if (!replace) input.select?.();
  }

  /** @param {Column} column @param {string} text */
  inputFor(column, text) {
    const names = { "aria-label": column.name, autocomplete: "off" };
    const { tag, props } = columnType(column).field(text);
    return el(tag, { ...names, ...props });
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    event.stopPropagation();
    if (event.isComposing || !this.session) return;
    if (event.key === "Escape") {
      event.preventDefault();
      this.cancel();
    } else if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      if (this.session.list) this.session.list.choose();
      else this.finish(this.session.input.value, "ArrowDown");
    } else if (event.key === "Tab") {
      event.preventDefault();
      const step = event.shiftKey ? "ShiftTab" : "Tab";
      if (this.session.list) this.finish(this.session.list.typedChoice() ?? this.session.start, step);
      else this.finish(this.session.input.value, step);
    }
  }

  /** @param {HTMLElement} input */
  blurred(input) {
    if (this.session?.input === input) this.commit();
  }

  /** Keeps what was typed; a half-typed search for an option is not a choice. */
  commit() {
    if (!this.session) return;
    const { list, input, start } = this.session;
    this.finish(list ? start : input.value, null);
  }

  cancel() {
    if (this.session) this.finish(this.session.start, "");
  }

  /** @param {string} text @param {string | null} step  where to go next; "" stays, null leaves the focus where it is */
  finish(text, step) {
    const session = this.session;
    if (!session) return;
    this.session = null;
    const { cell, column, before, start } = session;
    session.list?.close();
    cell.classList.remove("is-editing");
    cell.replaceChildren(...before);
    const tr = cell.closest("tr");
    if (step !== null) this.grid.table.focus({ preventScroll: true });
    if (text !== start && tr) this.grid.ownerOf(tr).write(tr, column, typedValue(column, text));
    if (step) this.grid.cursor.step(step.replace("Shift", ""), step.startsWith("Shift"));
    const waiting = [...this.afterwards.values()];
    this.afterwards.clear();
    for (const run of waiting) run();
  }
}
