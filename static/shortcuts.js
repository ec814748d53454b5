// The list of keys, shown with "?".

import { el } from "./element.js";
import { t } from "./locale.js";

const KEYS = [
  [["↑", "↓", "←", "→"], t("Move between cells")],
  [[t("Enter")], t("Edit the cell; typing starts over")],
  [[t("Esc")], t("Leave the cell as it was")],
  [[t("Space")], t("Turn a yes or no cell over")],
  [[t("Shift"), t("Space")], t("Check the row or proposed change, or uncheck it")],
  [[t("Shift"), "→"], t("Select several cells; Ctrl+A selects all")],
  [[t("Del")], t("Empty the selected cells")],
  [[t("Alt"), "↓"], t("Menu of the column")],
  [[t("Shift"), t("Enter")], t("Details of the row")],
  [["/"], t("Search rows")],
  [["C"], t("Write to the assistant")],
  [[t("Ctrl"), "Z"], t("Undo; with Shift redo")],
  [["J", "K"], t("Next and previous proposed change")],
  [[t("Ctrl"), t("Enter")], t("Apply the checked changes")],
];

export function showShortcuts() {
  if (document.querySelector("dialog[open]")) return;
  const list = el("dl", { class: "keys" });
  for (const [keys, words] of KEYS) {
    list.append(el("dt", {}, ...keys.map((key) => el("kbd", { text: key }))), el("dd", { text: words }));
  }
  const dialog = el("dialog", { class: "modal", "aria-label": t("Keyboard shortcuts") });
  const close = el("button", { class: "btn", type: "button", text: t("Close"), on: { click: () => dialog.close() } });
  dialog.append(
    el("div", { class: "modal__in" }, el("h2", { text: t("Keyboard shortcuts") }), list, el("div", { class: "acts" }, close)),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
