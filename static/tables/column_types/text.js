// Text, which is also how values of unknown types are shown.

import { el, load } from "../../element.js";
import { t } from "../../locale.js";

/** @param {any} value  may have been stored under another type; a list of files is their names @returns {string} */
export const plainText = (value) => (value[0]?.name ? value.map((file) => file.name).join(", ") : typeof value !== "boolean" ? String(value) : value ? t("Yes") : t("No"));

/** @param {any} node @param {string} text @returns {boolean} false if it is not a text node */
export function updateText(node, text) {
  if (node?.nodeName !== "#text") return false;
  if (node.data !== text) node.data = text;
  return true;
}

/** The behavior of types that define no other. @type {Omit<Required<ColumnKind>, "name" | "label" | "copied" | "pasted" | "operand">} */
export const PLAIN = {
  icon: "type", formatIcons: {}, cellClass: "", hasOptions: false, hasLists: false, hasFiles: false, hasPeople: false, clicks: "", clickOperator: "", keepsSpace: false, hasDecimals: false, isComputed: false, isUnsearched: false, sortLabels: ["↑", "↓"], toggles: false, isText: true, fieldType: "text",
  display: plainText,
  draw: () => null,
  updateNode: (node, value, text) => updateText(node, text),
  editText: plainText,
  typed: (text) => text,
  valueHint: null,
  reformatted: null,
  prepare: () => null,
  link: null,
  note: null,
  defaultOf: (text) => text,
  field: (text) => ({ tag: "textarea", props: { rows: "1", value: text } }),
  choices: () => null,
  listItems: null,
  listItem: (value) => ({ value, label: plainText(value) }),
  noItem: () => t("Nothing found"),
  drawEmpty: () => el("span", { class: "none", text: "–" }),
  valueOfKey: () => undefined,
  valueOfClick: () => undefined,
  stepped: null,
  figure: null,
  settings: [],
  formats: {},
};

/** @type {typeof import("./text_formats.js") | undefined} */
let drawing;
const importDrawing = () => load(() => import("./text_formats.js"));

/** Drawn as plain text until the module is loaded. @type {Partial<ColumnKind>} */
const drawnLater = {
  prepare: () => (drawing ? null : importDrawing().then((module) => void (drawing = module))),
  draw: (value, text, column) => {
    if (drawing) return drawing.draw(value, text, column);
    const node = document.createTextNode(text);
    importDrawing().then(({ draw }) => node.data === text && node.replaceWith(draw(value, text, column)), () => {});
    return node;
  },
  updateNode: (node, value, text, column) => Boolean(drawing?.update(node, value, text, column)),
};
/** @type {(inputmode: string) => Partial<ColumnKind>}  inputmode: selects the keyboard of phones */
const linkedWith = (inputmode) => ({
  ...drawnLater,
  link: (value, column) => drawing?.linkOf(value, column) ?? "",
  // Inputs of these types would remove spaces and line ends.
  field: (text) => ({ tag: "textarea", props: { rows: "1", inputmode, autocapitalize: "off", spellcheck: "false", value: text } }),
});

/** Text is stored as typed; the server cleans addresses. @type {ColumnKind} */
export const text = {
  name: "text", keepsSpace: true,
  formats: {
    long: { ...drawnLater, note: (input) => importDrawing().then(({ showNote }) => showNote(input)) },
    url: linkedWith("url"),
    email: linkedWith("email"),
    phone: linkedWith("tel"),
  },
};
