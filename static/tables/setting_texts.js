// The settings of columns as text, such as their format: "Currency, EUR".

import { columnType } from "./column_types/registry.js";

/**
 * @param {any} values  by name, such as a column @param {Required<ColumnKind>["settings"]} settings  of its type
 * @returns {string} "" for none. Numbers have their label, in place of a format with the same one: "Decimal places: 2"
 */
export function settingsText(values, settings) {
  /** @type {string[]} */
  const words = [];
  for (const { name, label, choices } of settings) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "number") words.push(Object.hasOwn(choices, value) ? choices[value] : String(value));
    else words.splice(words.at(-1) === label ? -1 : words.length, 1, `${label}: ${value}`);
  }
  return words.join(", ");
}

/** @param {any} column @returns {string} its format with the settings of that; "" for the default */
export function formatText(column) {
  return settingsText(column, columnType(column).settings.filter(({ name, default: initial }) => name !== "format" || column.format !== initial));
}

/** @param {any} column @returns {string} its type and, unless it is the default, its format: "Number, Currency, EUR" */
export function typeText(column) {
  return [columnType(column).label, formatText(column)].filter(Boolean).join(", ");
}
