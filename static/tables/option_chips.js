// The options of a select column as chips: add by typing, move with arrow keys, remove.

import { el, icon, logicalKey } from "../element.js";
import { t } from "../locale.js";
import { OPTION_COLORS, colorOf } from "./column_types/registry.js";

/**
 * @param {{name: string, options: string[], optionColors: Record<string, string>, default: any}} column  changed in place
 * @param {{redraw: () => void}} how
 * @returns {HTMLElement}
 */
export function optionChips(column, { redraw }) {
  const add = (input) => {
    const wanted = input.value.split(/[,\n]/).map((part) => part.trim()).filter(Boolean);
    const known = new Set(column.options.map((option) => option.toLowerCase()));
    const added = wanted.filter((option) => !known.has(option.toLowerCase()));
    input.value = "";
    if (!added.length) return;
    for (const option of added) {
      column.optionColors[option] = nextColor(column);
      column.options = [...column.options, option];
    }
    redraw();
  };
  const keys = (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" || event.key === ",") {
      event.preventDefault();
      add(event.target);
    } else if (event.key === "Backspace" && event.target.value === "" && column.options.length) {
      column.options = column.options.slice(0, -1);
      redraw();
    }
  };
  const input = el("input", {
    placeholder: t("Add an option"), "aria-label": t("Add an option to {column}", { column: column.name }), maxlength: "255", "data-part": "add-option",
    on: { keydown: keys, change: (event) => add(event.target) },
  });
  const chips = column.options.map((option, index) => drawChip(column, option, index, redraw));
  return el(
    "div",
    { class: "field" },
    el("span", { class: "field__label", text: t("Options") }),
    el("div", { class: "opts" }, ...chips, input),
    el("span", { class: "field__hint", text: t("Press Enter to add an option. Use the arrow keys to move the focused one.") }),
  );
}

/** @param {any} column @returns {string} the color that the server will assign to the next option: the first of the least used */
function nextColor(column) {
  const used = column.options.map((option) => colorOf(column, option));
  const uses = OPTION_COLORS.map((color) => used.filter((one) => one === color).length);
  return OPTION_COLORS[uses.indexOf(Math.min(...uses))];
}

function drawChip(column, option, index, redraw) {
  const move = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[logicalKey(event.key)];
    const to = index + (step ?? 0);
    if (!step || to < 0 || to >= column.options.length) return;
    event.preventDefault();
    const options = column.options.filter((one) => one !== option);
    options.splice(to, 0, option);
    column.options = options;
    redraw();
  };
  const remove = () => {
    column.options = column.options.filter((one) => one !== option);
    const rest = [column.default].flat().filter((/** @type {any} */ one) => one !== option);
    column.default = Array.isArray(column.default) ? rest : rest[0] ?? null;
    redraw();
  };
  const button = el("button", { type: "button", "aria-label": t("Remove {column}", { column: option }), "data-part": `option-${option}`, on: { click: remove, keydown: move } }, icon("x", "icon--12"));
  return el("span", { class: "optchip", "data-c": colorOf(column, option) }, option, button);
}
