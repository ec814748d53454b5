// The menu of the order: each column with its place and direction, and those one can sort by, too. As the server draws it.

import { el, icon, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { MOST_KEYS, columnNamed, sortKeys, sortText } from "./view_state.js";

/**
 * @param {HTMLElement} menu
 * @param {{columns: Column[], sort: string, addressOf: (sort: string) => string}} how
 */
export function drawSortMenu(menu, { columns, sort, addressOf }) {
  const keys = sortKeys(sort);
  const leadingTo = (changed) => addressOf(sortText(changed));
  const without = (place) => keys.filter((_, other) => other !== place);
  const lines = keys.map((key, place) => {
    const name = columnNamed(columns, key.id)?.name ?? t("A column that is gone");
    const turned = keys.map((one) => (one === key ? { ...one, down: !one.down } : one));
    const sooner = [...keys.slice(0, place - 1), key, ...keys.slice(place - 1).filter((one) => one !== key)];
    const words = key.down ? t("Descending") : t("Ascending");
    const turn = key.down ? t("{column}: descending, turn round", { column: name }) : t("{column}: ascending, turn round", { column: name });
    return el("div", { class: "sorting__line" },
      el("span", { class: "sorting__n", text: String(place + 1) }),
      el("span", { class: "sorting__name", text: name }),
      el("a", { class: "btn btn--ghost btn--sm", href: leadingTo(turned), "aria-label": turn, "data-choice": `turn ${key.id}` }, icon(key.down ? "arrow-down" : "arrow-up", "icon--14"), words),
      place > 0 && small({ href: leadingTo(sooner), label: t("Sort by {column} sooner", { column: name }), choice: `sooner ${key.id}` }, "chevron-up"),
      small({ href: leadingTo(without(place)), label: t("Do not sort by {column}", { column: name }), choice: `unsort ${key.id}` }, "x"),
    );
  });
  const free = keys.length < MOST_KEYS ? columns.filter((column) => !keys.some((key) => columnNamed(columns, key.id) === column)) : [];
  const offers = free.map((column) =>
    el("a", { class: "menu__item", href: leadingTo([...keys, { id: column.id, down: false }]), "data-choice": `by ${column.id}` }, el("span", { text: column.name })),
  );
  const label = (text) => el("p", { class: "menu__label", text });
  const clear = [el("div", { class: "menu__hr" }), el("a", { class: "menu__item", href: addressOf(""), "data-choice": "unsorted", text: t("Clear the order") })];
  replaceInside(menu, ...(lines.length ? [label(t("Sorted by")), ...lines] : []), ...(offers.length ? [label(lines.length ? t("Then by") : t("Sort by")), ...offers] : []), ...(lines.length ? clear : []));
}

/** @param {{href: string, label: string, choice: string}} what @param {string} symbol */
function small({ href, label, choice }, symbol) {
  return el("a", { class: "btn btn--ghost btn--icon btn--sm", href, "aria-label": label, "data-choice": choice }, icon(symbol, "icon--14"));
}
