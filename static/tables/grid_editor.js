// Edits a cell in place, with an editor for the column's type. An unchanged value is not written.

import { el, lazy, load } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { editText, typedValue } from "./values.js";

/**
 * Changed text, or a chosen value; created: includes a new option.
 * @typedef {{text: string} | {value: any, created: boolean}} CellEdit
 */
/** @typedef {{combobox?: import("./combobox.js").Combobox, loading: Promise<void>}} LazyList */

export class CellEditor {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {null | {cell: HTMLTableCellElement, column: Column, before: Node[], start: string, input: any, closeNote: () => void, list?: LazyList}} */
    this.session = null;
    /** Functions to run when the editor is closed, by name. @type {Map<string, () => void>} */
    this.waiting = new Map();
  }

  get isOpen() {
    return this.session !== null;
  }

  /** Whether it contains unsaved text; a search in a list does not count. */
  get hasUnsavedText() {
    return this.edit !== null;
  }

  /** What is saved when the field is left, null if it is unchanged. @returns {CellEdit | null} */
  get edit() {
    if (!this.session) return null;
    const { list, input, start } = this.session;
    if (list) return list.combobox?.isChanged ? { value: list.combobox.value, created: list.combobox.isCreated } : null;
    return input.value === start ? null : { text: input.value };
  }

  /**
   * Run a function when no cell is being edited, so that the editor is not redrawn during typing.
   * @param {string} name  replaces a waiting function of the same name @param {() => void} run
   */
  whenClosed(name, run) {
    if (this.isOpen) this.waiting.set(name, run);
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
    const value = this.grid.ownerOf(tr).value(tr, column);
    const start = editText(column, value);
    const before = [...cell.childNodes];
    const input = this.inputFor(column, replace ? "" : start);
    const { listItems } = columnType(column);
    const box = listItems ? el("div", { class: "chipfield" }, input) : input;
    this.session = { cell, column, before, start, input, closeNote: loadHint(input, column, cell) };
    cell.classList.add("is-editing");
    tr.classList.add("is-edited");
    cell.replaceChildren(box);
    if (listItems) this.session.list = this.loadList(column, { box, input, value, ...this.optionRights(tr, column, cell) });
    box.addEventListener("keydown", (event) => this.keyPressed(event));
    box.addEventListener("focusout", (event) => box.contains(/** @type {Node | null} */ (event.relatedTarget)) || this.blurred(input));
    input.focus();
    if (!replace) putCaretAtEnd(input);
  }

  /**
   * Load the list and open it. Until it is loaded, nothing can be chosen.
   * @param {Column} column @param {any} how  as for `columnCombobox` @returns {LazyList}
   */
  loadList(column, how) {
    const loadAll = () => Promise.all([load(() => import("./combobox.js")), columnType(column).prepare()]);
    /** @type {LazyList} */
    const list = {
      loading: lazy(t("The options could not be loaded."), loadAll).then(([{ columnCombobox }]) => {
        if (this.session?.list !== list) return;
        const typed = how.input.value;
        list.combobox = columnCombobox(column, { ...how, onChosen: () => this.finish(this.edit, "") });
        how.input.value = typed;
        list.combobox.open();
      }),
    };
    return list;
  }

  /** @param {(combobox: import("./combobox.js").Combobox) => void} run  when the list of the open editor is loaded */
  whenListed(run) {
    const { list } = this.session;
    if (list.combobox) run(list.combobox);
    else void list.loading.then(() => this.session?.list === list && run(list.combobox));
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {HTMLElement} cell  options cannot be created in proposed rows */
  optionRights(tr, column, cell) {
    const canCreate = columnType(column).hasOptions && this.grid.mayEdit && Boolean(this.grid.ownerOf(tr).createsOptions);
    const edit = () => {
      this.cancel();
      void editOptions(this.grid, column.id, cell);
    };
    return { canCreate, edit: canCreate ? edit : null };
  }

  /** @param {Column} column @param {string} text */
  inputFor(column, text) {
    const names = { "aria-label": column.name, autocomplete: "off" };
    const { tag, props } = columnType(column).field(text, column);
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
      // A button of a chip acts by itself.
      if (event.target !== this.session.input) return;
      event.preventDefault();
      if (this.session.list) this.whenListed((combobox) => combobox.pick());
      else this.finish(this.edit, "ArrowDown");
    } else if (event.key === "Tab") {
      event.preventDefault();
      const step = event.shiftKey ? "ShiftTab" : "Tab";
      if (!this.session.list) return this.finish(this.edit, step);
      this.whenListed((combobox) => {
        combobox.settle();
        this.finish(this.edit, step);
      });
    }
  }

  /** @param {HTMLElement} input */
  blurred(input) {
    if (this.session?.input === input) this.commit();
  }

  /** Save typed text and chosen items; an unfinished search is discarded. */
  commit() {
    this.finish(this.edit, null);
  }

  cancel() {
    this.finish(null, "");
  }

  /**
   * @param {CellEdit | null} edit  null: unchanged
   * @param {string | null} step  move of the cursor; "" stays, null leaves the focus unchanged
   */
  finish(edit, step) {
    const session = this.session;
    if (!session) return;
    this.session = null;
    const { cell, column, before } = session;
    session.list?.combobox?.close();
    session.closeNote();
    cell.classList.remove("is-editing");
    cell.replaceChildren(...before);
    const tr = cell.closest("tr");
    tr?.classList.remove("is-edited");
    if (step !== null) this.grid.table.focus({ preventScroll: true });
    if (edit && tr) this.write(tr, column, edit);
    else if (tr) this.onUnchanged(tr.dataset.row ?? "", column, Boolean(step));
    if (step) this.grid.cursor.step(step.replace("Shift", ""), step.startsWith("Shift"));
    const runs = [...this.waiting.values()];
    this.waiting.clear();
    for (const run of runs) run();
  }

  /** @param {string} rowId @param {Column} column @param {boolean} confirmed  with Enter or Tab: an unsaved edit is sent again */
  onUnchanged(rowId, column, confirmed) {
    const { writer } = this.grid;
    const edit = writer.cellErrors.get(`${rowId} ${column.id}`)?.edit;
    if (edit && confirmed) writer.retry(edit);
    // The edit may have been refused meanwhile.
    else writer.markRow(rowId);
  }

  /**
   * Write the edit when the parser of the column is loaded; by then the element may show another row.
   * @param {HTMLTableRowElement} tr @param {Column} column @param {CellEdit} edit
   */
  write(tr, column, edit) {
    const { grid } = this;
    const owner = grid.ownerOf(tr);
    const rowId = tr.dataset.row ?? "";
    const seen = grid.store.get(rowId)?.data[column.id] ?? null;
    grid.writer.whenReadable(column, () => {
      const { value, created } = editedValue(column, edit);
      if (owner === grid.writer) grid.writer.writeCell(rowId, column, { value, seen, created });
      else if (tr.dataset.row === rowId && grid.ownerOf(tr) === owner) owner.write(tr, column, value, created);
    });
  }
}

/** @param {HTMLInputElement | HTMLTextAreaElement} input  fields without a caret (numbers, dates) are ignored */
function putCaretAtEnd(input) {
  // Null in fields without selection, where setting one throws.
  if (input.selectionStart === null || input.selectionStart === undefined) return;
  input.setSelectionRange(input.value.length, input.value.length);
}

/** @param {Column} column @param {CellEdit} edit @returns {{value: any, created: boolean}} the value to send */
export function editedValue(column, edit) {
  return "text" in edit ? { value: typedValue(column, edit.text), created: false } : edit;
}

/** @param {TableGrid} grid @param {string} columnId @param {Element} [anchor]  for positioning */
export async function editOptions(grid, columnId, anchor) {
  const { openOptionEditor } = await lazy(t("The options could not be loaded."), () => load(() => import("./option_editor.js")));
  openOptionEditor(grid, columnId, anchor);
}

/**
 * Load and show the hint with the parsed value, or the preview.
 * @param {any} input @param {Column} column @param {HTMLElement} cell
 */
function loadHint(input, column, cell) {
  const { valueHint, note } = columnType(column);
  const start = input.value;
  const showing = note?.(input)
    ?? (valueHint && load(() => import("./value_hint.js")).then(({ showValueHint }) => showValueHint(input, column, { anchor: cell, start })));
  if (!showing) return () => {};
  const closing = showing.catch(() => () => {});
  return () => void closing.then((close) => close());
}
