// A menu of the grid: opened under a head, at a cell or where the pointer is; walked by keys; gone once something is chosen.

import { el, icon, isMirrored } from "../element.js";

const MARGIN_PX = 8;

/**
 * @typedef {object} MenuAct
 * @property {string} label @property {string} icon @property {boolean} [chosen]  whether it is so now, where one of several is
 * @property {() => void} [run] @property {string} [href] @property {boolean} [off] @property {string[]} [keys]  that do the same
 */

/**
 * @param {TableGrid} grid @param {(MenuAct | null)[]} acts  null is a line between
 * @param {{label: string, box: {left: number, right: number, bottom: number}, ahead?: boolean, back: () => void, closed?: () => void}} how
 *   box: what it opens under, px; ahead: from its start on, else up to its end; back: gives the keyboard back
 */
export function openMenu(grid, acts, { label, box, ahead = false, back, closed }) {
  const menu = el("div", { class: "menu colmenu", role: "menu", popover: "auto", "aria-label": label });
  const run = (act) => {
    menu.hidePopover();
    back();
    act();
  };
  menu.append(...acts.map((act) => drawAct(act, run)));
  menu.addEventListener("keydown", (event) => keyPressed(menu, event, back));
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    closed?.();
    menu.remove();
  });
  grid.append(menu);
  menu.showPopover();
  lay(menu, box, ahead !== isMirrored());
  itemsOf(menu)[0]?.focus();
}

/** @param {MenuAct | null} act  null is a line between @param {(act: () => void) => void} run */
function drawAct(act, run) {
  if (!act) return el("div", { class: "menu__hr", role: "separator" });
  const keys = act.keys && el("span", { class: "menu__end", "aria-hidden": "true" }, ...act.keys.map((key) => el("kbd", { text: key })));
  const inside = [icon(act.icon, "icon--14"), el("span", { text: act.label }), act.chosen ? el("span", { class: "menu__end" }, icon("check", "icon--14")) : keys];
  const names = { class: "menu__item", role: act.chosen === undefined ? "menuitem" : "menuitemradio", tabindex: "-1", "aria-checked": act.chosen === undefined ? undefined : String(act.chosen) };
  if (act.href) return el("a", { ...names, href: act.href }, ...inside);
  return el("button", { ...names, type: "button", "aria-disabled": act.off ? "true" : undefined, on: { click: () => !act.off && run(act.run) } }, ...inside);
}

/** @param {Element} menu @returns {HTMLElement[]} */
function itemsOf(menu) {
  return [...menu.querySelectorAll(".menu__item")];
}

/** @param {HTMLElement} menu @param {{left: number, right: number, bottom: number}} at  under it, within the page, px @param {boolean} rightwards */
function lay(menu, at, rightwards) {
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.min(Math.max(MARGIN_PX, rightwards ? at.left : at.right - width), innerWidth - width - MARGIN_PX);
  const under = at.bottom + height + MARGIN_PX <= innerHeight ? at.bottom : Math.max(MARGIN_PX, innerHeight - height - MARGIN_PX);
  menu.style.left = `${left}px`;
  menu.style.top = `${under}px`;
}

/** @param {HTMLElement} menu @param {KeyboardEvent} event @param {() => void} back */
function keyPressed(menu, event, back) {
  event.stopPropagation();
  const items = itemsOf(menu);
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const letter = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === "ArrowDown") items[(at + 1) % items.length].focus();
  else if (event.key === "ArrowUp") items[(at - 1 + items.length) % items.length].focus();
  else if (event.key === "Home") items[0].focus();
  else if (event.key === "End") items[items.length - 1].focus();
  else if (event.key === "Escape" || event.key === "Tab") {
    menu.hidePopover();
    back();
  } else if (letter) {
    const following = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    following.find((item) => item.textContent.toLocaleLowerCase().startsWith(event.key.toLocaleLowerCase()))?.focus();
  } else return;
  event.preventDefault();
}
