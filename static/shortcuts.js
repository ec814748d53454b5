// The dialog of keyboard shortcuts, opened with Ctrl+/ or "?".

import { el } from "./element.js";
import { t } from "./locale.js";

/** Those of pages with a grid. @type {[string, [string[], string][]][]} a heading, and keys with their effects */
const GRID_GROUPS = [
  [t("While a cell is selected"), [
    [["↑", "↓", "←", "→"], t("Move between cells")],
    [[t("Enter")], t("Edit the cell")],
    [["A", "/", "?"], t("Start editing with the typed character")],
    [[t("Esc")], t("Cancel editing")],
    [[t("Space")], t("Toggle checkbox")],
    [[t("Shift"), t("Space")], t("Select or deselect the row")],
    [[t("Shift"), "→"], t("Select several cells; Ctrl+A selects all")],
    [[t("Ctrl"), t("Space")], t("Select the column (also Ctrl+click its heading; Shift+click extends)")],
    [[t("Del")], t("Clear the selected cells")],
    [[t("Ctrl"), "D"], t("Fill down from the first selected row, or from the cell above")],
    [[t("Alt"), "↑", "↓"], t("Move the row, or the selected rows, up or down")],
    [[t("Alt"), t("Shift"), "↓"], t("Column menu")],
    [[t("Shift"), "F10"], t("Menu for selected cells or rows")],
    [[t("Shift"), "F2"], t("Details of a found value")],
    [[t("Shift"), t("Enter")], t("Row details")],
    [[t("Ctrl"), t("Enter")], t("Open the link")],
    [[t("Ctrl"), "F"], t("Find in table; Enter goes to the next match")],
    [[t("Ctrl"), "G"], t("Go to row")],
    [[t("Ctrl"), "Z"], t("Undo; with Shift redo")],
    [[t("Ctrl"), "Y"], t("Redo")],
  ]],
  [t("While you review a proposal"), [
    [["J", "K"], t("Next and previous proposed change")],
    [[t("Ctrl"), t("Enter")], t("Apply the checked changes")],
  ]],
];

/** @returns {typeof GRID_GROUPS} those of the open page */
function groupsOfPage() {
  const hasGrid = document.querySelector("table-grid") !== null;
  /** @type {[string[], string][]} */
  const outside = [[["?"], t("Show keyboard shortcuts")]];
  if (hasGrid) outside.unshift([["/"], t("Search rows")]);
  if (document.querySelector("chat-tray")) outside.push([["C"], t("Write to the assistant")]);
  return [
    ...(hasGrid ? GRID_GROUPS : []),
    [hasGrid ? t("Outside cells and text fields") : t("Outside text fields"), outside],
    [t("Anywhere"), [[[t("Ctrl"), "/"], t("Show keyboard shortcuts")]]],
  ];
}

export function showShortcuts() {
  if (document.querySelector("dialog[open]")) return;
  const groups = groupsOfPage().flatMap(([heading, keys]) => [el("h3", { text: heading }), keyList(keys)]);
  const dialog = el("dialog", { class: "modal", "aria-label": t("Keyboard shortcuts") });
  const close = el("button", { class: "btn", type: "button", text: t("Close"), on: { click: () => dialog.close() } });
  dialog.append(
    el("div", { class: "modal__inner" }, el("h2", { text: t("Keyboard shortcuts") }), ...groups, el("div", { class: "actions" }, close)),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {[string[], string][]} keys */
function keyList(keys) {
  const list = el("dl", { class: "keys" });
  for (const [names, words] of keys) {
    list.append(el("dt", {}, ...names.map((name) => el("kbd", { text: name }))), el("dd", { text: words }));
  }
  return list;
}
