// The list of a select column's options below the field of a cell: search by typing, create an option, edit all options.

import { el, icon } from "../element.js";
import { positionPopover } from "../popover_position.js";
import { t } from "../locale.js";
import { colorOf } from "./column_types/registry.js";

/** @typedef {{kind: "option" | "clear" | "create" | "edit", text: string}} Entry */

/**
 * @param {object} how
 * @param {HTMLInputElement} how.input  the focused field
 * @param {HTMLElement} how.anchor  for positioning
 * @param {Column} how.column @param {string} how.current  the current value
 * @param {() => string} [how.searchText]  returns the search text; default: the text of the field
 * @param {(text: string, created: boolean) => void} how.chosen  "" clears the cell; created: it is a new option
 * @param {boolean} how.canCreate @param {(() => void) | null} how.edit  opens the option editor
 * @returns {Omit<OptionList, "whenLoaded">}
 */
export function openOptionList({ input, anchor, column, current, searchText = () => input.value, chosen, canCreate, edit }) {
  const list = el("div", { class: "menu optlist", role: "listbox", id: "option-list", popover: "manual", "aria-label": column.name });
  /** @type {Entry[]} */
  let shown = [];
  let active = -1;

  const setActive = (index) => {
    active = index;
    input.removeAttribute("aria-activedescendant");
    [...list.querySelectorAll("[role=option]")].forEach((item, at) => {
      item.classList.toggle("is-active", at === index);
      if (at !== index) return;
      item.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", item.id);
    });
  };
  const draw = () => {
    const text = searchText().trim();
    shown = optionEntries(column.options ?? [], { text, canCreate });
    const found = shown.length;
    if (!text && current) shown.push({ kind: "clear", text: "" });
    if (!text && edit) shown.push({ kind: "edit", text: "" });
    list.replaceChildren(...shown.map((entry, index) => drawEntry(entry, index)));
    if (!found) list.prepend(el("p", { class: "menu__label", text: t("No such option. Apply or dismiss the proposal first.") }));
    const chosenNow = shown.findIndex((entry) => entry.kind === "option" && entry.text === current);
    setActive(text ? (found ? 0 : -1) : Math.max(0, chosenNow));
  };
  const pick = ({ kind, text }) => {
    if (kind === "edit") edit?.();
    else chosen(text, kind === "create");
  };
  const drawEntry = (entry, index) => {
    const selected = entry.kind === "option" && entry.text === current;
    const inside = {
      option: () => [el("span", { class: "badge", "data-c": colorOf(column, entry.text), text: entry.text }), selected && el("span", { class: "menu__end" }, icon("check", "icon--14"))],
      clear: () => [icon("x", "icon--14"), t("Clear")],
      create: () => [icon("plus", "icon--14"), el("span", { text: t("Create “{option}”", { option: entry.text }) })],
      edit: () => [icon("pencil", "icon--14"), t("Edit options")],
    }[entry.kind]();
    const props = { class: "menu__item", role: "option", id: `option-${index}`, "aria-selected": String(selected) };
    // Prevent the field from losing the focus.
    return el("div", { ...props, on: { mousedown: (event) => event.preventDefault(), click: () => pick(entry) } }, ...inside);
  };
  const onKeyDown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.altKey || !shown.length) return;
    event.preventDefault();
    setActive((active + step + shown.length) % shown.length);
  };

  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", list.id);
  input.addEventListener("input", draw);
  input.addEventListener("keydown", onKeyDown);
  document.body.append(list);
  list.showPopover();
  draw();
  positionPopover(list, anchor);

  return {
    close: () => {
      input.removeEventListener("input", draw);
      input.removeEventListener("keydown", onKeyDown);
      input.setAttribute("aria-expanded", "false");
      for (const name of ["aria-activedescendant", "aria-controls"]) input.removeAttribute(name);
      list.remove();
    },
    choose: () => (shown[active] ? pick(shown[active]) : chosen(current, false)),
    typed: () => (searchText().trim() && ["option", "create"].includes(shown[active]?.kind) ? { text: shown[active].text, created: shown[active].kind === "create" } : null),
  };
}

/**
 * @param {string[]} options @param {{text: string, canCreate: boolean}} how  text: typed text, trimmed
 * @returns {Entry[]} options that contain the text, and an entry to create it
 */
export function optionEntries(options, { text, canCreate }) {
  const wanted = text.toLocaleLowerCase();
  const found = options.filter((option) => option.toLocaleLowerCase().includes(wanted));
  // An exact match is the first entry.
  const same = found.findIndex((option) => option.toLocaleLowerCase() === wanted);
  if (same > 0) found.unshift(...found.splice(same, 1));
  /** @type {Entry[]} */
  const entries = found.map((option) => ({ kind: "option", text: option }));
  if (text && canCreate && same < 0) entries.push({ kind: "create", text });
  return entries;
}
