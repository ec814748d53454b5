// The menu of one column: sort, width, hide, move, edit, and the two ways to the assistant.

import { el, icon, isMirrored } from "../element.js";
import { columnActs } from "./column_acts.js";

const MARGIN_PX = 8;

/** @param {TableGrid} grid @param {string} id  of a column that is seen @param {{fromHead: boolean}} how  where the keyboard came from */
export function openColumnMenu(grid, id, { fromHead }) {
  const column = grid.columns.find((one) => one.id === id);
  const head = headOf(grid, id);
  if (!column || !head) return;
  head.scrollIntoView({ block: "nearest", inline: "nearest" });
  const button = head.querySelector(".col__menu");
  const back = () => {
    const now = fromHead ? headOf(grid, id)?.querySelector(".col__menu") : null;
    (now ?? grid.table).focus({ preventScroll: true });
  };
  const menu = el("div", { class: "menu colmenu", role: "menu", popover: "auto", "aria-label": column.name });
  const run = (act) => {
    menu.hidePopover();
    back();
    act();
  };
  menu.append(...columnActs(grid, column).map((act) => drawAct(act, run)));
  menu.addEventListener("keydown", (event) => keyPressed(menu, event, back));
  menu.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    // Heads may have been drawn anew meanwhile.
    for (const one of [button, headOf(grid, id)?.querySelector(".col__menu")]) one?.setAttribute("aria-expanded", "false");
    menu.remove();
  });
  grid.append(menu);
  menu.showPopover();
  button?.setAttribute("aria-expanded", "true");
  lay(menu, button ?? head);
  itemsOf(menu)[0]?.focus();
}

/** @param {TableGrid} grid @param {string} id @returns {HTMLTableCellElement | null} */
function headOf(grid, id) {
  return grid.table.tHead.querySelector(`th[data-col="${CSS.escape(id)}"]`);
}

/** @param {ColumnAct | null} act  null is a line between @param {(act: () => void) => void} run */
function drawAct(act, run) {
  if (!act) return el("div", { class: "menu__hr", role: "separator" });
  const inside = [icon(act.icon, "icon--14"), el("span", { text: act.label }), act.chosen && el("span", { class: "menu__end" }, icon("check", "icon--14"))];
  const names = { class: "menu__item", role: act.chosen === undefined ? "menuitem" : "menuitemradio", tabindex: "-1", "aria-checked": act.chosen === undefined ? undefined : String(act.chosen) };
  if (act.href) return el("a", { ...names, href: act.href }, ...inside);
  return el("button", { ...names, type: "button", "aria-disabled": act.off ? "true" : undefined, on: { click: () => !act.off && run(act.run) } }, ...inside);
}

/** @param {Element} menu @returns {HTMLElement[]} */
function itemsOf(menu) {
  return [...menu.querySelectorAll(".menu__item")];
}

/** @param {HTMLElement} menu @param {Element} anchor  under it, within the page */
function lay(menu, anchor) {
  const at = anchor.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.min(Math.max(MARGIN_PX, isMirrored() ? at.left : at.right - width), innerWidth - width - MARGIN_PX);
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
