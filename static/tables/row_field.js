// One field of a row's sheet: the editor that its type has in the grid, or a list where there is a choice.

import { el, icon } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { noteUnderstood } from "./understood_note.js";
import { editText } from "./values.js";

/**
 * @param {Column} column @param {any} value @param {(text: string) => void} write  gets the text of a field that was changed
 * @returns {{column: Column, node: HTMLElement, draw: (value: any) => void, commit: () => void, dirty: () => boolean}}
 *   `dirty`: somebody has typed in it and not left it yet
 */
export function drawField(column, value, write) {
  const kind = columnType(column);
  const choices = kind.choices(column);
  let start = editText(column, value);
  const input = choices ? chooser(choices, start) : editor(kind, start);
  input.setAttribute("aria-required", String(Boolean(column.required)));
  const name = el("span", { class: "field__name", text: column.name }, column.required && el("span", { class: "field__wanted", "aria-hidden": "true", text: " *" }));
  const field = {
    column,
    node: el("label", { class: "field" }, name, choices ? el("span", { class: "select" }, input, icon("chevron-down", "icon--14")) : input),
    dirty: () => input.value !== start,
    draw: (now) => {
      const text = editText(column, now);
      // A list that is open stays open.
      if (text === start) return;
      start = text;
      if (choices) fillChoices(input, choices, start);
      input.value = start;
    },
    commit: () => {
      if (input.value === start) return;
      start = input.value;
      write(start);
    },
  };
  const closeNote = choices ? () => {} : noteUnderstood(/** @type {HTMLInputElement} */ (input), column);
  input.addEventListener("change", () => field.commit());
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && field.dirty()) {
      // The field first, the sheet after it.
      event.preventDefault();
      input.value = start;
      closeNote();
    } else if (event.key === "Enter" && (input.tagName !== "TEXTAREA" || event.ctrlKey || event.metaKey)) {
      field.commit();
    }
  });
  return field;
}

/** @param {Required<ColumnKind>} kind @param {string} text */
function editor(kind, text) {
  const { tag, props } = kind.field(text);
  return el(tag, { autocomplete: "off", ...props, class: "input" });
}

/** @param {string[][]} choices @param {string} chosen */
function chooser(choices, chosen) {
  const list = el("select", { class: "input" });
  fillChoices(list, choices, chosen);
  return list;
}

/** @param {HTMLSelectElement} list @param {string[][]} choices @param {string} chosen  one that is no choice any more is kept */
function fillChoices(list, choices, chosen) {
  const all = [["", "–"], ...choices];
  if (!all.some(([value]) => value === chosen)) all.push([chosen, chosen]);
  list.replaceChildren(...all.map(([value, text]) => el("option", { value, text })));
  list.value = chosen;
}
