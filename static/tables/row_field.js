// A field of a row's details: the editor of its type in the grid, or a list of choices.

import { el, icon, lazy, load, logicalKey } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { columnCombobox } from "./combobox.js";
import { showValueHint } from "./value_hint.js";
import { t } from "../locale.js";
import { displayText, drawValue, editText, isEmpty, sameValue } from "./values.js";

/**
 * @typedef {object} Field
 * @property {Column} column @property {HTMLElement} node @property {(value: any) => void} draw @property {() => void} commit
 * @property {() => boolean} dirty  whether it has unsaved text
 */

/**
 * @param {Column} column @param {any} value @param {(edit: import("./grid_editor.js").CellEdit) => void} write  called after a change
 * @param {() => void} edit  opens the option editor
 * @returns {Field}
 */
export function drawField(column, value, write, edit) {
  const kind = columnType(column);
  if (kind.isComputed) return drawOtherField(column, value, write);
  if (kind.stepped) return drawSteppedField(column, value, write);
  return kind.listItems ? drawListField(column, value, write, edit) : drawOtherField(column, value, write);
}

/**
 * Create the field of a column whose values are chosen from a list, as in the grid.
 * @param {Column} column @param {any} value @param {(edit: import("./grid_editor.js").CellEdit) => void} write @param {() => void} edit
 * @returns {Field}
 */
function drawListField(column, value, write, edit) {
  const name = fieldName(column);
  const { tag, props } = columnType(column).field("", column);
  const input = el(tag, { ...props, "aria-label": column.name, "aria-required": String(Boolean(column.required)) });
  const box = el("div", { class: "chipfield input" }, input);
  const save = () => {
    combobox.close();
    const edited = combobox.isChanged ? { value: combobox.value, created: combobox.isCreated } : null;
    combobox.show(combobox.value);
    if (edited) write(edited);
  };
  const onChange = () => combobox.isOpen || save();
  const combobox = columnCombobox(column, { box, input, value, canCreate: true, edit: () => (save(), edit()), onChosen: save, onChange });
  const isDirty = () => combobox.isOpen || combobox.isChanged || input.value !== "";
  const commit = () => {
    if (!isDirty()) return;
    combobox.settle({ exact: true });
    save();
  };
  box.addEventListener("click", (event) => box.contains(document.activeElement) && event.target === input && combobox.open());
  input.addEventListener("input", () => combobox.open());
  box.addEventListener("focusout", (event) => box.contains(/** @type {Node | null} */ (event.relatedTarget)) || commit());
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && isDirty()) {
      // The first Escape resets the field, the next one closes the details.
      event.preventDefault();
      combobox.close();
      combobox.show(combobox.start);
    } else if (event.key === "Tab" && combobox.isOpen) {
      combobox.settle();
      save();
    } else if (event.target === input && (event.key === "Enter" || (event.key === "ArrowDown" && !combobox.isOpen))) {
      event.preventDefault();
      if (combobox.isOpen) combobox.pick();
      else combobox.open();
    }
  });
  return { column, node: el("div", { class: "field" }, name, box), dirty: isDirty, draw: (now) => combobox.show(now), commit };
}

/**
 * Create the field of a rating: the stars of the grid, which keys and clicks set.
 * @param {Column} column @param {any} value @param {(edit: import("./grid_editor.js").CellEdit) => void} write @returns {Field}
 */
function drawSteppedField(column, value, write) {
  const kind = columnType(column);
  const input = el("div", { class: "input input--stars", role: "slider", tabindex: "0", "aria-label": column.name, "aria-valuemin": "0", "aria-valuemax": String(column.maximum ?? "") });
  const draw = (/** @type {any} */ now) => {
    value = now;
    const shown = drawValue(column, now);
    // Other values are shown with empty stars, which can be clicked.
    input.replaceChildren(shown, ...(shown.nodeName === "#text" ? [kind.drawEmpty(column)] : []));
    input.setAttribute("aria-valuenow", String(now ?? 0));
    input.setAttribute("aria-valuetext", isEmpty(now) ? t("empty") : /** @type {Element} */ (shown).ariaLabel || displayText(column, now));
  };
  const set = (/** @type {any} */ now) => {
    if (now === undefined || sameValue(now, value)) return;
    draw(now);
    write({ value: now, created: false });
  };
  input.addEventListener("click", (event) => set(kind.valueOfClick(event, column)));
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = logicalKey(event.key);
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[key];
    const now = step ? kind.stepped(value, step, column) : key === "Delete" || key === "Backspace" ? null : kind.valueOfKey(key, column, value);
    if (now === undefined) return;
    event.preventDefault();
    set(now);
  });
  draw(value);
  return { column, node: el("div", { class: "field" }, fieldName(column), input), draw, commit: () => {}, dirty: () => false };
}

/**
 * Create a field whose module is loaded first.
 * @param {Column} column @param {any} value @param {{grid: TableGrid, rowId: string, isFocused: boolean}} where @returns {Field}
 */
export function drawLaterField(column, value, { isFocused, ...where }) {
  const name = fieldName(column);
  /** @type {(Field & {focus: () => void}) | undefined} */
  let loaded;
  const waiting = el("div", { class: "field" }, name, el("p", { class: "field__hint", text: displayText(column, value) || "–" }));
  const node = el("div", {}, waiting);
  void lazy(t("The field could not be loaded."), () => load(() => import("./attachment_field.js"))).then(({ drawLoadedField }) => {
    loaded = drawLoadedField(column, value, { ...where, name });
    node.replaceChildren(loaded.node);
    if (isFocused && node.isConnected) loaded.focus();
  });
  const draw = (/** @type {any} */ now) => {
    value = now;
    loaded?.draw(now);
  };
  return { column, node, draw, commit: () => loaded?.commit(), dirty: () => Boolean(loaded?.dirty()) };
}

/** @param {Column} column */
function fieldName(column) {
  return el("span", { class: "field__name", text: column.name }, column.required && el("span", { class: "field__wanted", "aria-hidden": "true", text: " *" }));
}

/**
 * @param {Column} column @param {any} value @param {(edit: import("./grid_editor.js").CellEdit) => void} write
 * @returns {Field}
 */
function drawOtherField(column, value, write) {
  const kind = columnType(column);
  const choices = kind.isComputed ? null : kind.choices(column);
  let start = editText(column, value);
  const input = choices ? chooser(choices, start) : editor(column, start);
  input.setAttribute("aria-required", String(Boolean(column.required)));
  const { isComputed } = kind;
  // As in the grid, a date is displayed in the user's format and edited as text.
  const isFormatted = isComputed || kind.valueHint !== null;
  let shown = start;
  const show = (/** @type {any} */ now) => {
    shown = isComputed || (isFormatted && input !== document.activeElement) ? displayText(column, now) : start;
    input.value = shown;
  };
  const label = el("label", { class: "field" }, fieldName(column), choices ? el("span", { class: "select" }, input, icon("chevron-down", "icon--14")) : input);
  const { node, showLink } = withLink(label, column);
  showLink(value);
  const field = {
    column,
    node,
    dirty: () => input.value !== shown,
    draw: (now) => {
      const text = editText(column, now);
      value = now;
      showLink(now);
      // Do not close an open list.
      if (text === start && !isFormatted) return;
      start = text;
      if (choices) fillChoices(input, choices, start);
      show(now);
    },
    commit: () => {
      if (!field.dirty()) return;
      start = shown = input.value;
      write({ text: start });
    },
  };
  if (isFormatted) {
    show(value);
    input.addEventListener("focus", () => {
      if (field.dirty()) return;
      show(value);
      // Setting the value clears the selection by Tab.
      /** @type {HTMLInputElement} */ (input).select();
    });
    // Typed text is shown until its value is known.
    input.addEventListener("blur", () => field.dirty() || start !== editText(column, value) || show(value));
  }
  input.addEventListener("focus", () => void kind.note?.(input).catch(() => {}));
  const closeNote = choices ? () => {} : showValueHint(/** @type {HTMLInputElement} */ (input), column, { start });
  input.addEventListener("change", () => field.commit());
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && field.dirty()) {
      // The first Escape resets the field, the next one closes the details.
      event.preventDefault();
      input.value = shown;
      closeNote();
    } else if (event.key === "Enter" && (input.tagName !== "TEXTAREA" || event.ctrlKey || event.metaKey)) {
      field.commit();
    }
  });
  return field;
}

/** @param {HTMLElement} label @param {Column} column @returns {{node: HTMLElement, showLink: (value: any) => void}} */
function withLink(label, column) {
  const { link: linkOf, prepare } = columnType(column);
  if (!linkOf) return { node: label, showLink: () => {} };
  const loading = Promise.resolve(prepare());
  const link = el("a", { class: "field__link", rel: "noopener noreferrer nofollow", target: "_blank", hidden: true }, icon("link", "icon--14"), t("Open the link"));
  let shown;
  const showLink = (value) => {
    shown = value;
    void loading.then(() => {
      const href = linkOf(shown, column);
      link.hidden = !href;
      if (href) link.href = href;
    }, () => {});
  };
  return { node: el("div", {}, label, link), showLink };
}

/** @param {Column} column @param {string} text */
function editor(column, text) {
  const kind = columnType(column);
  const { tag, props } = kind.isComputed ? { tag: "input", props: { type: "text", readonly: true } } : kind.field(text, column);
  return el(tag, { autocomplete: "off", ...props, class: "input" });
}

/** @param {string[][]} choices @param {string} chosen */
function chooser(choices, chosen) {
  const list = el("select", { class: "input" });
  fillChoices(list, choices, chosen);
  return list;
}

/** @param {HTMLSelectElement} list @param {string[][]} choices @param {string} chosen  also listed if it is not a choice any more */
function fillChoices(list, choices, chosen) {
  const all = [["", "–"], ...choices];
  if (!all.some(([value]) => value === chosen)) all.push([chosen, chosen]);
  list.replaceChildren(...all.map(([value, text]) => el("option", { value, text })));
  list.value = chosen;
}
