// Yes or no: a check mark that Enter toggles.

import { el, icon } from "../../element.js";
import { t } from "../../locale.js";
import { plainText } from "./text.js";

/** @type {ColumnKind} */
export const boolean = {
  name: "boolean", toggles: true, isText: false,
  display: plainText,
  draw: (value, text) => {
    if (typeof value !== "boolean") return null;
    const mark = value ? icon("check") : icon("x", "icon--14");
    return el("span", { class: value ? "bool" : "bool is-no", role: "img", "aria-label": text }, mark);
  },
  updateNode: (node, value) => typeof value === "boolean" && node.className === (value ? "bool" : "bool is-no"),
  editText: (value) => (value ? "true" : "false"),
  typed: (text) => text === "true",
  // The displayed words; the server knows other words for yes and no.
  pasted: (text) => [false, true].find((value) => plainText(value).toLowerCase() === text.toLowerCase()) ?? text,
  defaultOf: (text) => text === "true",
  choices: () => [["true", t("Yes")], ["false", t("No")]],
};
