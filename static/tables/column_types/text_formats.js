// The formats of texts, loaded if a column has one: links to web addresses, e-mail addresses and phone numbers, and long texts.

import { el, load } from "../../element.js";

// As in tables/column_types/text_formats.py: hosts with Latin letters that look like no others, and not encoded.
const LETTERS = "a-zA-Zß-öø-ÿĀ-İĲ-ķĹ-ž";
const ATOM = "[-!#$%&'*+/=?^_\\x60{}|~0-9a-zA-Z]+";
const HOST = `(?:(?!-|[xX][nN]--)[${LETTERS}0-9-]{1,63}(?<!-)\\.)+[${LETTERS}]{2,63}`;
/** Height of the editor of a long text, which grows with it. */
const LONG_ROWS = 4;
const BYTE = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const MAX_PORT = 65535;
const MAX_HOST_LENGTH = 253;
/** @type {Record<string, [RegExp, (text: string) => string]>} the texts that are links, and their URLs */
const LINKS = {
  url: [new RegExp(`^(?=.{0,2048}$)https?://(?<host>${HOST}|localhost|${BYTE}(?:\\.${BYTE}){3})(?::(?<port>\\d{1,5}))?(?:[/?#][^\\p{C}\\p{Z}\\\\<>"]*)?$`, "u"), (text) => text],
  email: [new RegExp(`^(?=.{0,254}$)(?=[^@]{0,64}@)${ATOM}(?:\\.${ATOM})*@(?<host>${HOST})$`), (text) => `mailto:${encodeURIComponent(text).replace("%40", "@")}`],
  phone: [/^(?=.{0,40}$)(?=(?:\D*\d){3,20}\D*$)\(?\+?[\d ()/.-]+$/, phoneUrl],
};

/** @param {string} text @returns {string} in +49 (0)30, the zero is only dialled within the country */
function phoneUrl(text) {
  const isForeign = text.includes("+");
  return `tel:${isForeign ? "+" : ""}${(isForeign ? text.replaceAll("(0)", "") : text).replace(/\D/g, "")}`;
}

/** @param {any} value @param {Column} column @returns {string} the URL that the cell links to; "" for none */
export function linkOf(value, { format = "" }) {
  const [texts, urlOf] = LINKS[format] ?? [];
  const found = typeof value === "string" ? texts?.exec(value) : null;
  const { host = "", port = "1" } = found?.groups ?? {};
  return found && host.length <= MAX_HOST_LENGTH && Number(port) > 0 && Number(port) <= MAX_PORT ? urlOf(value) : "";
}

/** @param {any} value @param {string} text @param {Column} column @returns {Node} */
export function draw(value, text, column) {
  if (column.format === "long") return el("span", { class: "lines", text });
  const href = linkOf(value, column);
  return href ? el("a", { href, rel: "noopener noreferrer nofollow", target: "_blank", text }) : document.createTextNode(text);
}

/** @param {any} node @param {any} value @param {string} text @param {Column} column @returns {boolean} false: must be redrawn */
export function update(node, value, text, column) {
  const href = linkOf(value, column);
  const name = href ? "A" : column.format === "long" ? "SPAN" : "#text";
  const inside = name === "#text" ? node : node.firstChild;
  if (node.nodeName !== name || inside?.nodeName !== "#text" || inside.nextSibling) return false;
  if (inside.data !== text) inside.data = text;
  if (href) node.href = href;
  return true;
}

/** Show the preview of a long text. @param {HTMLTextAreaElement} input @returns {Promise<() => void>} removes it */
export async function showNote(input) {
  input.rows = LONG_ROWS;
  const { showPreview } = await load(() => import("../markdown_preview.js"));
  return showPreview(input);
}
