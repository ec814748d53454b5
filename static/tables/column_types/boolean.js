// Yes or no: a tick that Enter turns round.

import { el, icon } from "../../element.js";

/** @type {ColumnKind} */
export const boolean = {
  name: "boolean", label: "Yes or no", icon: "square-check", cellClass: "is-bool", hint: "Yes, no, or empty.", clicks: "truth", toggles: true,
  display: (value) => (value ? "Yes" : "No"),
  draw: (value, text) => {
    const mark = value ? icon("check") : icon("minus", "icon--14");
    return el("span", { class: value ? "bool" : "bool is-no", role: "img", "aria-label": text }, mark);
  },
  editText: (value) => (value ? "true" : "false"),
  typed: (text) => text === "true",
  // The server knows what else means yes and no.
  pasted: (text) => text,
  defaultOf: (text) => text === "true",
  choices: () => [["true", "Yes"], ["false", "No"]],
};
