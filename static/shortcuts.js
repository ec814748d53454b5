// The list of keys, shown with "?".

import { el } from "./element.js";

const KEYS = [
  [["↑", "↓", "←", "→"], "Move between cells"],
  [["Enter"], "Edit the cell; typing starts over"],
  [["Esc"], "Leave the cell as it was"],
  [["Space"], "Turn a yes or no cell over"],
  [["Shift", "Space"], "Check the row or proposed change, or uncheck it"],
  [["Shift", "→"], "Select several cells; Ctrl+A selects all"],
  [["Delete"], "Empty the selected cells"],
  [["Alt", "↓"], "Menu of the column"],
  [["Shift", "Enter"], "Details of the row"],
  [["/"], "Search rows"],
  [["C"], "Write to the assistant"],
  [["Ctrl", "Z"], "Undo; with Shift redo"],
  [["J", "K"], "Next and previous proposed change"],
  [["Ctrl", "Enter"], "Apply the checked changes"],
];

export function showShortcuts() {
  if (document.querySelector("dialog[open]")) return;
  const list = el("dl", { class: "keys" });
  for (const [keys, words] of KEYS) {
    list.append(el("dt", {}, ...keys.map((key) => el("kbd", { text: key }))), el("dd", { text: words }));
  }
  const dialog = el("dialog", { class: "modal", "aria-label": "Keyboard shortcuts" });
  const close = el("button", { class: "btn", type: "button", text: "Close", on: { click: () => dialog.close() } });
  dialog.append(
    el("div", { class: "modal__in" }, el("h2", { text: "Keyboard shortcuts" }), list, el("div", { class: "acts" }, close)),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
