// A field of a row's details: the editor of its type in the grid, or a list of choices.

import { el, icon, logicalKey } from "../element.js";
import { columnType } from "./column_types/registry.js";
import { optionList } from "./grid_editor.js";
import { showValueHint } from "./value_hint.js";
import { t } from "../locale.js";
import { displayText, drawValue, editText, isEmpty, sameValue } from "./values.js";

/**
 * @typedef {object} Field
 * @property {Column} column @property {HTMLElement} node @property {(value: any) => void} draw @property {() => void} commit
 * @property {() => boolean} dirty  whether it has unsaved text
 */

/**
 * @param {Column} column @param {any} value @param {(text: string, created?: boolean) => void} write  called with the text of a
 *   changed field; created: it is a new option
 * @param {() => void} edit  opens the option editor
 * @returns {Field}
 */
export function drawField(column, value, write, edit) {
  const kind = columnType(column);
  if (kind.stepped) return drawSteppedField(column, value, write);
  if (kind.hasLists) return drawListField(column, value, write, edit);
  return kind.hasOptions ? drawOptionField(column, value, write, edit) : drawOtherField(column, value, write);
}

/**
 * Create the field of a multiple select column, with the checklist of the grid. It shows the options as text until it has the focus.
 * @param {Column} column @param {any} value @param {(text: string, created?: boolean) => void} write @param {() => void} edit @returns {Field}
 */
function drawListField(column, value, write, edit) {
  let start = editText(column, value);
  /** @type {import("./grid_editor.js").OptionList | null} */
  let list = null;
  const input = el("input", { class: "input", type: "text", dir: "auto", role: "combobox", autocomplete: "off", "aria-expanded": "false", "aria-haspopup": "listbox", value: start });
  input.setAttribute("aria-required", String(Boolean(column.required)));
  const close = (/** @type {string} */ text, created = false) => {
    list?.close();
    list = null;
    input.value = text;
    input.placeholder = "";
    if (text === start) return;
    start = text;
    write(text, created);
  };
  const open = () => {
    if (list) return;
    input.value = "";
    list = optionList({ input, anchor: input, column, current: start, canCreate: true, edit: () => (commit(), edit()) });
  };
  const commit = () => {
    const held = list?.held?.();
    close(held?.text ?? start, held?.created);
  };
  input.addEventListener("click", open);
  input.addEventListener("input", open);
  input.addEventListener("blur", commit);
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && list) {
      // The first Escape resets the field, the next one closes the details.
      event.preventDefault();
      close(start);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (list) list.choose();
      else open();
    } else if (event.key === "Tab" && list) {
      const typed = list.typed();
      close(typed?.text ?? start, typed?.created);
    } else if (event.key === "ArrowDown" && !list) {
      event.preventDefault();
      open();
    }
  });
  return {
    column,
    node: el("label", { class: "field" }, fieldName(column), el("span", { class: "select" }, input, icon("chevron-down", "icon--14"))),
    dirty: () => (list?.held?.()?.text ?? start) !== start,
    draw: (now) => {
      start = editText(column, now);
      if (!list) input.value = start;
    },
    commit,
  };
}

/**
 * Create the field of a rating: the stars of the grid, which keys and clicks set.
 * @param {Column} column @param {any} value @param {(text: string) => void} write @returns {Field}
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
    write(editText(column, now));
  };
  input.addEventListener("click", (event) => set(kind.valueOfClick(event, column)));
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = logicalKey(event.key);
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[key];
    const now = step ? kind.stepped(value, step, column) : key === "Delete" || key === "Backspace" ? null : kind.valueOfKey(key, column);
    if (now === undefined) return;
    event.preventDefault();
    set(now);
  });
  draw(value);
  return { column, node: el("div", { class: "field" }, fieldName(column), input), draw, commit: () => {}, dirty: () => false };
}

/**
 * Create the field of a select column, with the option list of the grid.
 * @param {Column} column @param {any} value @param {(text: string, created?: boolean) => void} write @param {() => void} edit @returns {Field}
 */
function drawOptionField(column, value, write, edit) {
  let start = editText(column, value);
  /** @type {import("./grid_editor.js").OptionList | null} */
  let list = null;
  const input = el("input", { class: "input", type: "text", dir: "auto", role: "combobox", autocomplete: "off", "aria-expanded": "false", "aria-haspopup": "listbox", value: start });
  input.setAttribute("aria-required", String(Boolean(column.required)));
  // Whether the user left the field with Tab before the list was loaded.
  let waiting = false;
  const close = () => {
    list?.close();
    list = null;
    waiting = false;
  };
  const setOption = (text, created) => {
    close();
    input.value = text;
    if (text === start) return;
    start = text;
    write(text, created);
  };
  const open = () => {
    if (list) return;
    list = optionList({
      input, anchor: input, column, current: start, canCreate: true, chosen: setOption, edit: () => (close(), edit()),
      searchText: () => (input.value === start ? "" : input.value),
    });
  };
  // An unfinished search is discarded; an empty field clears the value.
  const commit = () => {
    const typed = input.value.trim().toLocaleLowerCase();
    setOption(typed ? (column.options ?? []).find((option) => option.toLocaleLowerCase() === typed) ?? start : "", false);
  };
  input.addEventListener("click", open);
  input.addEventListener("input", open);
  input.addEventListener("focus", () => input.select());
  input.addEventListener("blur", () => waiting || commit());
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && (list || input.value !== start)) {
      // The first Escape resets the field, the next one closes the details.
      event.preventDefault();
      close();
      input.value = start;
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (list) list.choose();
      else open();
    } else if (event.key === "Tab" && list) {
      const { typed, whenLoaded } = list;
      waiting = true;
      whenLoaded(() => {
        waiting = false;
        const found = typed();
        if (found) setOption(found.text, found.created);
        else if (document.activeElement !== input) commit();
      });
    } else if (event.key === "ArrowDown" && !list) {
      event.preventDefault();
      open();
    }
  });
  return {
    column,
    node: el("label", { class: "field" }, fieldName(column), el("span", { class: "select" }, input, icon("chevron-down", "icon--14"))),
    dirty: () => list !== null || input.value !== start,
    draw: (now) => {
      start = editText(column, now);
      input.value = start;
    },
    commit,
  };
}

/** @param {Column} column */
function fieldName(column) {
  return el("span", { class: "field__name", text: column.name }, column.required && el("span", { class: "field__wanted", "aria-hidden": "true", text: " *" }));
}

/**
 * @param {Column} column @param {any} value @param {(text: string) => void} write
 * @returns {Field}
 */
function drawOtherField(column, value, write) {
  const kind = columnType(column);
  const choices = kind.choices(column);
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
      write(start);
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
