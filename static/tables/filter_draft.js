// The conditions of a filter during editing: lines of a form, parsed from a filter and converted back to one. No DOM.

import { t } from "../locale.js";
import { alternativesOf, parseFilter, serializeFilter, valueKindOf } from "./filter_conditions.js";
import { findColumn } from "./view_state.js";
import { displayText, editText, typedValue } from "./values.js";

/**
 * A condition. `values`: texts of its fields, or the checked options.
 * @typedef {{column: string, op: string, values: string[]}} Line
 */

const MAX_DAYS = 36_525;
/** Maximum number of conditions; the server has the same limit. */
export const MAX_CONDITIONS = 50;

/** @param {Column} column @param {Operators} operators @returns {Line} */
export function blankLine(column, operators) {
  return { column: column.id, op: operators[column.type]?.[0]?.[0] ?? "empty", values: [] };
}

/** @param {string} filter @param {Column[]} columns @param {Operators} operators @returns {Line[][]} clauses, each with its alternatives */
export function readDraft(filter, columns, operators) {
  const clauses = parseFilter(filter).map((clause) => alternativesOf(clause).flatMap((condition) => readLine(condition, columns, operators)));
  return clauses.filter((lines) => lines.length);
}

/**
 * @param {any} condition
 * @param {Column[]} columns @param {Operators} operators @returns {Line[]} empty if the column or operator does not exist
 */
function readLine(condition, columns, operators) {
  const column = findColumn(columns, condition?.column);
  if (!column || !operators[column.type]?.some(([op]) => op === condition.op)) return [];
  const { op, value } = condition;
  const valueKind = valueKindOf(operators, column, op);
  const list = Array.isArray(value) ? value : [value];
  const texts = { nothing: [], truth: [value ? "yes" : "no"], options: list.map((one) => displayText(column, one)), days: [String(value)], part: [String(value)] };
  return [{ column: column.id, op, values: texts[valueKind] ?? list.map((one) => editText(column, one)) }];
}

/**
 * @param {Line} line
 * @param {Column} column @param {Operators} operators @returns {Line} for another column, with the same operator if possible
 */
export function withColumn(line, column, operators) {
  const op = operators[column.type]?.some(([one]) => one === line.op) ? line.op : blankLine(column, operators).op;
  return { column: column.id, op, values: [] };
}

/** @param {Line} line @param {string} op @param {Column} column @param {Operators} operators @returns {Line} */
export function withOperator(line, op, column, operators) {
  const kind = (one) => ({ pair: "value", value: "value", part: "value" })[valueKindOf(operators, column, one)] ?? valueKindOf(operators, column, one);
  return { ...line, op, values: kind(op) === kind(line.op) ? line.values : [] };
}

/**
 * @param {Line[][]} draft @param {Column[]} columns @param {Operators} operators
 * @returns {{filter: string, faults: {clause: number, alternative: number, text: string}[]}} filter: "" if there are errors
 */
export function writeDraft(draft, columns, operators) {
  const faults = [];
  const clauses = draft.map((lines, clause) => {
    const conditions = lines.map((line, alternative) => {
      const column = findColumn(columns, line.column);
      const written = column ? writeLine(line, column, operators) : { fault: t("This column was deleted. Choose another one.") };
      if (written.fault) faults.push({ clause, alternative, text: written.fault });
      return written.condition;
    });
    return conditions.length > 1 ? { or: conditions } : conditions[0];
  });
  return { filter: faults.length ? "" : serializeFilter(clauses), faults };
}

/** @param {Line} line @param {Column} column @param {Operators} operators @returns {{condition?: any, fault?: string}} */
function writeLine({ op, values }, column, operators) {
  const valueKind = valueKindOf(operators, column, op);
  const condition = { column: column.id, op };
  if (valueKind === "nothing") return { condition };
  if (valueKind === "truth") return { condition: { ...condition, value: values[0] !== "no" } };
  if (valueKind === "options") return values.length ? { condition: { ...condition, value: values } } : { fault: t("Choose at least one.") };
  if (valueKind === "days") {
    const days = /^\d{1,5}$/.test(values[0] ?? "") ? Number(values[0]) : 0;
    return days >= 1 && days <= MAX_DAYS ? { condition: { ...condition, value: days } } : { fault: t("Enter a number of days between 1 and {most}.", { most: String(MAX_DAYS) }) };
  }
  const typed = (text = "") => (valueKind === "part" ? text : typedValue(column, text, "operand"));
  const found = valueKind === "pair" ? [typed(values[0]), typed(values[1])] : [typed(values[0])];
  if (found.some((value) => value === null || value === "")) return { fault: valueKind === "pair" ? t("Enter both values.") : t("Enter a value.") };
  return { condition: { ...condition, value: valueKind === "pair" ? found : found[0] } };
}

/** @param {string} path  of a server error, "filter.and[1].or[0].value" @returns {{clause: number, alternative: number} | null} */
export function parseErrorPath(path) {
  const found = /^filter(?:\.and)?\[(\d+)\](?:\.or\[(\d+)\])?/.exec(path ?? "");
  return found ? { clause: Number(found[1]), alternative: Number(found[2] ?? 0) } : null;
}
