// The list of a multiple select column's options below the field of a cell: search by typing, check several, create an option.

import { el, icon } from "../element.js";
import { positionPopover } from "../popover_position.js";
import { t } from "../locale.js";
import { colorOf } from "./column_types/registry.js";
import { listText } from "./column_types/multi_select.js";
import { splitList } from "./column_types/option_lists.js";
import { optionEntries } from "./option_list.js";

/**
 * Arguments and result as of `openOptionList`. Checked options are saved when the field is left.
 * @param {object} how
 * @param {HTMLInputElement} how.input @param {HTMLElement} how.anchor @param {Column} how.column
 * @param {string} how.current  the current list as text @param {boolean} how.canCreate @param {(() => void) | null} how.edit
 * @param {() => void} [how.onToggle]  called after each change
 * @returns {Omit<OptionList, "whenLoaded">}
 */
export function openOptionChecklist({ input, anchor, column, current, canCreate, edit, onToggle = () => {} }) {
  const options = column.options ?? [];
  const list = el("div", { class: "menu optlist", role: "listbox", id: "option-list", popover: "manual", "aria-label": column.name, "aria-multiselectable": "true" });
  let checked = splitList(current);
  /** @type {import("./option_list.js").Entry[]} */
  let shown = [];
  let active = -1;

  const setActive = (/** @type {number} */ index) => {
    active = index;
    input.removeAttribute("aria-activedescendant");
    [...list.querySelectorAll("[role=option]")].forEach((item, at) => {
      item.classList.toggle("is-active", at === index);
      if (at !== index) return;
      item.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", item.id);
    });
  };
  const draw = (/** @type {number} */ index) => {
    const text = input.value.trim();
    shown = optionEntries([...options, ...checked.filter((option) => !options.includes(option))], { text, canCreate });
    const found = shown.length;
    if (!text && checked.length) shown.push({ kind: "clear", text: "" });
    if (!text && edit) shown.push({ kind: "edit", text: "" });
    const hint = found ? t("Enter selects, Tab saves, Esc cancels.") : t("No such option. Apply or dismiss the proposal first.");
    list.replaceChildren(...shown.map(drawEntry), el("p", { class: "menu__label", text: hint }));
    input.placeholder = listText(checked) || t("Find an option");
    setActive(Math.min(index, shown.length - 1));
  };
  const pick = (/** @type {import("./option_list.js").Entry} */ { kind, text }) => {
    if (kind === "edit") return edit?.();
    const at = input.value ? 0 : active;
    const isAdded = kind === "create" || (kind === "option" && !checked.includes(text));
    checked = kind === "clear" ? [] : isAdded ? [...checked, text] : checked.filter((option) => option !== text);
    input.value = "";
    draw(kind === "option" && !at ? Math.max(0, options.indexOf(text)) : at);
    onToggle();
  };
  const drawEntry = (/** @type {import("./option_list.js").Entry} */ entry, /** @type {number} */ index) => {
    const isChecked = entry.kind === "option" && checked.includes(entry.text);
    const inside = {
      option: () => [el("span", { class: "badge", "data-c": colorOf(column, entry.text), text: entry.text }), isChecked && el("span", { class: "menu__end" }, icon("check", "icon--14"))],
      clear: () => [icon("x", "icon--14"), t("Clear")],
      create: () => [icon("plus", "icon--14"), el("span", { text: t("Create “{option}”", { option: entry.text }) })],
      edit: () => [icon("pencil", "icon--14"), t("Edit options")],
    }[entry.kind]();
    const props = { class: "menu__item", role: "option", id: `option-${index}`, "aria-selected": String(isChecked) };
    // Prevent the field from losing the focus.
    return el("div", { ...props, on: { mousedown: (/** @type {Event} */ event) => event.preventDefault(), click: () => pick(entry) } }, ...inside);
  };
  const onInput = () => draw(0);
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return;
    if (event.key === "Backspace" && !input.value && checked.length) {
      event.preventDefault();
      checked = checked.slice(0, -1);
      draw(active);
      onToggle();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.altKey || !shown.length) return;
    event.preventDefault();
    setActive((active + step + shown.length) % shown.length);
  };

  input.value = input.value === current ? "" : input.value;
  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", list.id);
  input.addEventListener("input", onInput);
  input.addEventListener("keydown", onKeyDown);
  document.body.append(list);
  list.showPopover();
  draw(0);
  positionPopover(list, anchor);

  const held = () => {
    const ordered = [...options.filter((option) => checked.includes(option)), ...checked.filter((option) => !options.includes(option))];
    return { text: listText(ordered), created: ordered.some((option) => !options.includes(option)) };
  };
  return {
    close: () => {
      input.removeEventListener("input", onInput);
      input.removeEventListener("keydown", onKeyDown);
      input.setAttribute("aria-expanded", "false");
      for (const name of ["aria-activedescendant", "aria-controls"]) input.removeAttribute(name);
      list.remove();
    },
    choose: () => shown[active] && pick(shown[active]),
    typed: () => {
      const entry = shown[active];
      if (input.value.trim() && entry && !checked.includes(entry.text)) pick(entry);
      return held();
    },
    held,
  };
}
