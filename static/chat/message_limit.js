// The message that a text is too long, with the page's link for importing text whose lines have several values.

import { el } from "../element.js";
import { readerLocale, t } from "../locale.js";

const MAX_LINES_READ = 20;

/** @param {string} text @returns {boolean} whether its lines have the same number of tabs, commas or semicolons */
export function isTabular(text) {
  const lines = text.split(/\r?\n/).filter((line) => line.trim()).slice(0, MAX_LINES_READ);
  if (lines.length < 3) return false;
  return ["\t", ",", ";"].some((separator) => {
    const counts = lines.map((line) => line.split(separator).length);
    return counts[0] > 1 && counts.filter((count) => count === counts[0]).length >= lines.length * 0.8;
  });
}

/** Show or remove the warning. @param {HTMLElement} form  of a message @param {number} max  number of characters */
export function showLengthWarning(form, max) {
  const field = form.querySelector("textarea");
  const text = field.value.trim();
  let note = form.querySelector("[data-too-long]");
  const { length } = [...text];
  if (length <= max) return void note?.remove();
  if (!note) {
    note = el("p", { class: "composer__too-long", role: "status", "data-too-long": true });
    field.after(note);
  }
  const number = (/** @type {number} */ value) => new Intl.NumberFormat(readerLocale).format(value);
  const words = t("Your message has {count} characters. At most {most} can be sent.", { count: number(length), most: number(max) });
  const { import: address, importLabel } = /** @type {HTMLElement | null} */ (form.closest("chat-tray"))?.dataset ?? {};
  const offer = address && isTabular(text) ? [" ", el("a", { href: address, text: importLabel })] : [];
  note.replaceChildren(words, ...offer);
}
