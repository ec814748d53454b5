// The menu of a column.

import { columnItems } from "./column_actions.js";
import { openMenu } from "./popup_menu.js";

/** @param {TableGrid} grid @param {string} id  of a visible column @param {{fromHead: boolean}} how  whether it was opened from the header */
export function openColumnMenu(grid, id, { fromHead }) {
  const column = grid.columns.find((one) => one.id === id);
  const head = headerOf(grid, id);
  if (!column || !head) return;
  head.scrollIntoView({ block: "nearest", inline: "nearest" });
  const button = head.querySelector(".col__menu");
  const restoreFocus = () => {
    const now = fromHead ? headerOf(grid, id)?.querySelector(".col__menu") : null;
    (now ?? grid.table).focus({ preventScroll: true });
  };
  const closed = () => {
    // The header may have been redrawn meanwhile.
    for (const one of [button, headerOf(grid, id)?.querySelector(".col__menu")]) one?.setAttribute("aria-expanded", "false");
  };
  openMenu(grid, columnItems(grid, column), { label: column.name, box: (button ?? head).getBoundingClientRect(), restoreFocus, closed });
  button?.setAttribute("aria-expanded", "true");
}

/** @param {TableGrid} grid @param {string} id @returns {HTMLTableCellElement | null} */
function headerOf(grid, id) {
  return grid.table.tHead.querySelector(`th[data-col="${CSS.escape(id)}"]`);
}
