// A menu that is opened below a button or header, at a cell or at the pointer; keyboard navigation.

import { el, icon, isMirrored } from "../element.js";

const MARGIN_PX = 8;

/**
 * @typedef {object} MenuItem
 * @property {string} label @property {string} icon @property {boolean} [chosen]  whether it is the current one of several choices
 * @property {() => void} [run] @property {string} [href] @property {boolean} [off] @property {string[]} [keys]  keyboard shortcut
 */

/**
 * @param {HTMLElement} parent @param {(MenuItem | null)[]} items  null is a separator
 * @param {{label: string, box: {left: number, right: number, top?: number, bottom: number}, ahead?: boolean, restoreFocus: () => void, closed?: () => void}} how
 *   box: anchor, px; ahead: aligned with its start, else with its end; back: restores the focus
 */
export function openMenu(parent, items, { label, box, ahead = false, restoreFocus, closed }) {
  const menu = el("div", { class: "menu colmenu", role: "menu", popover: "auto", "aria-label": label });
  const run = (action) => {
    menu.hidePopover();
    restoreFocus();
    action();
  };
  menu.append(...items.map((item) => drawItem(item, run)));
  menu.addEventListener("keydown", (event) => keyPressed(menu, event, restoreFocus));
  menu.addEventListener("contextmenu", (event) => event.preventDefault());
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    closed?.();
    menu.remove();
  });
  parent.append(menu);
  menu.showPopover();
  position(menu, box, ahead !== isMirrored());
  itemsOf(menu)[0]?.focus();
}

/** @param {MenuItem | null} item  null is a separator @param {(action: () => void) => void} run */
function drawItem(item, run) {
  if (!item) return el("div", { class: "menu__hr", role: "separator" });
  const keys = item.keys && el("span", { class: "menu__end", "aria-hidden": "true" }, ...item.keys.map((key) => el("kbd", { text: key })));
  const inside = [icon(item.icon, "icon--14"), el("span", { text: item.label }), item.chosen ? el("span", { class: "menu__end" }, icon("check", "icon--14")) : keys];
  const names = { class: "menu__item", role: item.chosen === undefined ? "menuitem" : "menuitemradio", tabindex: "-1", "aria-checked": item.chosen === undefined ? undefined : String(item.chosen) };
  if (item.href) return el("a", { ...names, href: item.href }, ...inside);
  return el("button", { ...names, type: "button", "aria-disabled": item.off ? "true" : undefined, on: { click: () => !item.off && run(item.run) } }, ...inside);
}

/** @param {Element} menu @returns {HTMLElement[]} */
function itemsOf(menu) {
  return [...menu.querySelectorAll(".menu__item")];
}

/**
 * @param {HTMLElement} menu
 * @param {{left: number, right: number, top?: number, bottom: number}} anchor  px; placed below or above it, within the page @param {boolean}
 *   rightwards
 */
function position(menu, anchor, rightwards) {
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.min(Math.max(MARGIN_PX, rightwards ? anchor.left : anchor.right - width), innerWidth - width - MARGIN_PX);
  const above = (anchor.top ?? 0) - height;
  const atEnd = above >= MARGIN_PX ? above : Math.max(MARGIN_PX, innerHeight - height - MARGIN_PX);
  const under = anchor.bottom + height + MARGIN_PX <= innerHeight ? anchor.bottom : atEnd;
  menu.style.left = `${left}px`;
  menu.style.top = `${under}px`;
}

/** @param {HTMLElement} menu @param {KeyboardEvent} event @param {() => void} restoreFocus */
function keyPressed(menu, event, restoreFocus) {
  event.stopPropagation();
  const items = itemsOf(menu);
  const index = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const letter = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === "ArrowDown") items[(index + 1) % items.length].focus();
  else if (event.key === "ArrowUp") items[(index - 1 + items.length) % items.length].focus();
  else if (event.key === "Home") items[0].focus();
  else if (event.key === "End") items.at(-1).focus();
  else if (event.key === "Escape" || event.key === "Tab") {
    menu.hidePopover();
    restoreFocus();
  } else if (letter) {
    const following = [...items.slice(index + 1), ...items.slice(0, index + 1)];
    following.find((item) => item.textContent.toLocaleLowerCase().startsWith(event.key.toLocaleLowerCase()))?.focus();
  } else return;
  event.preventDefault();
}
