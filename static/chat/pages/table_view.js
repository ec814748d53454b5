// The page of one table: what the assistant is told about the view, the proposals of this page, the keys of the page.

import { t, tn } from "../../locale.js";
import { registerClientAction, registerConflictWords, registerLinkHandler, registerPageContext, registerPayloadHandler, registerPayloadHandlersLater } from "../registry.js";
import { late, load, removeUndoToasts, toast } from "../../element.js";
import { atFirstSign } from "../../first_input.js";
import "../../tables/grid.js";
import { LiveTable } from "../../tables/live_updates.js";

/** @type {TableGrid} */
const grid = document.querySelector("table-grid");

const slot = grid.querySelector("[data-review-slot]");
new LiveTable(grid, document.querySelector(".topbar__actions"));

registerPayloadHandlersLater(async () => {
  const [{ dataHandler }, { columnsHandler }] = await Promise.all([load(() => import("../payloads/data_proposal.js")), load(() => import("../payloads/schema_proposal.js"))]);
  registerPayloadHandler("data_proposal", dataHandler(grid, slot));
  registerPayloadHandler("schema_proposal", columnsHandler({ slot, grid }));
});
const follow = async (/** @type {any} */ named) => (await late(t("The link could not be followed."), () => load(() => import("../show_linked.js")))).follow(grid, named);
for (const kind of ["table", "row", "column"]) registerLinkHandler(kind, (data) => String(data.table_id) === grid.tableId && Boolean(follow(data)));
if (location.hash) void follow(location.hash);

// The chat says how many rows it sees, and which of them go along; the grid is the one who knows.
const tray = document.querySelector("chat-tray");
// What the server has counted stands there until the grid counts again.
let whole = tray?.dataset.context ?? "";
function tellTray() {
  if (!tray) return;
  const { subject } = tray.dataset;
  const count = grid.selection?.meant.length ?? 0;
  const selected = count ? tn("{subject}, {count} selected row", "{subject}, {count} selected rows", count, { subject }) : "";
  tray.dataset.context = selected || whole;
}
grid.addEventListener("grid-counted", (event) => {
  whole = `${tray?.dataset.subject}, ${/** @type {CustomEvent} */ (event).detail.rows}`;
  tellTray();
});
grid.addEventListener("grid-selected", tellTray);

/** @type {HTMLElement} */
const exportMenu = document.querySelector("[data-export]");
exportMenu.addEventListener("beforetoggle", () => void exporting().catch(() => {}));
exportMenu.addEventListener("click", (event) => {
  if (/** @type {Element} */ (event.target).closest("a")) for (const menu of document.querySelectorAll("#export-menu, #table-menu")) menu.hidePopover();
});

registerConflictWords(async (error) => (await load(() => import("../../tables/undo_conflicts.js"))).changedSince(error, grid));
registerPageContext(() => {
  const { filter, sort, search } = grid.asked;
  return {
    filter: filter ? JSON.parse(filter) : null,
    sort,
    search,
    selected_row_ids: grid.selection.meant,
    visible_column_ids: grid.columns.map((column) => column.id),
  };
});

// What the assistant may have done to the view; fetched with the first of it.
const withActions = (use) => late(t("The action could not be loaded."), () => load(() => import("./table_view_actions.js"))).then(use);
const takeBack = (state) => withActions((module) => module.takeBack(grid, state));
for (const name of "sort_rows filter_rows search_table clear_view hide_columns show_columns export_table print_table open_sharing open_history undo_change redo_change".split(" ")) {
  registerClientAction(name, (data) => withActions((module) => module.run(grid, name, data)), { takeBack, writes: name.endsWith("_change") });
}

const menu = document.getElementById("table-menu");
const printing = () => load(() => import("../../tables/print_rows.js")).then(({ paperOf }) => paperOf(grid));
const filling = () => load(() => import("../../tables/fill_handle.js")).then(({ addFillHandle }) => addFillHandle(grid));
const exporting = () => load(() => import("../../tables/export_links.js")).then(({ keepExportLinks }) => keepExportLinks(grid, exportMenu));
atFirstSign(() => void Promise.all([printing(), filling(), exporting()]).catch(() => {}));
const gripping = ({ target }) => void load(() => import("../../tables/row_drag.js")).then(({ addRowGrip }) => addRowGrip(grid, target)).catch(() => {});
grid.rowsBody.addEventListener("pointerover", gripping, { once: true });
async function print() {
  menu.hidePopover();
  (await late(t("Printing could not be loaded."), printing)).print();
}
// What is in the menu is replaced with the person's role.
menu.addEventListener("click", (event) => /** @type {Element} */ (event.target).closest("[data-print]") && void print());
document.addEventListener("keydown", (event) => {
  if (event.key?.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  void print();
});

// Without scripts, or in a tab of its own, it is a page.
menu.addEventListener("click", async (event) => {
  if (!(/** @type {Element} */ (event.target).closest("[data-share]")) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  menu.hidePopover();
  const { openShareDialog } = await late(t("The members could not be loaded."), () => load(() => import("../../tables/share_dialog.js")));
  try {
    await openShareDialog(grid.tableId, { given: () => grid.takeRole("editor") });
  } catch {
    toast(t("The members could not be read. Try again in a moment."), { kind: "error" });
  }
});

// What stands around the grid is the server's to say.
grid.addEventListener("grid-role", async () => {
  const { offerAnew } = await late(t("What this page offers now could not be read."), () => load(() => import("../../tables/refresh_page.js")));
  await offerAnew(grid);
});

/** @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLElement && Boolean(target.closest("input, textarea, select, [contenteditable], dialog"));
}

/** @param {boolean} byNumber  The browser finds only the rows that are drawn. */
async function find(byNumber) {
  menu.hidePopover();
  // What is typed into the grid before the bar is there belongs to it: in a cell it would be written.
  const held = document.activeElement;
  let typed = "";
  const take = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const hold = (/** @type {KeyboardEvent} */ event) => {
    const { key } = event;
    if (event.target !== grid.table || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key.length === 1) typed += key;
    else if (key === "Backspace") typed = typed.slice(0, -1);
    else if (key !== "Delete" && key !== "Enter") return;
    take(event);
  };
  const holdPasted = (/** @type {ClipboardEvent} */ event) => {
    if (document.activeElement !== grid.table) return;
    typed += event.clipboardData?.getData("text/plain") ?? "";
    take(event);
  };
  addEventListener("keydown", hold, { capture: true });
  addEventListener("paste", holdPasted, { capture: true });
  try {
    const { openFindBar } = await load(() => import("../../tables/find_bar.js"));
    if (document.activeElement === held) openFindBar(grid, { byNumber, typed });
  } catch {
    toast(t("The find bar could not be loaded. Try again in a moment."), { kind: "error" });
  } finally {
    removeEventListener("keydown", hold, { capture: true });
    removeEventListener("paste", holdPasted, { capture: true });
  }
}
menu.addEventListener("click", (event) => /** @type {Element} */ (event.target).closest("[data-find]") && find(false));

document.addEventListener("keydown", (event) => {
  const ctrl = event.ctrlKey || event.metaKey;
  if (isField(event.target) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (ctrl && (key === "z" || (key === "y" && !event.shiftKey))) {
    event.preventDefault();
    if (key === "y" || event.shiftKey) grid.writer.past.redo();
    else grid.writer.past.undo();
  } else if (ctrl && !event.shiftKey && (key === "f" || key === "g") && !(/** @type {Element} */ (event.target).closest("chat-tray"))) {
    event.preventDefault();
    void find(key === "g");
  } else if (key === "/" && !ctrl && event.target !== grid.table) {
    event.preventDefault();
    grid.searchInput.focus();
    grid.searchInput.select();
  }
});

// A proposal applied in this tab is a change of this tab: Ctrl+Z undoes it too, and its receipt says so.
/** @type {Map<string, {change: number, status: string}>} */
const applied = new Map();
document.addEventListener("payload-settled", (event) => {
  const { id, status, outcome, turnedBack, elsewhere } = /** @type {CustomEvent} */ (event).detail ?? {};
  const known = applied.get(id);
  if (outcome?.change && !elsewhere && (status === "applied" || status === "partially_applied")) {
    applied.set(id, { change: outcome.change, status });
    grid.writer.past.record("made", outcome.change);
  } else if (status === "undone" && known && !turnedBack) {
    // Where it is undone for good, the server says so when it is to be undone here: the restore that did so may be undone itself.
    if (elsewhere) removeUndoToasts(known.change);
    else grid.writer.past.record("undone", known.change);
  }
});
// So is what a tool wrote for this tab, until it is undone on the tool's card.
document.addEventListener("tool-wrote", (event) => {
  const { table_id: table, change_id: change } = /** @type {CustomEvent} */ (event).detail;
  if (String(table) === grid.tableId) grid.writer.past.record("made", change);
});
document.addEventListener("table-changed", (event) => {
  const { table_id: table, change_id: change, step } = /** @type {CustomEvent} */ (event).detail ?? {};
  if (step && String(table) === grid.tableId) grid.writer.past.record(step, change);
});
grid.addEventListener("change-turned-back", (event) => {
  const { change, verb } = /** @type {CustomEvent} */ (event).detail;
  const found = [...applied].find(([, one]) => one.change === change);
  if (!found) return;
  const [id, { status }] = found;
  const detail = { id, status: verb === "undo" ? "undone" : status };
  document.dispatchEvent(new CustomEvent("payload-settled", { detail: { ...detail, turnedBack: true } }));
});
