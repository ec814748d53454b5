// What a grid says that has no rows, or whose filters and order do not fit the table.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { pageQuery } from "./view_state.js";

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

/** @param {HTMLElement} note @param {ViewState} view @param {any} error  why its rows could not be read */
export function describeProblem(note, view, error) {
  const way = el("a", { class: "link", href: pageQuery({ ...view, filter: "", sort: "" }) || "?", "data-choice": "understood", text: t("Show the table without it") });
  const told = el("span", { text: t("The filter or order does not fit the table any more. {reason}", { reason: error.message }) + " " }, way);
  note.replaceChildren(el("p", { class: "notice is-warn notice--strip", role: "alert" }, icon("triangle-alert"), told));
}
