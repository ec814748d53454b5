// Text, which is also how values of unknown types are shown.

import { el, load } from "../../element.js";
import { t } from "../../locale.js";

/** @param {any} value  may have been stored under another type @returns {string} */
export const plainText = (value) => (typeof value !== "boolean" ? String(value) : value ? t("Yes") : t("No"));

/** @param {any} node @param {string} text @returns {boolean} false if it is not a text node */
export function updateText(node, text) {
  if (node?.nodeName !== "#text") return false;
  if (node.data !== text) node.data = text;
  return true;
}

/** The behavior of types that define no other. @type {Omit<Required<ColumnKind>, "name" | "label" | "copied" | "pasted">} */
export const PLAIN = {
  icon: "type", cellClass: "", hasOptions: false, clicks: "", isLocalized: false, keepsSpace: false, hasDecimals: false, toggles: false, isText: true, fieldType: "text",
  display: plainText,
  draw: () => null,
  updateNode: (node, value, text) => updateText(node, text),
  editText: (value) => String(value),
  typed: (text) => text,
  valueHint: null,
  prepare: () => null,
  preview: () => null,
  link: () => null,
  defaultOf: (text) => text,
  field: (text) => ({ tag: "textarea", props: { rows: "1", value: text } }),
  choices: () => null,
  drawEmpty: () => el("span", { class: "none", text: "–" }),
  valueOfKey: () => undefined,
  valueOfClick: () => undefined,
  figure: null,
  settings: [],
  formats: {},
};

// As in tables/column_types/text_formats.py: hosts with Latin letters that look like no others, and not encoded.
const LETTERS = "a-zA-Zß-öø-ÿĀ-İĲ-ķĹ-ž";
const ATOM = "[-!#$%&'*+/=?^_\\x60{}|~0-9a-zA-Z]+";
const HOST = `(?:(?!-|[xX][nN]--)[${LETTERS}0-9-]{1,63}(?<!-)\\.)+[${LETTERS}]{2,63}`;
/** @type {Record<string, [RegExp, (text: string) => string]>} the texts that are links, and their URLs */
const LINKS = {
  url: [new RegExp(`^https?://(?:${HOST}|localhost|(?:\\d{1,3}\\.){3}\\d{1,3})(?::\\d{1,5})?(?:[/?#][^\\p{C}\\p{Z}\\\\<>"]*)?$`, "u"), (text) => text],
  email: [new RegExp(`^${ATOM}(?:\\.${ATOM})*@${HOST}$`), (text) => `mailto:${encodeURIComponent(text).replace("%40", "@")}`],
  phone: [/^(?=(?:\D*\d){3,20}\D*$)\(?\+?[\d ()/.-]+$/, phoneUrl],
};

/** @param {string} text @returns {string} in +49 (0)30, the zero is only dialled within the country */
function phoneUrl(text) {
  const isForeign = text.includes("+");
  return `tel:${isForeign ? "+" : ""}${(isForeign ? text.replaceAll("(0)", "") : text).replace(/\D/g, "")}`;
}

/** @param {any} value @param {Column} column @returns {string | null} */
function linkOf(value, { format = "" }) {
  const [texts, urlOf] = LINKS[format] ?? [];
  if (!texts) return null;
  return typeof value === "string" && texts.test(value) ? urlOf(value) : "";
}

/** Text is stored as typed; the server cleans addresses. @type {ColumnKind} */
export const text = {
  name: "text", keepsSpace: true,
  draw: (value, text, column) => {
    if (column.format === "long") return el("span", { class: "lines", text });
    const href = linkOf(value, column);
    return href ? el("a", { href, rel: "noopener noreferrer nofollow", target: "_blank", text }) : null;
  },
  updateNode: (node, value, text, column) => {
    const href = linkOf(value, column);
    const isWrapped = Boolean(href) || column.format === "long";
    if (node.nodeName !== (href ? "A" : isWrapped ? "SPAN" : "#text") || node.childNodes.length !== Number(isWrapped)) return false;
    if (href) node.href = href;
    return updateText(isWrapped ? node.firstChild : node, text);
  },
  link: linkOf,
  preview: (column) => (column.format === "long" ? load(() => import("../markdown_preview.js")) : null),
  field: (text, { format } = {}) => ({
    tag: "textarea", props: { rows: format === "long" ? "4" : "1", inputmode: { url: "url", email: "email", phone: "tel" }[format], value: text },
  }),
};
