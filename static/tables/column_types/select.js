// Select: one of the column's options, with its color; and person, chosen from a list too.

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

/** A user by id, or a name that was just typed. */
const personOf = (value, { people = [] } = /** @type {any} */ ({})) => people.find(({ id, name }) => id === value || name === value);

/** @param {any} value @param {Column} [column] */
const personName = (value, column) => personOf(value, column)?.name ?? (typeof value === "number" ? t("Deleted account") : String(value));

/** @param {any} value @param {string} text @param {Column} column */
export function drawPerson(value, text, column) {
  const found = personOf(value, column);
  const words = text.split(/[\s._]+/).filter(Boolean);
  const initials = (words.length > 1 ? [words[0], words.at(-1)] : [text]).map((word) => [...word][0]).join("").toUpperCase();
  // Guests do not get the people of columns with names.
  const former = found ? found.has_left : typeof value === "number";
  return el("span", { class: `person${former ? " is-former" : ""}` }, el("span", { class: "avatar", "aria-hidden": "true", text: initials }), text, found?.has_left && el("small", { text: t("left") }));
}

/** @param {any} value @param {Column} column @returns {import("./registry.js").ListItem} */
const personItem = (value, column) => ({ value, label: personName(value, column), draw: () => drawPerson(value, personName(value, column), column) });

/** Person: the id of a user, drawn as initials and name. @type {ColumnKind} */
export const person = {
  name: "person",
  display: (value, _locale, column) => personName(value, column),
  draw: drawPerson,
  editText: (value, _locale, column) => personName(value, column),
  typed: (text, _locale, column) => personOf(text, column)?.id ?? text,
  field: () => ({ tag: "input", props: { ...select.field("").props, placeholder: t("Find a member") } }),
  choices: ({ people = [] }) => people.filter(({ has_left: left }) => !left).map(({ name }) => [name, name]),
  listItem: personItem,
  listItems: (column) => (column.people ?? []).filter(({ has_left: left }) => !left).map(({ id }) => personItem(id, column)),
  noItem: () => t("No such member"),
};
