// The list of a select column's options under the field of a cell: search by typing, create an option, edit them all.

import { el, icon, placeBeside } from "../element.js";
import { t } from "../locale.js";
import { colorOf } from "./column_types/registry.js";

/** @typedef {{kind: "option" | "clear" | "create" | "edit", text: string}} Entry */

/**
 * @param {object} how
 * @param {HTMLInputElement} how.input  the field that has the focus
 * @param {HTMLElement} how.anchor  what the list is shown beside
 * @param {Column} how.column @param {string} how.current  the value now
 * @param {() => string} [how.sought]  the text to search for; without it all that is in the field
 * @param {(text: string, created: boolean) => void} how.chosen  "" empties the cell; created: the text is no option yet
 * @param {boolean} how.canCreate @param {(() => void) | null} how.edit  shows the editor of all options
 * @returns {Omit<OptionList, "whenLoaded">}
 */
export function openOptionList({ input, anchor, column, current, sought = () => input.value, chosen, canCreate, edit }) {
  const list = el("div", { class: "menu optlist", role: "listbox", id: "option-list", popover: "manual", "aria-label": column.name });
  /** @type {Entry[]} */
  let shown = [];
  let active = -1;

  const mark = (place) => {
    active = place;
    input.removeAttribute("aria-activedescendant");
    [...list.querySelectorAll("[role=option]")].forEach((item, index) => {
      item.classList.toggle("is-active", index === place);
      if (index !== place) return;
      item.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", item.id);
    });
  };
  const draw = () => {
    const text = sought().trim();
    shown = optionEntries(column.options ?? [], { text, canCreate });
    const found = shown.length;
    if (!text && current) shown.push({ kind: "clear", text: "" });
    if (!text && edit) shown.push({ kind: "edit", text: "" });
    list.replaceChildren(...shown.map((entry, place) => drawEntry(entry, place)));
    if (!found) list.prepend(el("p", { class: "menu__label", text: t("No such option. Apply or dismiss the proposal first.") }));
    const chosenNow = shown.findIndex((entry) => entry.kind === "option" && entry.text === current);
    mark(text ? (found ? 0 : -1) : Math.max(0, chosenNow));
  };
  const pick = ({ kind, text }) => {
    if (kind === "edit") edit?.();
    else chosen(text, kind === "create");
  };
  const drawEntry = (entry, place) => {
    const selected = entry.kind === "option" && entry.text === current;
    const inside = {
      option: () => [el("span", { class: "badge", "data-c": colorOf(column, entry.text), text: entry.text }), selected && el("span", { class: "menu__end" }, icon("check", "icon--14"))],
      clear: () => [icon("x", "icon--14"), t("Clear")],
      create: () => [icon("plus", "icon--14"), el("span", { text: t("Create “{option}”", { option: entry.text }) })],
      edit: () => [icon("pencil", "icon--14"), t("Edit options")],
    }[entry.kind]();
    const props = { class: "menu__item", role: "option", id: `option-${place}`, "aria-selected": String(selected) };
    // A pressed item must not take the focus from the field.
    return el("div", { ...props, on: { mousedown: (event) => event.preventDefault(), click: () => pick(entry) } }, ...inside);
  };
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.altKey || !shown.length) return;
    event.preventDefault();
    mark((active + step + shown.length) % shown.length);
  };

  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", list.id);
  input.addEventListener("input", draw);
  input.addEventListener("keydown", keys);
  document.body.append(list);
  list.showPopover();
  draw();
  placeBeside(list, anchor);

  return {
    close: () => {
      input.removeEventListener("input", draw);
      input.removeEventListener("keydown", keys);
      input.setAttribute("aria-expanded", "false");
      for (const name of ["aria-activedescendant", "aria-controls"]) input.removeAttribute(name);
      list.remove();
    },
    choose: () => (shown[active] ? pick(shown[active]) : chosen(current, false)),
    typed: () => (sought().trim() && ["option", "create"].includes(shown[active]?.kind) ? { text: shown[active].text, created: shown[active].kind === "create" } : null),
  };
}

/**
 * @param {string[]} options @param {{text: string, canCreate: boolean}} how  text: what was typed, trimmed
 * @returns {Entry[]} the options that hold the text, and the text itself where it may become one
 */
export function optionEntries(options, { text, canCreate }) {
  const wanted = text.toLocaleLowerCase();
  const found = options.filter((option) => option.toLocaleLowerCase().includes(wanted));
  // The option that was typed in full goes before those that only contain it.
  const same = found.findIndex((option) => option.toLocaleLowerCase() === wanted);
  if (same > 0) found.unshift(...found.splice(same, 1));
  /** @type {Entry[]} */
  const entries = found.map((option) => ({ kind: "option", text: option }));
  if (text && canCreate && same < 0) entries.push({ kind: "create", text });
  return entries;
}
