// Characters nobody sees: zero-width ones and those that turn the direction of text. Where a change is looked over, they show.

import { el } from "../element.js";
import { t } from "../locale.js";

// Joiners between letters are left alone where a script or an emoji needs them: they are hidden only beside plain letters.
const HIDDEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|(?<=[\p{ASCII}])[\u200c\u200d]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu;

/** @param {string} text @returns {boolean} */
export function hidesSomething(text) {
  // Unlike test(), search() starts at the beginning and leaves no place behind that matchAll() would start from.
  return text.search(HIDDEN) >= 0;
}

/** @param {string} text @returns {string} the same as plain text: "pay[U+200B]pal" */
export function revealedText(text) {
  return revealed(text).map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text)).join("");
}

/**
 * @param {string} text
 * @returns {{text: string, hidden: boolean}[]} the text in pieces; a hidden one reads "U+200B"
 */
export function revealed(text) {
  const pieces = [];
  let from = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), hidden: false });
    pieces.push({ text: codeOf(found[0]), hidden: true });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** @param {string} character */
function codeOf(character) {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text as it is shown where somebody looks a change over: what nobody sees is spelled out. @param {unknown} text @returns {Node} */
export function drawRevealed(text) {
  const whole = String(text ?? "");
  if (!hidesSomething(whole)) return document.createTextNode(whole);
  const pieces = revealed(whole).map((piece) => (piece.hidden ? el("span", { class: "unseen", title: t("A character that cannot be seen"), text: piece.text }) : piece.text));
  return el("span", {}, ...pieces);
}
