// Edits a cell in place, with an editor for the column's type. An unchanged value is not written.

import { el, lazy, load } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { editText, typedValue } from "./values.js";

/** held: saved when the field is left. @typedef {{text: string, created: boolean} | null} Choice */
/** @typedef {{close: () => void, choose: () => void, typed: () => Choice, held?: () => Choice, whenLoaded: (run: () => void) => void}} OptionList */

export class CellEditor {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    /** @type {null | {cell: HTMLTableCellElement, column: Column, before: Node[], start: string, input: any, closeNote: () => void, list?: OptionList}} */
    this.session = null;
    /** Functions to run when the editor is closed, by name. @type {Map<string, () => void>} */
    this.waiting = new Map();
  }

  get isOpen() {
    return this.session !== null;
  }

  /** Whether it contains unsaved text; a search for an option does not count. */
  get hasUnsavedText() {
    if (!this.session) return false;
    const { list, input, start } = this.session;
    return (list ? list.held?.()?.text ?? start : input.value) !== start;
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
    const start = editText(column, this.grid.ownerOf(tr).value(tr, column));
    const before = [...cell.childNodes];
    const input = this.inputFor(column, replace ? "" : start);
    this.session = { cell, column, before, start, input, closeNote: loadHint(input, column, cell) };
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

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {HTMLElement} cell  options cannot be created in proposed rows */
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

  /** Save typed text; an unfinished search for an option is discarded. */
  commit() {
    if (!this.session) return;
    const { list, input, start } = this.session;
    const held = list?.held?.();
    this.finish(held?.text ?? (list ? start : input.value), null, held?.created);
  }

  cancel() {
    if (this.session) this.finish(this.session.start, "");
  }

  /**
   * @param {string} text
   * @param {string | null} step  move of the cursor; "" stays, null leaves the focus unchanged @param {boolean} [created]
   *   create an option with this text
   */
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
   * Write the text when the parser of the column is loaded; by then the element may show another row.
   * @param {HTMLTableRowElement} tr @param {Column} column @param {{text: string, created: boolean}} typed
   */
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

/** @param {HTMLInputElement | HTMLTextAreaElement} input  fields without a caret (numbers, dates) are ignored */
function putCaretAtEnd(input) {
  // Null in fields without selection, where setting one throws.
  if (input.selectionStart === null || input.selectionStart === undefined) return;
  input.setSelectionRange(input.value.length, input.value.length);
}

/**
 * Load the option list and open it. Until it is loaded, nothing can be chosen.
 * @param {any} how  arguments of `openOptionList` @returns {OptionList}
 */
export function optionList(how) {
  /** @type {Omit<OptionList, "whenLoaded"> | undefined} */
  let list;
  let closed = false;
  const loading = lazy(t("The options could not be loaded."), () => load(() => import("./option_openers.js"))).then(async ({ openerOf }) => {
    const open = await openerOf(how.column);
    if (!closed) list = open(how);
  });
  const whenLoaded = (run) => (list ? run() : void loading.then(() => closed || run()));
  return {
    close: () => {
      closed = true;
      list?.close();
    },
    choose: () => whenLoaded(() => list?.choose()),
    typed: () => list?.typed() ?? null,
    held: () => list?.held?.() ?? null,
    whenLoaded,
  };
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
