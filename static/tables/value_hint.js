// A small note at a field that says during typing which value its text means.

import { el, placeBeside } from "../element.js";
import { columnType } from "./column_types/registry.js";

let notes = 0;

/**
 * Shows the note from the first change of the text until the field loses the focus; nothing for types that do not have one.
 * @param {HTMLInputElement} input @param {Column} column
 * @param {{anchor?: HTMLElement, start?: string}} [how]  anchor: the note is placed below it; start: the text before any change
 * @returns {() => void} takes the note away, for a field that is removed while it has the focus
 */
export function noteUnderstood(input, column, { anchor = input, start = input.value } = {}) {
  const { understood, prepare } = columnType(column);
  if (!understood) return () => {};
  notes += 1;
  const note = el("div", { class: "understood", id: `understood-${notes}`, role: "status", popover: "manual" });
  const draw = () => {
    const text = understood(input.value.trim());
    // It comes with the first character and while it is empty, since only a change of its text is read out.
    if (!note.isConnected) {
      (input.closest("dialog") ?? document.body).append(note);
      note.showPopover();
      input.setAttribute("aria-describedby", note.id);
    }
    if (note.textContent !== text) note.textContent = text;
    placeBeside(note, anchor);
  };
  const close = () => {
    note.remove();
    input.removeAttribute("aria-describedby");
  };
  input.addEventListener("input", draw);
  input.addEventListener("blur", close);
  // Keys may have come before this module or before the one that reads the text.
  const drawIfChanged = () => {
    if (input === document.activeElement && input.value !== start) draw();
  };
  drawIfChanged();
  void prepare()?.then(drawIfChanged);
  return close;
}
