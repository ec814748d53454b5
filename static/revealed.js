// Text as it is shown where somebody looks a change over: characters that nobody sees are spelled out.

import { el } from "./element.js";
import { hidesSomething, revealed } from "./tables/hidden_characters.js";

/** @param {unknown} text @returns {Node} */
export function drawRevealed(text) {
  const whole = String(text ?? "");
  if (!hidesSomething(whole)) return document.createTextNode(whole);
  const pieces = revealed(whole).map((piece) => (piece.hidden ? el("span", { class: "unseen", title: "A character that cannot be seen", text: piece.text }) : piece.text));
  return el("span", {}, ...pieces);
}
