// A line with a checkbox for each operation of a schema proposal.

import { drawRevealed, el, icon, revealedText } from "../../element.js";
import { withNode, NODE_SLOT, t, tn } from "../../locale.js";
import { displayText, isEmpty } from "../../tables/values.js";
import { listText } from "../../tables/column_types/multi_select.js";
import { columnType, colorOf } from "../../tables/column_types/registry.js";
import { settingsText, typeText } from "../../tables/setting_texts.js";

const TONES = { add: ["add", "plus"], modify: ["update", "pencil"], remove: ["delete", "minus"], reorder: ["update", "move-horizontal"] };
/** @type {Record<string, (column: string) => string>} */
const LINES = {
  add: (column) => t("Add {column}", { column }),
  modify: (column) => t("Change {column}", { column }),
  remove: (column) => t("Remove {column}", { column }),
  reorder: (column) => t("Move {column}", { column }),
};
const FIELDS = {
  name: t("Name"), type: t("Type"), required: t("Required"), default: t("Default"), options: t("Options"), filterDisplay: t("Filter as"),
};

/** @param {Operation} operation @returns {string} the name of its column */
export function columnName(operation) {
  return operation.old?.name ?? operation.column?.name ?? operation.new?.name ?? t("column");
}

/**
 * Create the line of a proposal that is still being streamed, without a checkbox.
 * @param {Operation} operation  as far as it can be parsed
 * @param {any[]} columns  in their new order
 * @returns {HTMLElement}
 */
export function drawIncomingLine(operation, columns) {
  const [tone, symbol] = TONES[operation.action];
  return el(
    "div",
    { class: "op", dataset: { op: tone } },
    el("span"),
    el("span", { class: "op__icon" }, icon(symbol, "icon--12")),
    el("b", {}, ...withNode(LINES[operation.action](NODE_SLOT), drawRevealed(columnName(operation)))),
    el("span", { class: "op__text" }, ...describe(operation, columns)),
  );
}

/**
 * @param {Operation} operation
 * @param {{checked: boolean, canCheck: boolean, columns: any[], toggle: (on: boolean) => void,
 *   confirmed: boolean, setConfirmed: (on: boolean) => void}} how
 * @returns {HTMLElement}
 */
export function drawColumnLine(operation, { checked, canCheck, columns, toggle, confirmed, setConfirmed }) {
  const [tone, symbol] = TONES[operation.action];
  const name = columnName(operation);
  const check = el("input", {
    class: "check", type: "checkbox", checked, disabled: !canCheck, "aria-label": LINES[operation.action](name),
    on: { change: (event) => toggle(event.target.checked) },
  });
  const sign = operation.state === "error" ? "circle-x" : symbol;
  const line = el(
    "label",
    { class: "op", dataset: { op: tone, state: operation.state } },
    check,
    el("span", { class: "op__icon" }, icon(sign, "icon--12")),
    el("b", {}, ...withNode(LINES[operation.action](NODE_SLOT), drawRevealed(name))),
    el("span", { class: "op__text" }, ...describe(operation, columns)),
    drawWarning(operation),
  );
  const question = confirmationText(operation);
  if (!question || !checked) return line;
  const confirm = el("input", { class: "check", type: "checkbox", checked: confirmed, on: { change: (event) => setConfirmed(event.target.checked) } });
  return el("div", { class: "op__pair" }, line, el("label", { class: "op__confirm" }, confirm, question));
}

/** @type {Record<string, (count: number) => string>}  by the code of the note */
const QUESTIONS = {
  unconvertible: (count) => tn("{count} value cannot be converted. Clear these cells", "{count} values cannot be converted. Clear these cells", count),
  option_in_use: (count) => tn("{count} row uses a removed option. Clear these cells", "{count} rows use a removed option. Clear these cells", count),
  empty_cells: (count) => tn("{count} row has no value. Leave it empty", "{count} rows have no value. Leave them empty", count),
};

/** @param {Operation} operation @returns {string} a question that the user must confirm, or "" */
export function confirmationText(operation) {
  const questions = operation.notes.map(({ code, value: count = 0 }) => QUESTIONS[code]?.(count)).filter(Boolean);
  return questions.join(" · ") || (operation.wanted ?? "");
}

/** @param {Operation} operation @param {any[]} columns @returns {(Node | string)[]} */
function describe(operation, columns) {
  if (operation.action === "add") return describeColumn(operation.column ?? operation.new);
  if (operation.action === "remove") return [columnType(operation.old?.type ?? operation.column?.type).label];
  if (operation.action === "reorder") return [drawRevealed(positionText(operation, columns))];
  const shown = [...describeChanges(operation), ...describeExamples(operation)];
  for (const each of shown.slice(0, -1)) each.append(el("span", { class: "op__label", text: "·" }));
  return shown;
}

/** @param {Operation} operation @returns {HTMLElement[]} its fields before and after; the settings of a changed format are shown with it */
function describeChanges(operation) {
  const { column, old = {}, new: changes = {} } = operation;
  const [type, whole] = [column?.type ?? old.type, columnBefore(operation)];
  const sides = [old, changes].map((values) => ({ values, settings: columnType(values.type ?? type).settings }));
  const settingLabels = Object.fromEntries(sides.flatMap(({ settings }) => settings.map(({ name, label }) => [name, label])));
  const all = { ...old, ...changes };
  const fields = Object.keys(all).filter((field) => (settingLabels[field] ? field === "format" || !("format" in all) : FIELDS[field]));
  return fields.map((field) => {
    const label = field === "name" ? [] : [el("span", { class: "op__label", text: FIELDS[field] ?? settingLabels[field] })];
    const texts = sides.map(({ values, settings }) => (field === "format" && settingsText(values, settings)) || fieldText(field, values, { settings, column: values === old ? whole : column }));
    const [before, after] = texts.map((text) => drawRevealed(text));
    return el("span", { class: "op__change" }, ...label, el("s", {}, before), icon("arrow-right", "icon--12"), el("span", {}, after));
  });
}

/** @param {Operation} operation @returns {HTMLElement[]} values as they are shown before and after a change of the format */
function describeExamples(operation) {
  const { column, examples = [] } = operation;
  const before = columnBefore(operation);
  return examples.map(({ value, converted = value }) => {
    const [was, now] = [[before, value], [column, converted]].map(([one, shown]) => drawRevealed(oneLine(displayText(one, shown))));
    return el("span", { class: "op__example" }, el("span", { class: "op__label" }, was), icon("arrow-right", "icon--12"), el("span", {}, now));
  });
}

/** @param {Operation} operation @returns {Column} with the fields that the operation changes as they were */
function columnBefore({ column, old, new: changes }) {
  const unchanged = Object.entries(column ?? {}).filter(([field]) => !(field in (changes ?? {})));
  return /** @type {Column} */ ({ ...Object.fromEntries(unchanged), ...old });
}

/** @param {string} text @returns {string} without line breaks, for texts of several lines */
const oneLine = (text) => text.replace(/\s*\n\s*/g, " ");

/** @param {any} column  of an operation that adds it @returns {string} its type, format and default */
export function columnText(column) {
  const initial = isEmpty(column.default) ? "" : t("Default: {value}", { value: defaultText(column) });
  return [typeText(column), column.required && t("required"), initial].filter(Boolean).join(", ");
}

/** @param {any} column @returns {string} its default as cells show it, or as it was sent if it is not valid */
function defaultText(column) {
  try {
    return oneLine(displayText(column, column.default));
  } catch {
    return String(column.default);
  }
}

/** @param {any} column */
function describeColumn(column) {
  if (!column) return [];
  const words = columnText(column);
  const options = (column.options ?? []).slice(0, 8);
  const badges = options.map((option) => el("span", { class: "badge", "data-c": colorOf(column, option) }, drawRevealed(option)));
  const more = (column.options ?? []).length - options.length;
  return [drawRevealed(words), ...badges, ...(more > 0 ? [`+${more}`] : [])];
}

/** @param {Operation} operation @param {any[]} columns */
function positionText(operation, columns) {
  const index = columns.findIndex((column) => column.id === operation.column_id);
  if (index < 0) return "";
  return index === 0 ? t("To the front") : t("After {column}", { column: columns[index - 1].name });
}

/**
 * @param {string} field @param {any} values  of the changed fields
 * @param {{settings: Required<ColumnKind>["settings"], column: any}} of  settings of the type, and the column with these values
 */
function fieldText(field, values, { settings, column }) {
  const value = values[field];
  if (field === "default" && column && !isEmpty(value)) return defaultText({ ...column, default: value });
  if (field === "type") return columnType(value).label;
  const choices = settings.find(({ name }) => name === field)?.choices ?? {};
  if (Object.hasOwn(choices, value)) return choices[value];
  if (Array.isArray(value)) return listText(value) || t("none");
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  return value === null || value === undefined || value === "" ? t("none") : String(value);
}

/** Notes on values that are not cleared, but may not be what the user expects. */
const WARNED = new Set(["values_do_not_fit", "values_shortened"]);

/** @param {Operation} operation */
function drawWarning(operation) {
  const { losses } = operation;
  if (operation.state === "error" || operation.state === "conflict") {
    return el("span", { class: "op__warning" }, icon("triangle-alert", "icon--12"), drawRevealed(operation.notes.map((note) => note.detail).join(" ")));
  }
  const changed = operation.notes?.find(({ code }) => WARNED.has(code));
  if (changed) return el("span", { class: "op__warning", title: examplesText(operation) || undefined }, icon("triangle-alert", "icon--12"), drawRevealed(changed.detail));
  if (losses?.cleared) return el("span", { class: "op__warning", title: examplesText(operation) }, icon("triangle-alert", "icon--12"), tn("{count} value will be lost", "{count} values will be lost", losses.cleared));
  const words = losses?.converted ? tn("{count} value converted", "{count} values converted", losses.converted) : operation.reason ?? "";
  return el("span", { class: "op__warning is-note", title: losses?.converted ? examplesText(operation) : revealedText(words) }, drawRevealed(words));
}

/** @param {Operation} operation @returns {string} some of the values, old and new, each as it is shown in the column before and after */
export function examplesText(operation) {
  const show = (/** @type {Column} */ column, /** @type {any} */ value) => displayText(column, value) || t("empty");
  const [before, after] = [columnBefore(operation), operation.column ?? {}];
  return revealedText((operation.losses?.examples ?? []).map(({ from, to }) => `${show(before, from)} → ${show(after, to)}`).join("\n"));
}
