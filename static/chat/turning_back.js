// Where an undo or a redo did not work: why, and what becomes of what was changed since.

import { el } from "../element.js";
import { t } from "../locale.js";
import { button } from "./parts.js";

/**
 * @typedef {object} TurningBack
 * @property {string} fault  why it did not work, "" where nothing is wrong
 * @property {"undo"|"redo"|""} blocked  what would overwrite later changes: the person has to say what becomes of them
 *
 * @param {TurningBack} state
 * @param {(way: "undo"|"redo", onConflict: "keep"|"overwrite") => void} turnBack
 * @returns {HTMLElement[]}
 */
export function turningBack({ fault, blocked }, turnBack) {
  return [
    ...(fault ? [el("p", { class: "is-fault", role: "alert" }, fault)] : []),
    ...(blocked
      ? [el("div", { class: "acts" },
          button(t("Keep the later changes"), { onclick: () => turnBack(blocked, "keep") }),
          button(t("Overwrite them"), { onclick: () => turnBack(blocked, "overwrite"), class: "btn btn--warning btn--sm" }))]
      : []),
  ];
}
