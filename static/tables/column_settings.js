// The settings of a column on the edit page, such as the format of numbers, with values as they are shown before and after.

import { el, icon } from "../element.js";
import { readerLocale, t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { drawValue } from "./values.js";

/**
 * @typedef {object} DeclaredSetting
 * @property {string} name @property {string} label @property {any} default @property {string[]} formats  with which it is used; always if empty
 * @property {[string, string][]} choices  values and labels @property {string[]} suggested  other values
 * @property {string} names  kind of names that Intl.DisplayNames has of the suggested values @property {number | null} minimum
 * @property {number | null} maximum
 */
/** @typedef {Record<string, any>} Settings  values by name */

let fields = 0;

/**
 * @param {DeclaredSetting[]} declared  of a type; `format` precedes those that depend on it @param {Settings} given
 * @returns {Settings} those that the column has, with defaults
 */
export function usedSettings(declared, given) {
  /** @type {Settings} */
  const used = {};
  for (const { name, formats, default: initial } of declared) {
    if (!formats.length || formats.includes(used.format)) used[name] = given[name] ?? initial;
  }
  return used;
}

/**
 * @param {EditedColumn} column  changed in place @param {DeclaredSetting[]} declared  of its type
 * @param {{changed: () => void, redraw: () => void}} how @returns {HTMLElement[]}
 */
export function drawSettings(column, declared, how) {
  const used = declared.filter(({ name }) => name in column.settings);
  return used.map((setting) => {
    const id = `setting-${fields++}`;
    const set = (/** @type {any} */ value) => {
      column.settings = usedSettings(declared, { ...column.settings, [setting.name]: value });
      how.redraw();
    };
    return el("div", { class: "field" }, el("label", { class: "field__label", for: id, text: setting.label }), drawInput(setting, { id, value: column.settings[setting.name], set }));
  });
}

/** @param {DeclaredSetting} setting @param {{id: string, value: any, set: (value: any) => void}} how @returns {HTMLElement} */
function drawInput({ name, choices, suggested, names, minimum, maximum }, { id, value, set }) {
  const shared = { class: "input", id, "data-part": `setting-${name}`, autocomplete: "off" };
  if (choices.length) {
    const options = choices.map(([each, text]) => {
      const option = el("option", { value: each, text });
      option.selected = each === value;
      return option;
    });
    const select = el("select", { ...shared, on: { change: (/** @type {any} */ { target }) => set(target.value) } }, ...options);
    return el("span", { class: "select" }, select, icon("chevron-down", "icon--14"));
  }
  if (suggested.length) {
    const list = el("datalist", { id: `${id}-list` }, ...suggested.map((each) => el("option", { value: each, text: nameOf(each, names) })));
    const change = (/** @type {any} */ { target }) => set(target.value.trim().toUpperCase() || null);
    const input = el("input", { ...shared, type: "text", list: list.id, value: value ?? "", "aria-describedby": `${id}-name`, on: { change } });
    return el("span", { class: "setting" }, input, list, el("small", { id: `${id}-name`, class: "field__hint", text: value ? nameOf(value, names) : t("Search by code or name.") }));
  }
  const change = (/** @type {any} */ { target }) => (target.checkValidity() && target.value !== "" ? set(Number(target.value)) : target.reportValidity());
  return el("input", { ...shared, type: "number", required: true, min: minimum, max: maximum, step: "1", value, on: { change } });
}

/** @param {string} value @param {string} kind @returns {string} its name in the user's language, else the value */
function nameOf(value, kind) {
  try {
    return new Intl.DisplayNames(readerLocale, { type: /** @type {any} */ (kind) }).of(value) ?? value;
  } catch {
    return value;
  }
}

/**
 * @param {Column} before @param {Column} after  as stored and as edited @param {any[]} values  of some rows; empty while they are read
 * @returns {HTMLElement} how these values are shown before and after; hidden if there are none
 */
export function drawFormatPreview(before, after, values) {
  const { reformatted } = columnType(after);
  const lines = values.map((value) => {
    const now = el("span", {}, drawValue(after, value));
    void reformatted?.(value, after.format).then((converted) => now.replaceChildren(drawValue(after, converted)));
    return el("li", {}, el("span", {}, drawValue(before, value)), icon("arrow-right", "icon--12"), now);
  });
  return el("div", { class: "field", hidden: !values.length, "data-preview": true }, el("span", { class: "field__label", text: t("Preview") }), el("ul", { class: "losses__examples", "aria-label": t("Values before and after") }, ...lines));
}
