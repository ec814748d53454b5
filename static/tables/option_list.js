// The list of a select column's options under a cell that is being edited, with search by typing.

import { el, icon } from "../element.js";
import { hueOf } from "./column_types/registry.js";

/**
 * @param {{input: HTMLInputElement, cell: HTMLElement, column: Column, current: string,
 *   chosen: (option: string) => void}} how  `chosen` gets "" for an emptied cell
 * @returns {{close: () => void, choose: () => void, typedChoice: () => string | null}}
 */
export function openOptionList({ input, cell, column, current, chosen }) {
  const list = el("div", { class: "menu optlist", role: "listbox", id: "option-list", popover: "manual", "aria-label": column.name });
  let shown = [];
  let active = -1;

  const mark = (place) => {
    active = place;
    [...list.querySelectorAll("[role=option]")].forEach((item, index) => {
      item.classList.toggle("is-active", index === place);
      if (index !== place) return;
      item.scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", item.id);
    });
  };
  const draw = () => {
    const sought = input.value.trim().toLocaleLowerCase();
    shown = (column.options ?? []).filter((option) => option.toLocaleLowerCase().includes(sought));
    if (current && !sought) shown = [...shown, ""];
    list.replaceChildren(...shown.map((option, place) => item(option, place)));
    if (!shown.length) list.append(el("p", { class: "menu__label", text: "No such option" }));
    mark(Math.max(0, sought ? 0 : shown.indexOf(current)));
  };
  const item = (option, place) => {
    const inside = option
      ? [el("span", { class: "badge", "data-c": hueOf(column, option), text: option })]
      : [icon("x", "icon--14"), "Clear"];
    if (option && option === current) inside.push(el("span", { class: "menu__end" }, icon("check", "icon--14")));
    const props = { class: "menu__item", role: "option", id: `option-${place}`, "aria-selected": String(option === current) };
    // pointerdown, not click: the field must not lose the focus first
    const pick = (event) => {
      event.preventDefault();
      chosen(option);
    };
    return el("div", { ...props, on: { pointerdown: pick } }, ...inside);
  };
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !shown.length) return;
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
  place(list, cell);

  return {
    close: () => list.remove(),
    choose: () => chosen(shown[active] ?? current),
    typedChoice: () => (input.value.trim() && shown.length ? shown[active] : null),
  };
}

/** @param {HTMLElement} list @param {HTMLElement} cell  puts the list under the cell, or above where there is no room */
function place(list, cell) {
  const at = cell.getBoundingClientRect();
  const below = at.bottom + 4 + list.offsetHeight <= innerHeight;
  list.style.left = `${Math.max(8, Math.min(at.left, innerWidth - list.offsetWidth - 8))}px`;
  list.style.top = below ? `${at.bottom + 4}px` : `${Math.max(8, at.top - 4 - list.offsetHeight)}px`;
}
