// A hint at a field that shows the value of the typed text.

import { el } from "../element.js";
import { positionPopover } from "../popover_position.js";
import { columnType } from "./column_types/registry.js";

let hintCount = 0;

/**
 * Show the hint from the first change until the field loses the focus; does nothing for types without hint.
 * @param {HTMLInputElement} input @param {Column} column
 * @param {{anchor?: HTMLElement, start?: string}} [how]  anchor: for positioning; start: the text before any change
 * @returns {() => void} removes the hint, for a field that is removed while focused
 */
export function showValueHint(input, column, { anchor = input, start = input.value } = {}) {
  const { valueHint, prepare } = columnType(column);
  if (!valueHint) return () => {};
  hintCount += 1;
  const note = el("div", { class: "value-hint", id: `value-hint-${hintCount}`, role: "status", popover: "manual" });
  const draw = () => {
    const text = valueHint(input.value.trim());
    // Added empty with the first character, since screen readers only announce changes of a live region.
    if (!note.isConnected) {
      (input.closest("dialog") ?? document.body).append(note);
      note.showPopover();
      input.setAttribute("aria-describedby", note.id);
    }
    if (note.textContent !== text) note.textContent = text;
    positionPopover(note, anchor);
  };
  const close = () => {
    note.remove();
    input.removeAttribute("aria-describedby");
  };
  input.addEventListener("input", draw);
  input.addEventListener("blur", close);
  // Keys may have been pressed before this module or the parser was loaded.
  const drawIfChanged = () => {
    if (input === document.activeElement && input.value !== start) draw();
  };
  drawIfChanged();
  void prepare()?.then(drawIfChanged);
  return close;
}
