// The page of a table: the context for the assistant, proposals, client actions, keyboard shortcuts.

import { t, tn } from "../../locale.js";
import { dispatch, registerClientAction, registerConflictWords, registerLinkHandler, registerPageContext, registerPayloadHandler, registerLazyHandlers } from "../registry.js";
import { hasFiles, lazy, load, onFirstInput, removeUndoToasts, toast } from "../../element.js";
import "../../tables/grid.js";
import { LiveTable } from "../../tables/live_updates.js";

/** @type {TableGrid} */
const grid = document.querySelector("table-grid");

const slot = grid.querySelector("[data-review-slot]");
new LiveTable(grid, document.querySelector(".topbar__actions"));

registerLazyHandlers(async () => {
  const [{ dataHandler }, { columnsHandler }, { registerTableTools }] = await Promise.all([load(() => import("../payloads/data_proposal.js")), load(() => import("../payloads/schema_proposal.js")), load(() => import("../tools/table_tools.js"))]);
  registerTableTools();
  registerPayloadHandler("data_proposal", dataHandler(grid, slot));
  registerPayloadHandler("schema_proposal", columnsHandler({ slot, grid }));
  registerPayloadHandler("fill_proposal", { renderItems: drawFill });
});
/** The module is loaded with the first card. @param {any} proposal */
function drawFill(proposal) {
  const place = document.createElement("div");
  void lazy(t("The fill could not be shown."), () => load(() => import("../payloads/fill_proposal.js"))).then((module) => module.drawFill(place, proposal));
  return place;
}
const follow = async (/** @type {any} */ target) => (await lazy(t("The link could not be followed."), () => load(() => import("./table_view_links.js")))).follow(grid, target);
for (const kind of ["table", "row", "column"]) registerLinkHandler(kind, (data) => String(data.table_id) === grid.tableId && Boolean(follow(data)));
if (location.hash) void follow(location.hash);

// The chat shows how many rows are visible and selected, as counted by the grid.
const tray = document.querySelector("chat-tray");
// The server's count is used until the grid counts again.
let countText = tray?.dataset.context ?? "";
function updateTrayContext() {
  if (!tray) return;
  const { subject } = tray.dataset;
  const count = grid.selection?.contextIds.length ?? 0;
  const selected = count ? tn("{subject}, {count} selected row", "{subject}, {count} selected rows", count, { subject }) : "";
  tray.dataset.context = selected || countText;
}
grid.addEventListener("grid-counted", (event) => {
  countText = `${tray?.dataset.subject}, ${/** @type {CustomEvent} */ (event).detail.rows}`;
  updateTrayContext();
});
grid.addEventListener("grid-selected", updateTrayContext);

/** @type {HTMLElement} */
const exportMenu = document.querySelector("[data-export]");
exportMenu.addEventListener("beforetoggle", () => void loadExport().catch(() => {}));
exportMenu.addEventListener("click", (event) => {
  if (/** @type {Element} */ (event.target).closest("a")) for (const menu of document.querySelectorAll("#export-menu, #table-menu")) menu.hidePopover();
});

// Files for the assistant: chosen, dropped or pasted.
const withFiles = (use) => lazy(t("The files could not be added."), () => load(() => import("./table_view_files.js"))).then(use);
tray?.querySelector("[data-add-files]")?.addEventListener("click", ({ currentTarget: button }) => withFiles((module) => module.openFileMenu(grid, button)));
for (const type of ["dragover", "drop", "paste"]) tray?.addEventListener(type, (/** @type {any} */ event) => {
  const data = event.clipboardData ?? event.dataTransfer;
  // Programs that copy text often add a picture of it.
  if (!hasFiles(data) || data.types.includes("text/plain")) return;
  event.preventDefault();
  const files = [...data.files];
  if (type !== "dragover") void withFiles((module) => module.uploadToMessage(grid, files));
});

registerConflictWords(async (error) => (await load(() => import("../../tables/undo_conflicts.js"))).describeConflicts(error, grid));
registerPageContext(() => {
  const { filter, sort, search } = grid.query;
  return {
    filter: filter ? JSON.parse(filter) : null,
    sort,
    search,
    selected_row_ids: grid.selection.contextIds,
    visible_column_ids: grid.columns.map((column) => column.id),
  };
});

// Client actions of the assistant; the module is loaded with the first one.
const withActions = (use) => lazy(t("The action could not be loaded."), () => load(() => import("./table_view_actions.js"))).then(use);
const undo = (state) => withActions((module) => module.undo(grid, state));
for (const name of "sort_rows filter_rows search_table clear_view hide_columns show_columns export_table print_table open_sharing open_history undo_change redo_change".split(" ")) {
  registerClientAction(name, (data) => withActions((module) => module.run(grid, name, data)), { undo, writes: name.endsWith("_change"), reveals: name !== "export_table" });
}

// Fills are loaded if there are any, and when one is started.
const loadFills = () => void load(() => import("../../tables/fills/table_fills.js")).then(({ fillsOf }) => fillsOf(grid)).catch(() => {});
if (grid.dataset.fills) loadFills();
document.addEventListener("table-news", ({ detail }) => detail.about === "fills" && loadFills());

const menu = document.getElementById("table-menu");
const loadPrinting = () => load(() => import("../../tables/print_rows.js")).then(({ printerFor }) => printerFor(grid));
const loadFillHandle = () => load(() => import("../../tables/fill_handle.js")).then(({ addFillHandle }) => addFillHandle(grid));
const loadExport = () => load(() => import("../../tables/export_links.js")).then(({ updateExportLinks }) => updateExportLinks(grid, exportMenu));
onFirstInput(() => Promise.all([loadPrinting(), loadFillHandle(), loadExport()]));
const loadRowGrip = ({ target }) => void load(() => import("../../tables/row_drag.js")).then(({ addRowGrip }) => addRowGrip(grid, target)).catch(() => {});
grid.rowsBody.addEventListener("pointerover", loadRowGrip, { once: true });
async function print() {
  menu.hidePopover();
  (await lazy(t("Printing could not be loaded."), loadPrinting)).print();
}
// The items of the menu are replaced when the user's role changes.
menu.addEventListener("click", (event) => /** @type {Element} */ (event.target).closest("[data-print]") && void print());
document.addEventListener("keydown", (event) => {
  if (event.key?.toLowerCase() !== "p" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  void print();
});

// Without JavaScript, or in a new tab, it is a page.
menu.addEventListener("click", async (event) => {
  if (!(/** @type {Element} */ (event.target).closest("[data-share]")) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  menu.hidePopover();
  const { openShareDialog } = await lazy(t("The members could not be loaded."), () => load(() => import("../../tables/share_dialog.js")));
  try {
    await openShareDialog(grid.tableId, { onTransferred: () => grid.setRole("editor") });
  } catch {
    toast(t("The members could not be loaded. Try again in a moment."), { kind: "error" });
  }
});

// The server renders the surroundings of the grid.
grid.addEventListener("grid-role", async () => {
  const { refreshByRole } = await lazy(t("The page could not be updated. Reload it."), () => load(() => import("../../tables/refresh_page.js")));
  await refreshByRole(grid);
});

/** @param {EventTarget | null} target */
function isField(target) {
  return target instanceof HTMLElement && Boolean(target.closest("input, textarea, select, [contenteditable], dialog"));
}

/** @param {boolean} byNumber  go to a row by number; the browser's own search finds only rendered rows */
async function find(byNumber) {
  menu.hidePopover();
  // Keys pressed before the bar is loaded belong to it: in a cell they would start an edit.
  const focused = document.activeElement;
  let typed = "";
  const consume = (/** @type {Event} */ event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const holdKey = (/** @type {KeyboardEvent} */ event) => {
    const { key } = event;
    if (event.target !== grid.table || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key.length === 1) typed += key;
    else if (key === "Backspace") typed = typed.slice(0, -1);
    else if (key !== "Delete" && key !== "Enter") return;
    consume(event);
  };
  const holdPasted = (/** @type {ClipboardEvent} */ event) => {
    if (document.activeElement !== grid.table) return;
    typed += event.clipboardData?.getData("text/plain") ?? "";
    consume(event);
  };
  addEventListener("keydown", holdKey, { capture: true });
  addEventListener("paste", holdPasted, { capture: true });
  try {
    const { openFindBar } = await load(() => import("../../tables/find_bar.js"));
    if (document.activeElement === focused) openFindBar(grid, { byNumber, typed });
  } catch {
    toast(t("The find bar could not be loaded. Try again in a moment."), { kind: "error" });
  } finally {
    removeEventListener("keydown", holdKey, { capture: true });
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
    if (key === "y" || event.shiftKey) grid.writer.undoRedo.redo();
    else grid.writer.undoRedo.undo();
  } else if (ctrl && !event.shiftKey && (key === "f" || key === "g") && !(/** @type {Element} */ (event.target).closest("chat-tray"))) {
    event.preventDefault();
    void find(key === "g");
  } else if (key === "/" && !ctrl && event.target !== grid.table) {
    event.preventDefault();
    grid.searchInput.focus();
    grid.searchInput.select();
  }
});

// A proposal applied in this tab can be undone with Ctrl+Z, which also updates its receipt.
/** @type {Map<string, {change: number, status: string}>} */
const applied = new Map();
document.addEventListener("payload-settled", (/** @type {any} */ { detail: { id, status, outcome, isSynced, fromOtherTab } }) => {
  const appliedChange = applied.get(id);
  if (outcome?.change && !fromOtherTab && (status === "applied" || status === "partially_applied")) {
    applied.set(id, { change: outcome.change, status });
    grid.writer.undoRedo.record("made", outcome.change);
  } else if (status === "undone" && appliedChange && !isSynced) {
    // After an undo in another tab, the server knows whether it can still be undone here.
    if (fromOtherTab) removeUndoToasts(appliedChange.change);
    else grid.writer.undoRedo.record("undone", appliedChange.change);
  }
});
// The same applies to a tool's change, until it is undone on its tool card.
document.addEventListener("tool-done", (/** @type {any} */ { detail: { undo: change, startedHere } }) => {
  if (startedHere && String(change?.table_id) === grid.tableId) grid.writer.undoRedo.record("made", change.change_id);
});
document.addEventListener("table-changed", (/** @type {any} */ { detail }) => {
  if (detail?.step && String(detail.table_id) === grid.tableId) grid.writer.undoRedo.record(detail.step, detail.change_id);
});
grid.addEventListener("change-undo-toggled", (/** @type {any} */ { detail: { change, verb } }) => {
  dispatch("tool-undone", { undo: { table_id: Number(grid.tableId), change_id: change }, undone: verb === "undo" });
  const found = [...applied].find(([, one]) => one.change === change);
  if (!found) return;
  const [id, { status }] = found;
  dispatch("payload-settled", { id, status: verb === "undo" ? "undone" : status, isSynced: true });
});
