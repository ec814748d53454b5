// The confirmation before a definition is saved that loses or converts values, or requires values that are missing.

import { el, icon } from "../element.js";
import { t, tn } from "../locale.js";
import { drawValue } from "./values.js";

const MAX_EXAMPLES = 3;

/**
 * @param {any} preview  of the schema proposal
 * @returns {Promise<URLSearchParams | null>} query parameters with the decisions; null if cancelled. Rejects with the reasons if it cannot be saved.
 */
export async function confirmLosses(preview) {
  const invalid = preview.operations.filter((operation) => operation.state === "error" || operation.state === "conflict");
  if (invalid.length) throw new Error(invalid.flatMap((operation) => operation.notes.map((note) => note.detail)).join(" "));
  const losing = preview.operations.filter((operation) => operation.losses?.cleared || operation.losses?.converted || emptyCells(operation));
  if (!losing.length) return new URLSearchParams();
  const confirmed = await ask(losing);
  return confirmed ? new URLSearchParams({ on_unconvertible: "clear", on_removed_option: "clear", on_empty_cells: "keep" }) : null;
}

/** @param {any} operation @param {string} code  of a note @returns {number} cells that it counts */
const counted = (operation, code) => operation.notes.find((note) => note.code === code)?.value ?? 0;

/** @param {any} operation @returns {number} rows without a value in a column that becomes required */
const emptyCells = (operation) => counted(operation, "empty_cells");

/** @param {any[]} losing @returns {Promise<boolean>} */
function ask(losing) {
  const lines = losing.map((operation) => {
    const name = operation.column?.name ?? operation.old?.name ?? t("Column");
    const { cleared = 0, converted = 0, examples = [] } = operation.losses ?? {};
    const [empty, shortened] = [emptyCells(operation), counted(operation, "values_shortened")];
    const words = [
      cleared && tn("{count} value will be lost", "{count} values will be lost", cleared),
      converted && tn("{count} value will be converted", "{count} values will be converted", converted),
      shortened && tn("{count} cell will lose part of its value", "{count} cells will lose part of their value", shortened),
      empty && tn("{count} row has no value and stays empty", "{count} rows have no value and stay empty", empty),
    ];
    const shown = examples.slice(0, MAX_EXAMPLES).map((one) => drawExample(operation, one));
    return el("li", {}, el("b", { text: name }), ` ${words.filter(Boolean).join(", ")}`, el("ul", { class: "losses__examples" }, ...shown));
  });
  return new Promise((resolve) => {
    const clears = losing.some(({ losses }) => losses?.cleared);
    const title = clears ? t("Saving deletes values") : losing.some(({ losses }) => losses?.converted) ? t("Saving converts values") : t("Required values are missing");
    const dialog = el("dialog", { class: "modal", "aria-label": title });
    const answer = (word, kind, value) => el("button", { class: `btn ${kind}`, type: "button", text: word, on: { click: () => dialog.close(value) } });
    dialog.append(
      el(
        "div",
        { class: "modal__inner" },
        el("h2", { text: title }),
        el("ul", { class: "losses" }, ...lines),
        el("p", { text: t("You can undo this in the history.") }),
        el("div", { class: "actions" }, answer(t("Go back"), "", ""), answer(t("Save anyway"), clears ? "btn--danger" : "btn--primary", "yes")),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {any} operation @param {{from: any, to: any}} example */
function drawExample({ column, old }, { from, to }) {
  const item = el("li", {}, el("s", {}, drawValue({ ...column, ...old }, from)));
  if (to !== null && to !== undefined) item.append(icon("arrow-right", "icon--12"), el("span", {}, drawValue(column, to)));
  return item;
}
