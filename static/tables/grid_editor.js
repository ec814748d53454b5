// Edits one cell in place, with an editor that fits the column's type. Leaving a cell as it was writes nothing.

import { el, late, load } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { editText, typedValue } from "./values.js";

/** @typedef {{close: () => void, choose: () => void, typed: () => {text: string, created: boolean} | null, whenLoaded: (run: () => void) => void}} OptionList */

export class CellEditor {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {null | {cell: HTMLTableCellElement, column: Column, before: Node[], start: string, input: any, closeNote: () => void, list?: OptionList}} */
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
      const chosen = (option, created) => this.finish(option, "", created);
      this.session.list = optionList({ input, anchor: cell, column, current: start, chosen, ...this.optionRights(tr, column, cell) });
    }
    input.addEventListener("keydown", (event) => this.keyPressed(event));
    input.addEventListener("blur", () => this.blurred(input));
    input.focus();
    if (!replace) putCaretAtEnd(input);
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {HTMLElement} cell  new options are not part of a proposal that is reviewed */
  optionRights(tr, column, cell) {
    const canCreate = this.grid.mayEdit && Boolean(this.grid.ownerOf(tr).createsOptions);
    const edit = () => {
      this.cancel();
      void editOptions(this.grid, column.id, cell);
    };
    return { canCreate, edit: canCreate ? edit : null };
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
      const { list, input, start } = this.session;
      if (!list) return this.finish(input.value, step);
      list.whenLoaded(() => {
        const typed = list.typed();
        this.finish(typed?.text ?? start, step, typed?.created);
      });
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

  /** @param {string} text @param {string | null} step  where to go next; "" stays, null leaves the focus where it is @param {boolean} [created]  the text is to become an option */
  finish(text, step, created = false) {
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
    if (text !== start && tr) this.write(tr, column, { text, created });
    else if (tr) this.leftAsItWas(tr.dataset.row ?? "", column, Boolean(step));
    if (step) this.grid.cursor.step(step.replace("Shift", ""), step.startsWith("Shift"));
    const waiting = [...this.afterwards.values()];
    this.afterwards.clear();
    for (const run of waiting) run();
  }

  /** @param {string} rowId @param {Column} column @param {boolean} confirmed  an edit that is not saved is sent again */
  leftAsItWas(rowId, column, confirmed) {
    const { writer } = this.grid;
    const edit = writer.complaints.get(`${rowId} ${column.id}`)?.edit;
    if (edit && confirmed) writer.retry(edit);
    // It may have been refused meanwhile.
    else writer.dress(rowId);
  }

  /** Writes what was typed once it can be read; by then the element may show another row. @param {HTMLTableRowElement} tr @param {Column} column @param {{text: string, created: boolean}} typed */
  write(tr, column, { text, created }) {
    const { grid } = this;
    const owner = grid.ownerOf(tr);
    const rowId = tr.dataset.row ?? "";
    const seen = grid.store.get(rowId)?.data[column.id] ?? null;
    grid.writer.whenReadable(column, () => {
      const value = typedValue(column, text);
      if (owner === grid.writer) grid.writer.writeCell(rowId, column, { value, seen, created });
      else if (tr.dataset.row === rowId && grid.ownerOf(tr) === owner) owner.write(tr, column, value, created);
    });
  }
}

/** @param {HTMLInputElement | HTMLTextAreaElement} input  kinds of fields without a caret (numbers, dates) are left alone */
function putCaretAtEnd(input) {
  // Null in fields that have no selection, where setting one is an error.
  if (input.selectionStart === null || input.selectionStart === undefined) return;
  input.setSelectionRange(input.value.length, input.value.length);
}

/**
 * The list of options is loaded with the first field that needs it. Until it is there, nothing is chosen.
 * @param {any} how  as `openOptionList` takes it @returns {OptionList}
 */
export function optionList(how) {
  /** @type {Omit<OptionList, "whenLoaded"> | undefined} */
  let list;
  let closed = false;
  const loading = late(t("The options could not be loaded."), () => load(() => import("./option_list.js"))).then(({ openOptionList }) => {
    if (!closed) list = openOptionList(how);
  });
  const whenLoaded = (run) => (list ? run() : void loading.then(() => closed || run()));
  return {
    close: () => {
      closed = true;
      list?.close();
    },
    choose: () => whenLoaded(() => list?.choose()),
    typed: () => list?.typed() ?? null,
    whenLoaded,
  };
}

/** @param {TableGrid} grid @param {string} columnId @param {Element} [anchor]  what it is shown beside */
export async function editOptions(grid, columnId, anchor) {
  const { openOptionEditor } = await late(t("The options could not be loaded."), () => load(() => import("./option_editor.js")));
  openOptionEditor(grid, columnId, anchor);
}

/** What shows which value a text means is fetched with the first field that needs it. @param {HTMLInputElement} input @param {Column} column @param {HTMLElement} cell */
function noteLater(input, column, cell) {
  if (!columnType(column).understood) return () => {};
  const start = input.value;
  const closing = load(() => import("./value_hint.js")).then(({ noteUnderstood }) => noteUnderstood(input, column, { anchor: cell, start }), () => () => {});
  return () => void closing.then((close) => close());
}
