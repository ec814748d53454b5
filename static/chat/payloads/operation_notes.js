// What is said about an operation in a line under its row: errors, conflicts, warnings, and why a row is to go.

import { el, icon } from "../../element.js";
import { drawRevealed } from "../../tables/hidden_characters.js";

const FEW_DELETES = 3;
const SIGNS = { error: "circle-x", conflict: "triangle-alert", warning: "triangle-alert" };

/**
 * Reasons stand on their rows where they differ; one for all of them stands in the bar. What was merely read as another
 * form of the same value is told at its cell.
 * @param {Operation[]} operations  all of the proposal
 * @returns {(operation: Operation) => string[]} what must be seen of each, nothing for most
 */
export function wordsFor(operations) {
  const deletes = operations.filter(({ action }) => action === "delete");
  const showsReasons = deletes.length <= FEW_DELETES || new Set(deletes.map(({ reason }) => reason ?? "")).size > 1;
  return ({ action, reason, notes }) => {
    const words = notes.filter((note) => note.code !== "cast").map((note) => note.detail);
    return action === "delete" && reason && showsReasons ? [reason, ...words] : words;
  };
}

/**
 * @param {Operation} operation @param {{words: string[], columns: number, checked: boolean}} how  columns: those of the grid
 * @returns {HTMLTableRowElement | null} null where nothing is to be said
 */
export function drawNote({ action, state }, { words, columns, checked }) {
  if (!words.length) return null;
  const inside = el("div", { class: "opnote__in" }, icon(SIGNS[state] ?? "info", "icon--14"), el("span", {}, drawRevealed(words.join(" · "))));
  const note = { class: checked ? "opnote" : "opnote is-off", title: words.join(" · "), dataset: { op: action, state } };
  return el("tr", note, el("td", { colspan: String(columns + 2) }, inside));
}
