// A column on the edit page: a line with name, type and required, and details with options, default and filter.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { drawFormatPreview, drawSettings, usedSettings } from "./column_settings.js";
import { optionChips } from "./option_chips.js";
import { formatText } from "./setting_texts.js";
import { editText } from "./values.js";

/** @typedef {{name: string, label: string, hint: string, settings: import("./column_settings.js").DeclaredSetting[]}} EditedType */

let fields = 0;

/** @param {{name: string}} column */
function named(column) {
  return column.name || t("column");
}

/**
 * @param {EditedColumn} column  changed in place
 * @param {{changed: () => void, redraw: () => void, move: (step: number) => void, drag: (event: DragEvent) => void,
 *   types: EditedType[], examples: () => {before: Column, values: any[]}, remove: () => void, state: "" | "is-new" | "is-dirty" | "is-removed", fault: string, open: boolean,
 *   unfold: (open: boolean) => void}} how
 * @returns {HTMLLIElement}
 */
export function drawColumnEditor(column, how) {
  const item = el("li", { class: `colrow ${how.state} ${how.open ? "is-open" : ""}`.trim(), dataset: { key: column.key } });
  const main = el("div", { class: "colrow__main" }, ...(column.removed ? drawRemoved(column, how) : drawMain(column, how)));
  item.append(main);
  if (how.fault) item.append(el("p", { class: "colrow__error", role: "alert" }, icon("circle-alert", "icon--14"), how.fault));
  if (how.open && !column.removed) item.append(drawMore(column, how));
  return item;
}

function drawRemoved(column, how) {
  const keepButton = el("button", { class: "btn btn--ghost btn--sm", type: "button", text: t("Keep"), "aria-label": t("Keep {column}", { column: column.name }), on: { click: how.remove } });
  return [el("span"), el("b", { text: column.name }), el("span", { class: "muted", text: t("Will be removed with its values") }), el("span", { class: "end" }, keepButton)];
}

function drawMain(column, how) {
  const name = el("input", {
    class: "input", value: column.name, maxlength: "255", "aria-label": t("Column name"), "data-part": "name", "aria-invalid": how.fault ? "true" : undefined,
    on: { input: (event) => ((column.name = event.target.value), how.changed()) },
  });
  return [
    drawHandle(column, how),
    name,
    drawType(column, how),
    el("span", { class: "sw c-req" }, drawRequired(column, how)),
    el("span", { class: "muted c-filter", text: columnType(column).hasOptions ? { tab: t("Tabs"), dropdown: t("Menu") }[column.filterDisplay] ?? "" : "" }),
    el("span", { class: "end" }, drawFold(column, how), drawRemove(column, how)),
  ];
}

function drawRequired(column, how) {
  return el("input", {
    class: "switch", type: "checkbox", checked: column.required, disabled: columnType(column).isComputed, "aria-label": t("{column} is required", { column: column.name || t("Column") }), "data-part": "required",
    on: { change: (event) => ((column.required = event.target.checked), how.changed()) },
  });
}

function drawHandle(column, how) {
  const keys = (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    how.move(step);
  };
  return el(
    "button",
    {
      class: "handle", type: "button", draggable: "true", "data-part": "handle",
      "aria-label": t("Move {column}. Use the up and down keys.", { column: named(column) }), on: { keydown: keys, dragstart: how.drag },
    },
    icon("grip-vertical", "icon--14"),
  );
}

function drawType(column, how) {
  // A type whose app was removed is only listed for columns that have it.
  const isAvailable = how.types.some(({ name }) => name === column.type);
  const options = (isAvailable ? how.types : [...how.types, { name: column.type, label: t("{type} (not available)", { type: column.type }) }]).map(({ name, label }) => {
    const option = el("option", { value: name, text: label });
    option.selected = name === column.type;
    return option;
  });
  const change = (event) => {
    column.type = event.target.value;
    column.default = null;
    if (columnType(column).isComputed) column.required = false;
    column.settings = usedSettings(settingsOf(column, how), {});
    if (columnType(column).hasOptions) how.unfold(true);
    else column.options = [];
    how.redraw();
  };
  const select = el("select", { class: "input", "aria-label": t("Type of {column}", { column: named(column) }), "data-part": "type", on: { change } }, ...options);
  const formatted = { ...column, ...column.settings };
  const format = formatText(formatted);
  return el("span", { class: "c-type" }, el("span", { class: "select has-lead" }, icon(columnType(formatted).icon, "icon--14"), select, icon("chevron-down", "icon--14")), format && el("small", { class: "muted", text: format }));
}

function drawFold(column, how) {
  const label = how.open ? t("Hide settings") : t("Show settings");
  const params = { column: named(column) };
  const fullLabel = how.open ? t("Hide settings of {column}", params) : t("Show settings of {column}", params);
  return el(
    "button",
    {
      class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": fullLabel, title: label, "data-part": "fold",
      "aria-expanded": String(how.open), on: { click: () => (how.unfold(!how.open), how.redraw()) },
    },
    icon(how.open ? "chevron-up" : "chevron-down", "icon--14"),
  );
}

function drawRemove(column, how) {
  return el(
    "button",
    { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": t("Remove {column}", { column: named(column) }), title: t("Remove"), "data-part": "remove", on: { click: how.remove } },
    icon("trash-2", "icon--14"),
  );
}

function drawMore(column, how) {
  // Narrow screens have no room for it in the line.
  const required = el("label", { class: "colrow__req" }, drawRequired(column, how), t("Required"));
  const { isComputed, hasFiles } = columnType(column);
  const side = el("div", { class: "side" }, ...(isComputed ? [] : [required, !hasFiles && drawDefault(column, how)]));
  if (!columnType(column).hasOptions) return el("div", { class: "colrow__more" }, drawFormat(column, how), side);
  side.append(drawFilter(column, how));
  const chips = optionChips(column, how);
  return el("div", { class: "colrow__more" }, chips, side);
}

/** @param {EditedColumn} column @param {any} how @returns {import("./column_settings.js").DeclaredSetting[]} */
function settingsOf({ type }, { types }) {
  return types.find((/** @type {EditedType} */ { name }) => name === type)?.settings ?? [];
}

/** The hint of the type and its settings. */
function drawFormat(column, how) {
  const hint = how.types.find(({ name }) => name === column.type)?.hint ?? "";
  const settings = drawSettings(column, settingsOf(column, how), how);
  const { before, values } = how.examples();
  return el("div", { class: "settings" }, el("p", { class: "field__hint", text: hint }), ...settings, drawFormatPreview(before, { ...column, ...column.settings }, values));
}

function drawDefault(column, how) {
  const id = `default-${fields++}`;
  const formatted = { ...column, ...column.settings };
  const kind = columnType(formatted);
  const set = (event) => {
    const text = event.target.value;
    column.default = text === "" ? null : kind.defaultOf(text);
    how.changed();
  };
  const label = el("label", { class: "field__label", for: id, text: t("Default") });
  const choices = kind.choices(column);
  if (!choices) {
    return el("div", { class: "field" }, label, el("input", { class: "input", id, type: kind.fieldType, step: "any", value: kind.fieldType === "text" ? editText(formatted, column.default) : column.default ?? "", on: { change: set } }));
  }
  const options = [["", t("None")], ...choices].map(([value, text]) => {
    const option = el("option", { value, text });
    option.selected = [String(column.default ?? ""), editText(formatted, column.default)].includes(value);
    return option;
  });
  const select = el("select", { class: "input", id, on: { change: set } }, ...options);
  return el("div", { class: "field" }, label, el("span", { class: "select" }, select, icon("chevron-down", "icon--14")));
}

function drawFilter(column, how) {
  const name = `filter-${fields++}`;
  const radios = [["tab", t("Tabs")], ["dropdown", t("Menu")]].map(([value, label]) => {
    const set = () => ((column.filterDisplay = value), how.redraw());
    return el("label", {}, el("input", { type: "radio", name, checked: column.filterDisplay === value, on: { change: set } }), label);
  });
  return el("div", { class: "field" }, el("span", { class: "field__label", text: t("Filter as") }), el("div", { class: "seg", role: "radiogroup", "aria-label": t("Filter as") }, ...radios));
}
