// The menu of one column: sort, width, hide, move, edit, and the two ways to the assistant.

import { columnActs } from "./column_actions.js";
import { openMenu } from "./popup_menu.js";

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
  const closed = () => {
    // Heads may have been drawn anew meanwhile.
    for (const one of [button, headOf(grid, id)?.querySelector(".col__menu")]) one?.setAttribute("aria-expanded", "false");
  };
  openMenu(grid, columnActs(grid, column), { label: column.name, box: (button ?? head).getBoundingClientRect(), back, closed });
  button?.setAttribute("aria-expanded", "true");
}

/** @param {TableGrid} grid @param {string} id @returns {HTMLTableCellElement | null} */
function headOf(grid, id) {
  return grid.table.tHead.querySelector(`th[data-col="${CSS.escape(id)}"]`);
}
