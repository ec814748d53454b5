// The page of one table: what the assistant is told about the view, the proposals of this page, the keys of the page.

import { dataHandler } from "../payloads/data_proposal.js";
import { columnsHandler } from "../payloads/schema_proposal.js";
import { registerPageContext, registerPayloadHandler } from "../registry.js";
import "../../tables/grid.js";

/** @type {TableGrid} */
const grid = document.querySelector("table-grid");

const slot = grid.querySelector("[data-review-slot]");

registerPayloadHandler("data_proposal", dataHandler(grid, slot));
registerPayloadHandler("schema_proposal", columnsHandler({ slot, grid }));
registerPageContext(() => ({
  filter: grid.view.filter ? JSON.parse(grid.view.filter) : null,
  sort: grid.view.sort,
  search: grid.view.search,
  selected_row_ids: grid.selection.numbers,
  visible_column_ids: grid.columns.map((column) => column.id),
}));

/** @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLElement && Boolean(target.closest("input, textarea, select, [contenteditable], dialog"));
}

document.addEventListener("keydown", (event) => {
  const ctrl = event.ctrlKey || event.metaKey;
  if (isField(event.target) || event.altKey) return;
  if (ctrl && event.key.toLowerCase() === "z") {
    event.preventDefault();
    if (event.shiftKey) grid.writer.redo();
    else grid.writer.undo();
  } else if (event.key === "/" && !ctrl && event.target !== grid.table) {
    event.preventDefault();
    grid.searchInput.focus();
  }
});

// A proposal applied in this tab is a change of this tab: Ctrl+Z takes it back too.
document.addEventListener("payload-settled", (event) => {
  const { status, outcome } = /** @type {CustomEvent} */ (event).detail ?? {};
  if (status === "applied" || status === "partially_applied") grid.writer.made(outcome?.change);
  if (status === "undone" && outcome?.change) grid.writer.stack.forget(outcome.change);
});

// The chat says what it sees: so many rows, or those that are selected.
const tray = /** @type {HTMLElement | null} */ (document.querySelector("chat-tray"));
const total = grid.querySelector("[data-count]");
function tellSubject() {
  const selected = grid.selection.numbers.length;
  const rows = selected ? `${selected.toLocaleString()} selected` : total?.textContent;
  if (tray) tray.dataset.context = [tray.dataset.subject, rows].filter(Boolean).join(", ");
}
grid.addEventListener("grid-selected", tellSubject);
if (total) new MutationObserver(tellSubject).observe(total, { childList: true, characterData: true, subtree: true });
