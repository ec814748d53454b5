// The preview of the Markdown in an editor of several lines, below the editor. It makes no requests, and its links are text.

import { el } from "../element.js";
import { markdownTree } from "../markdown.js";
import { positionPopover } from "../popover_position.js";

/** The preview of a longer text would take too long after each key. */
const MAX_LENGTH = 20_000;

/** @typedef {import("../markdown.js").MdNode} MdNode */

/**
 * Show the preview until the field loses the focus, while its text has markup.
 * @param {HTMLTextAreaElement} input
 * @returns {() => void} removes the preview, for a field that is removed while focused
 */
export function showPreview(input) {
  const note = el("div", { class: "md-preview prose", dir: "auto", "aria-hidden": "true", popover: "manual" });
  const draw = () => {
    const tree = input.value.length > MAX_LENGTH ? [] : markdownTree(input.value);
    note.hidden = !tree.some(hasMarkup);
    note.replaceChildren(...(note.hidden ? [] : tree.map(drawNode)));
    positionPopover(note, input);
  };
  const close = () => {
    note.remove();
    input.removeEventListener("input", draw);
  };
  if (input !== document.activeElement) return close;
  // Scrolling the preview does not end editing.
  note.addEventListener("mousedown", (event) => event.preventDefault());
  (input.closest("dialog") ?? document.body).append(note);
  note.showPopover();
  draw();
  input.addEventListener("input", draw);
  input.addEventListener("blur", close, { once: true });
  return close;
}

/** @param {MdNode} node @returns {boolean} whether it is more than paragraphs and line ends */
function hasMarkup(node) {
  return typeof node !== "string" && (!["p", "br"].includes(node.tag) || node.children.some(hasMarkup));
}

/** @param {MdNode} node @returns {Node} */
function drawNode(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const children = node.children.map(drawNode);
  if (node.tag === "a") return el("u", {}, ...children);
  if (node.tag === "table") return el("div", { class: "tablewrap" }, el("table", {}, ...children));
  return el(node.tag, { start: node.attrs?.start }, ...children);
}
