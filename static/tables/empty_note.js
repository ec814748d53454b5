// The notes of a grid without rows, or with a filter or sort order that does not fit the table.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { pageQuery } from "./view_state.js";

/** @param {HTMLElement} note @param {"result" | "table"} kind  no row matches, or the table has no rows @param {boolean} mayEdit */
export function describeEmpty(note, kind, mayEdit) {
  if (kind === "result") {
    const all = el("a", { class: "btn", href: "?", text: t("Show all rows") });
    note.replaceChildren(el("h2", { text: t("No matching rows") }), el("p", { text: t("Change or clear the search and filters.") }), all);
  } else {
    const text = mayEdit ? t("Add a row, paste rows from a spreadsheet, or ask the assistant to fill the table.") : "";
    note.replaceChildren(el("h2", { text: t("No rows yet") }), el("p", { text }));
  }
}

/** @param {HTMLElement} note @param {ViewState} view @param {any} error  of reading the rows */
export function describeProblem(note, view, error) {
  const link = el("a", { class: "link", href: pageQuery({ ...view, filter: "", sort: "" }) || "?", "data-choice": "understood", text: t("Clear it") });
  const message = el("span", { text: t("The filter or sort no longer fits the table. {reason}", { reason: error.message }) + " " }, link);
  note.replaceChildren(el("p", { class: "notice is-warn notice--strip", role: "alert" }, icon("triangle-alert"), message));
}
