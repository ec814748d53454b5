// Search and arrow keys in the menus of the filter bar, whose items are links.

import { el } from "../element.js";
import { t } from "../locale.js";

/** Number of items from which a menu has a search field. */
const MIN_SEARCHED = 9;

/** @param {HTMLElement} menu  opened; drawn by the server or by the filter bar */
export function enhanceMenu(menu) {
  const items = itemsOf(menu);
  if (!menu.dataset.enhanced) {
    menu.dataset.enhanced = "";
    menu.addEventListener("keydown", (event) => keyPressed(menu, event));
    if (items.length >= MIN_SEARCHED) menu.prepend(drawSearch(menu));
  }
  // On touch screens, a focused field would open the keyboard over the menu. A redrawn menu has the focus already.
  if (!menu.contains(document.activeElement) && matchMedia("(pointer: fine)").matches) menu.querySelector("input")?.focus();
}

/** @param {Element} menu @returns {HTMLElement[]} */
const itemsOf = (menu) => [...menu.querySelectorAll(".menu__item")];

/** @param {HTMLElement} menu @returns {HTMLElement} */
function drawSearch(menu) {
  const none = el("p", { class: "menu__label", role: "status", hidden: true });
  menu.append(none);
  const search = (event) => {
    const words = event.target.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const found = itemsOf(menu).filter((item) => !(item.hidden = !words.every((word) => item.textContent.toLocaleLowerCase().includes(word))));
    none.hidden = found.length > 0;
    none.textContent = found.length ? "" : t("Nothing found.");
  };
  const label = menu.getAttribute("aria-label");
  const field = el("input", { type: "search", autocomplete: "off", placeholder: t("Search"), "aria-label": `${t("Search")}: ${label}`, on: { input: search } });
  return el("div", { class: "menu__search" }, field);
}

/** @param {HTMLElement} menu @param {KeyboardEvent} event */
function keyPressed(menu, event) {
  const shown = [...menu.querySelectorAll("input"), ...itemsOf(menu).filter((item) => !item.hidden)];
  const at = shown.indexOf(/** @type {any} */ (document.activeElement));
  if (event.key === "Enter" && event.target === shown[0] && shown[0].matches("input")) {
    event.preventDefault();
    shown[1]?.click();
    return;
  }
  const inField = /** @type {Element} */ (event.target).matches("input");
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: inField ? -1 : 0, End: inField ? -1 : shown.length - 1 }[event.key] ?? -1;
  if (!shown[to]) return;
  event.preventDefault();
  shown[to].focus();
}
