// The field for the instruction of a fill: a text with columns in braces, which can be chosen from a list.

import { el, icon } from "../../element.js";
import { t } from "../../locale.js";

const MAX_LENGTH = 8000;
const MAX_SHOWN = 8;

/**
 * @param {string} text @param {number} caret
 * @returns {{from: number, typed: string} | null} the open brace before the caret, with what is typed after it
 */
export function openReference(text, caret) {
  const before = text.slice(0, caret);
  const from = before.lastIndexOf("{");
  if (from < 0 || before[from - 1] === "{" || /[}\n]/.test(before.slice(from))) return null;
  return { from, typed: before.slice(from + 1) };
}

/** @param {string} text @param {{from: number, to: number}} place @param {string} name @returns {{text: string, caret: number}} with the column in place of it */
export function withReference(text, { from, to }, name) {
  const rest = text.slice(to);
  const reference = `{${name}}`;
  return { text: text.slice(0, from) + reference + rest.slice(rest.startsWith("}") ? 1 : 0), caret: from + reference.length };
}

/** @param {string} text @param {string[]} names  of columns @returns {boolean} whether it is no text that is still being typed: all references are closed, and to columns */
export function isComplete(text, names) {
  const known = new Set(names.map((name) => name.trim().toLocaleLowerCase()));
  const pieces = text.replaceAll(/\{\{|\}\}/g, "").split(/\{([^{}]*)\}/);
  return text.trim() !== "" && pieces.every((piece, index) => (index % 2 ? known.has(piece.trim().toLocaleLowerCase()) : !/[{}]/.test(piece)));
}

/** @param {string[]} names @param {string} typed @returns {string[]} those with this text, the ones that begin with it first */
export function matchingNames(names, typed) {
  const text = typed.toLocaleLowerCase();
  const at = (/** @type {string} */ name) => name.toLocaleLowerCase().indexOf(text);
  const found = names.filter((name) => at(name) >= 0);
  return [...found.filter((name) => at(name) === 0), ...found.filter((name) => at(name) > 0)];
}

export class InstructionField {
  /** @param {{columns: Column[], value: string, changed: () => void}} how */
  constructor({ columns, value, changed }) {
    // Braces in a name would end the reference.
    this.names = columns.map(({ name }) => name).filter((name) => !/[{}]/.test(name));
    this.changed = changed;
    this.chosen = 0;
    this.input = el("textarea", {
      class: "input", id: "fill-instruction", rows: "3", maxlength: MAX_LENGTH, required: true, dir: "auto", value, "aria-describedby": "fill-instruction-hint fill-instruction-fault",
      placeholder: t("Take the domain out of {example}.", { example: "{E-mail}" }), "aria-autocomplete": "list", "aria-controls": "fill-columns",
      on: { input: () => this.typed(), keydown: (event) => this.keyPressed(event), blur: () => this.show([]), click: () => this.suggest() },
    });
    this.list = el("ul", { class: "menu fill__list", id: "fill-columns", role: "listbox", "aria-label": t("Columns"), hidden: true });
    const choose = (event) => {
      this.insert(event.target.value);
      event.target.value = "";
    };
    this.picker = el("span", { class: "select" }, el("select", { class: "input", "aria-label": t("Insert a column"), on: { change: choose } }, el("option", { value: "", text: t("Insert a column") }), ...this.names.map((name) => el("option", { value: name, text: name }))), icon("chevron-down", "icon--14"));
    this.fault = el("p", { class: "field__fault", id: "fill-instruction-fault", role: "alert" });
    this.element = el("div", { class: "field" }, el("label", { class: "field__label", for: "fill-instruction", text: t("What should be found for each row?") }),
      el("div", { class: "fill__instruction" }, this.input, this.list),
      el("div", { class: "fill__line" }, el("span", { class: "field__hint", id: "fill-instruction-hint", text: t("Only cells of the columns in braces are sent. Type { to choose one.") }), this.picker), this.fault);
  }

  get value() {
    return this.input.value;
  }

  get isComplete() {
    return isComplete(this.value, this.names);
  }

  /** @param {string} words  "" for none */
  showFault(words) {
    this.fault.textContent = words;
    this.input.setAttribute("aria-invalid", String(Boolean(words)));
  }

  typed() {
    this.showFault("");
    this.suggest();
    this.changed();
  }

  suggest() {
    this.place = openReference(this.input.value, this.input.selectionStart);
    this.show(this.place ? matchingNames(this.names, this.place.typed).slice(0, MAX_SHOWN) : []);
  }

  /** @param {string[]} names */
  show(names) {
    this.chosen = 0;
    const pick = (event, name) => {
      event.preventDefault();
      this.insert(name);
    };
    this.list.replaceChildren(...names.map((name, index) => el("li", { class: "menu__item", role: "option", id: `fill-column-${index}`, text: name, on: { pointerdown: (event) => pick(event, name) } })));
    this.list.hidden = names.length === 0;
    this.mark();
  }

  mark() {
    const options = [...this.list.children];
    options.forEach((option, index) => {
      option.setAttribute("aria-selected", String(index === this.chosen));
      option.classList.toggle("is-active", index === this.chosen);
    });
    if (options.length) this.input.setAttribute("aria-activedescendant", options[this.chosen].id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    const options = [...this.list.children];
    if (!options.length || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      this.chosen = (this.chosen + step + options.length) % options.length;
      this.mark();
    } else if (event.key === "Enter" || event.key === "Tab") this.insert(options[this.chosen].textContent ?? "");
    else if (event.key === "Escape") {
      this.show([]);
      event.stopPropagation();
    } else return;
    event.preventDefault();
  }

  /** @param {string} name  of a column, inserted at the caret */
  insert(name) {
    if (!name) return;
    const { selectionStart, selectionEnd } = this.input;
    const from = this.place?.from ?? selectionStart;
    const { text, caret } = withReference(this.input.value, { from, to: selectionEnd }, name);
    this.input.value = text;
    this.input.focus();
    this.input.setSelectionRange(caret, caret);
    this.place = null;
    this.show([]);
    this.showFault("");
    this.changed();
  }
}
