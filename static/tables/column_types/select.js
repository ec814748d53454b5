// Select: one of the column's options, with its color.

import { el } from "../../element.js";
import { t } from "../../locale.js";
import { updateText } from "./text.js";

/** Option colors, in the order in which they are assigned. */
export const OPTION_COLORS = ["blue", "orange", "teal", "purple", "yellow", "pink", "gray", "cyan", "indigo", "magenta", "brown", "lime"];

/** @param {Column} column @param {string} option @returns {string} its color; if the server has assigned none yet, the one it will assign */
export function colorOf(column, option) {
  const { optionColors: known = {} } = column;
  if (Object.hasOwn(known, option)) return known[option];
  const index = (column.options ?? []).indexOf(option);
  return index < 0 ? "gray" : OPTION_COLORS[index % OPTION_COLORS.length];
}

/** @param {string} option @param {Column} column @returns {import("./registry.js").ListItem} */
const listItem = (option, column) => ({ value: option, label: option, draw: () => el("span", { class: "badge", "data-c": colorOf(column, option), text: option }) });

/** @type {ColumnKind} */
export const select = {
  name: "select", isText: false,
  listItem,
  listItems: (column) => (column.options ?? []).map((option) => listItem(option, column)),
  noItem: () => t("No such option. Apply or dismiss the proposal first."),
  draw: (value, text, column) => el("span", { class: "badge", "data-c": colorOf(column, String(value)), text }),
  updateNode: (node, value, text, column) => {
    if (node.className !== "badge" || node.childNodes.length !== 1 || !updateText(node.firstChild, text)) return false;
    const color = colorOf(column, String(value));
    if (node.dataset.c !== color) node.dataset.c = color;
    return true;
  },
  field: () => ({ tag: "input", props: { type: "text", dir: "auto", role: "combobox", "aria-expanded": "false", placeholder: t("Find an option") } }),
  choices: (column) => (column.options ?? []).map((one) => [one, one]),
};
