// What a grid without rows says.

import { el } from "../element.js";
import { t } from "../locale.js";

/** @param {HTMLElement} note @param {"result" | "table"} kind  nothing fits the search and filters, or there is no row at all @param {boolean} mayEdit */
export function describeEmpty(note, kind, mayEdit) {
  if (kind === "result") {
    const all = el("a", { class: "btn", href: "?", text: t("Show all rows") });
    note.replaceChildren(el("h2", { text: t("No row matches") }), el("p", { text: t("The table has rows, but none that fits the search and filters.") }), all);
  } else {
    const text = mayEdit ? t("Add the first one, paste rows from a spreadsheet, or ask the assistant to fill the table.") : "";
    note.replaceChildren(el("h2", { text: t("No rows yet") }), el("p", { text }));
  }
}
