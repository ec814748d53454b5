// Select: one of the column's options, in the colour of its place.

import { el } from "../../element.js";
import { hueOf } from "../hues.js";

/** @type {ColumnKind} */
export const select = {
  name: "select", label: "Select", icon: "circle-chevron-down", hasOptions: true, clicks: "options",
  draw: (value, text, column) => el("span", { class: "badge", "data-c": hueOf(column, String(value)), text }),
  field: (text) => ({ tag: "input", props: { type: "text", role: "combobox", placeholder: text || "Find an option" } }),
  choices: (column) => (column.options ?? []).map((one) => [one, one]),
};
