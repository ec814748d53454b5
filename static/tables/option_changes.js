// The requests that add, rename, merge, recolor, move and delete options of a column. No DOM.

import { t } from "../locale.js";

/** @type {Record<string, string>} */
export const COLOR_NAMES = {
  blue: t("Blue"), orange: t("Orange"), teal: t("Teal"), purple: t("Purple"), yellow: t("Yellow"), pink: t("Pink"),
  gray: t("Gray"), cyan: t("Cyan"), indigo: t("Indigo"), magenta: t("Magenta"), brown: t("Brown"), lime: t("Lime"),
};

/**
 * @typedef {object} OptionChange
 * @property {{options?: string[], optionColors?: Record<string, string>, expected: object}} body  body of the request
 * @property {Record<string, string> | "clear"} [removed]  replacement of a removed option in rows
 */

/** @param {Column} column @returns {string[]} */
const optionsOf = (column) => column.options ?? [];

/** @param {Column} column @param {string[]} options @returns {OptionChange["body"]} */
const changed = (column, options) => ({ options, expected: { options: optionsOf(column) } });

/** @param {Column} column @param {string} option @returns {OptionChange} */
export function addedOption(column, option) {
  return { body: changed(column, [...optionsOf(column), option]) };
}

/** @param {Column} column @param {string} option @param {string} name @returns {OptionChange | null} null if unchanged or deleted */
export function renamedOption(column, option, name) {
  if (!optionsOf(column).includes(option) || option === name) return null;
  return { body: changed(column, optionsOf(column).map((one) => (one === option ? name : one))), removed: { [option]: name } };
}

/** @param {Column} column @param {string} option  is removed @param {string} other  which its rows get @returns {OptionChange | null} null if one is deleted */
export function mergedOption(column, option, other) {
  if (option === other || !optionsOf(column).includes(option) || !optionsOf(column).includes(other)) return null;
  return { body: changed(column, optionsOf(column).filter((one) => one !== option)), removed: { [option]: other } };
}

/** @param {Column} column @param {string} option @param {string} color @returns {OptionChange | null} */
export function recoloredOption(column, option, color) {
  const now = column.optionColors?.[option];
  if (!optionsOf(column).includes(option) || now === color) return null;
  return { body: { optionColors: { [option]: color }, expected: now ? { optionColors: { [option]: now } } : {} } };
}

/** @param {Column} column @param {string} option @param {number} index  its new index @returns {OptionChange | null} null if unchanged */
export function movedOption(column, option, index) {
  const options = optionsOf(column).filter((one) => one !== option);
  const to = Math.max(0, Math.min(index, options.length));
  if (options.length === optionsOf(column).length || optionsOf(column)[to] === option) return null;
  options.splice(to, 0, option);
  return { body: changed(column, options) };
}

/** @param {Column} column @param {string} option @returns {OptionChange | null} null for the last one, as a select column needs one */
export function deletedOption(column, option) {
  const options = optionsOf(column).filter((one) => one !== option);
  if (!options.length || options.length === optionsOf(column).length) return null;
  return { body: changed(column, options), removed: "clear" };
}

/**
 * @param {Column} column
 * @param {string} name @param {string} [except]  an option to ignore @returns {string} the option with this name, "" for none
 */
export function sameOption(column, name, except) {
  const wanted = name.toLocaleLowerCase();
  return optionsOf(column).find((one) => one !== except && one.toLocaleLowerCase() === wanted) ?? "";
}
