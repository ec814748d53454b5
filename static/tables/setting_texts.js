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

/** @param {any} column @returns {string} its type and, unless it is the default, its format: "Number, Currency, EUR" */
export function typeText(column) {
  const { label, settings } = columnType(column);
  const text = settingsText(column, settings.filter(({ name, default: initial }) => name !== "format" || column.format !== initial));
  return text ? `${label}, ${text}` : label;
}
