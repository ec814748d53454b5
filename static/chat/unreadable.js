// A proposal that could not be read, as the assistant wrote it, behind a lid: the answer has said that it is not shown.

import { el, icon } from "../element.js";
import { t } from "../locale.js";

/** @param {string} text @returns {HTMLElement} */
export function unreadableCard(text) {
  return el("section", { class: "pcard pcard--plain", "aria-label": t("Unreadable proposal") },
    el("span", { class: "pcard__h" }, icon("triangle-alert"), t("Unreadable proposal")),
    el("details", {},
      el("summary", {}, t("Show what the assistant wrote")),
      el("pre", { tabindex: "0" }, text)));
}
