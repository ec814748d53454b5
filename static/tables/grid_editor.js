// Edits one cell in place, with an editor that fits the column's type. Leaving a cell as it was writes nothing.

import { el, icon, load, placeBeside } from "../element.js";
import { t } from "../locale.js";
import { columnType, hueOf } from "./column_types/registry.js";
import { editText, typedValue } from "./values.js";


export class CellEditor {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {null | {cell: HTMLTableCellElement, column: Column, before: Node[], start: string, input: any, closeNote: () => void, list?: any}} */
    this.session = null;
    /** What waits until the editor is closed, by its name. @type {Map<string, () => void>} */
    this.afterwards = new Map();
  }

  get isOpen() {
    return this.session !== null;
  }

  /** Whether something was typed that is nowhere else yet; a half-typed search for an option is no choice. */
  get holds() {
    return this.session !== null && !this.session.list && this.session.input.value !== this.session.start;
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
    const input = this.inputFor(column, replace ? "" : start);
    this.session = { cell, column, before, start, input, closeNote: noteLater(input, column, cell) };
    cell.classList.add("is-editing");
    tr.classList.add("is-edited");
    cell.replaceChildren(input);
    if (columnType(column).hasOptions) {
      const chosen = (option) => this.finish(option, "");
      this.session.list = openOptionList({ input, cell, column, current: start, chosen });
    }
    input.addEventListener("keydown", (event) => this.keyPressed(event));
    input.addEventListener("blur", () => this.blurred(input));
    input.focus();
    if (!replace) putCaretAtEnd(input);
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
    session.closeNote();
    cell.classList.remove("is-editing");
    cell.replaceChildren(...before);
    const tr = cell.closest("tr");
    tr?.classList.remove("is-edited");
    if (step !== null) this.grid.table.focus({ preventScroll: true });
    if (text !== start && tr) this.grid.writer.whenReadable(column, () => this.grid.ownerOf(tr).write(tr, column, typedValue(column, text)));
    if (step) this.grid.cursor.step(step.replace("Shift", ""), step.startsWith("Shift"));
    const waiting = [...this.afterwards.values()];
    this.afterwards.clear();
    for (const run of waiting) run();
  }
}

/** @param {HTMLInputElement | HTMLTextAreaElement} input  kinds of fields without a caret (numbers, dates) are left alone */
function putCaretAtEnd(input) {
  // Null in fields that have no selection, where setting one is an error.
  if (input.selectionStart === null || input.selectionStart === undefined) return;
  input.setSelectionRange(input.value.length, input.value.length);
}

/**
 * The list of a select column's options under a cell that is being edited, with search by typing.
 * @param {{input: HTMLInputElement, cell: HTMLElement, column: Column, current: string,
 *   chosen: (option: string) => void}} how  `chosen` gets "" for an emptied cell
 * @returns {{close: () => void, choose: () => void, typedChoice: () => string | null}}
 */
function openOptionList({ input, cell, column, current, chosen }) {
  const list = el("div", { class: "menu optlist", role: "listbox", id: "option-list", popover: "manual", "aria-label": column.name });
  let shown = [];
  let active = -1;

  const mark = (place) => {
    active = place;
    [...list.querySelectorAll("[role=option]")].forEach((item, index) => {
      item.classList.toggle("is-active", index === place);
      if (index !== place) return;
      item.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", item.id);
    });
  };
  const draw = () => {
    const sought = input.value.trim().toLocaleLowerCase();
    shown = (column.options ?? []).filter((option) => option.toLocaleLowerCase().includes(sought));
    if (current && !sought) shown = [...shown, ""];
    list.replaceChildren(...shown.map((option, place) => item(option, place)));
    if (!shown.length) list.append(el("p", { class: "menu__label", text: t("No such option") }));
    mark(Math.max(0, sought ? 0 : shown.indexOf(current)));
  };
  const item = (option, place) => {
    const inside = option
      ? [el("span", { class: "badge", "data-c": hueOf(column, option), text: option })]
      : [icon("x", "icon--14"), t("Clear")];
    if (option && option === current) inside.push(el("span", { class: "menu__end" }, icon("check", "icon--14")));
    const props = { class: "menu__item", role: "option", id: `option-${place}`, "aria-selected": String(option === current) };
    // pointerdown, not click: the field must not lose the focus first
    const pick = (event) => {
      event.preventDefault();
      chosen(option);
    };
    return el("div", { ...props, on: { pointerdown: pick } }, ...inside);
  };
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !shown.length) return;
    event.preventDefault();
    mark((active + step + shown.length) % shown.length);
  };

  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", list.id);
  input.addEventListener("input", draw);
  input.addEventListener("keydown", keys);
  document.body.append(list);
  list.showPopover();
  draw();
  placeBeside(list, cell);

  return {
    close: () => list.remove(),
    choose: () => chosen(shown[active] ?? current),
    typedChoice: () => (input.value.trim() && shown.length ? shown[active] : null),
  };
}

/** What shows which value a text means is fetched with the first field that needs it. @param {HTMLInputElement} input @param {Column} column @param {HTMLElement} cell */
function noteLater(input, column, cell) {
  if (!columnType(column).understood) return () => {};
  const start = input.value;
  const closing = load(() => import("./understood_note.js")).then(({ noteUnderstood }) => noteUnderstood(input, column, { anchor: cell, start }), () => () => {});
  return () => void closing.then((close) => close());
}
