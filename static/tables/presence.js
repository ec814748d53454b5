// Who else has the table open: their initials in the top bar.

import { el } from "../element.js";
import { t } from "../locale.js";

const MOST_FACES = 4;

/** @param {HTMLElement} faces @param {{name: string, initials: string}[]} others */
export function drawFaces(faces, others) {
  const shown = others.slice(0, MOST_FACES).map((one) => el("span", { class: "avatar avatar--other", title: one.name, text: one.initials, "aria-hidden": "true" }));
  const more = others.length > MOST_FACES ? [el("span", { class: "faces__more", text: `+${others.length - MOST_FACES}`, "aria-hidden": "true" })] : [];
  faces.replaceChildren(...shown, ...more);
  faces.hidden = others.length === 0;
  faces.setAttribute("aria-label", t("Also here: {names}", { names: others.map((one) => one.name).join(", ") }));
}
