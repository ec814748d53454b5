// The sort menu, in the same markup as from the server: sort columns with their directions, and columns to add.

import { el, icon, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { MAX_SORT_KEYS, findColumn, sortKeys, sortText } from "./view_state.js";

/**
 * @param {HTMLElement} menu
 * @param {{columns: Column[], sort: string, urlOf: (sort: string) => string}} how
 */
export function drawSortMenu(menu, { columns, sort, urlOf }) {
  const keys = sortKeys(sort);
  const urlFor = (changed) => urlOf(sortText(changed));
  const without = (index) => keys.filter((_, other) => other !== index);
  const lines = keys.map((key, index) => {
    const column = findColumn(columns, key.id);
    const name = column?.name ?? t("A deleted column");
    const reversed = keys.map((one) => (one === key ? { ...one, down: !one.down } : one));
    const earlier = [...keys.slice(0, index - 1), key, ...keys.slice(index - 1).filter((one) => one !== key)];
    const order = columnType(column).sortLabels[Number(key.down)];
    const reverse = t("{column}: {order}, reverse", { column: name, order });
    return el("div", { class: "sorting__line" },
      el("span", { class: "sorting__position", text: String(index + 1) }),
      el("span", { class: "sorting__name", text: name }),
      el("a", { class: "btn btn--ghost btn--sm", href: urlFor(reversed), "aria-label": reverse, "data-choice": `turn ${key.id}` }, icon(key.down ? "arrow-down" : "arrow-up", "icon--14"), order.charAt(0).toLocaleUpperCase() + order.slice(1)),
      index > 0 && small({ href: urlFor(earlier), label: t("Move {column} up", { column: name }), choice: `sooner ${key.id}` }, "chevron-up"),
      small({ href: urlFor(without(index)), label: t("Remove sort by {column}", { column: name }), choice: `unsort ${key.id}` }, "x"),
    );
  });
  const free = keys.length < MAX_SORT_KEYS ? columns.filter((column) => !keys.some((key) => findColumn(columns, key.id) === column)) : [];
  const offers = free.map((column) =>
    el("a", { class: "menu__item", href: urlFor([...keys, { id: column.id, down: false }]), "data-choice": `by ${column.id}` }, el("span", { text: column.name })),
  );
  const label = (text) => el("p", { class: "menu__label", text });
  const clear = [el("div", { class: "menu__hr" }), el("a", { class: "menu__item", href: urlOf(""), "data-choice": "unsorted", text: t("Clear sort") })];
  replaceInside(menu, ...(lines.length ? [label(t("Sorted by")), ...lines] : []), ...(offers.length ? [label(lines.length ? t("Then by") : t("Sort by")), ...offers] : []), ...(lines.length ? clear : []));
}

/** @param {{href: string, label: string, choice: string}} what @param {string} symbol */
function small({ href, label, choice }, symbol) {
  return el("a", { class: "btn btn--ghost btn--icon btn--sm", href, "aria-label": label, "data-choice": choice }, icon(symbol, "icon--14"));
}
