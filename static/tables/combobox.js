// A combobox: a text field with a list below it, from which one value or several are chosen. The chosen ones are chips before the text.

import { el, icon, logicalKey } from "../element.js";
import { positionPopover } from "../popover_position.js";
import { t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { sameValue } from "./values.js";

/** @typedef {import("./column_types/registry.js").ListItem} ListItem */
/** @typedef {{kind: "item" | "clear" | "create" | "edit", item: ListItem}} Entry */

const NO_ITEM = { value: null, label: "" };

/**
 * Create the combobox of a column, with the items that its type lists:
 *
 *     const combobox = columnCombobox(column, { box, input, value, onChosen: () => save(combobox.value) });
 *     combobox.open();
 *
 * A column type has such an editor if it defines `listItems`; those with `hasLists` allow several items.
 * @param {Column} column
 * @param {object} how
 * @param {HTMLElement} how.box  contains the chips and the field, and is the anchor of the list
 * @param {HTMLInputElement} how.input  in the box @param {any} how.value  as in cells
 * @param {boolean} how.canCreate  whether a typed text may become an option; only for types with options
 * @param {(() => void) | null} how.edit  opens the option editor @param {() => void} [how.onChosen]  see `Combobox`
 * @param {() => void} [how.onChange]
 */
export function columnCombobox(column, { box, input, value, canCreate, edit, onChosen, onChange }) {
  const { listItems, listItem, noItem, hasLists, hasOptions } = columnType(column);
  const itemOf = (/** @type {any} */ one) => listItem(one, column);
  const rights = hasOptions ? { createItem: canCreate ? itemOf : null, edit } : {};
  return new Combobox({ box, input, value, name: column.name, items: listItems(column), itemOf, several: hasLists, noItem: noItem(), ...rights, onChosen, onChange });
}

/** Keyboard and roles follow the ARIA pattern “Editable combobox with list autocomplete”; the left arrow key leads to the chips. */
export class Combobox {
  /** @type {Entry[]} */
  #shown = [];
  #active = -1;
  /** The values of the drawn chips. @type {any[]} */
  #drawn = [];

  /**
   * @param {object} how
   * @param {HTMLElement} how.box @param {HTMLInputElement} how.input  as for `columnCombobox`
   * @param {string} how.name  of the list, for screen readers @param {ListItem[]} how.items  that can be chosen
   * @param {(value: any) => ListItem} how.itemOf  returns the item of a value that is not listed
   * @param {any} how.value  null, the value of an item, or a list of them @param {boolean} [how.several]
   * @param {((text: string) => ListItem) | null} [how.createItem]  null: typed texts cannot become items
   * @param {(() => void) | null} [how.edit] @param {string} how.noItem  shown if no item matches
   * @param {() => void} [how.onChosen]  called when the user has chosen the only item, or cleared it in the list
   * @param {() => void} [how.onChange]  called after each other change: of several items, or by a chip
   */
  constructor({ box, input, name, items, itemOf, value, several = false, createItem = null, edit = null, noItem, onChosen = () => {}, onChange = () => {} }) {
    Object.assign(this, { box, input, items, itemOf, several, createItem, edit, noItem, onChosen, onChange });
    this.placeholder = input.placeholder;
    this.list = el("div", { role: "listbox", id: "option-list", "aria-label": name, "aria-multiselectable": several ? "true" : undefined });
    this.hint = el("p", { class: "menu__label", role: "status" });
    this.popover = el("div", { class: "menu optlist", popover: "manual" }, this.list, this.hint);
    // The field must not lose the focus.
    this.popover.addEventListener("mousedown", (event) => event.preventDefault());
    for (const [attribute, text] of Object.entries({ role: "combobox", autocomplete: "off", "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-expanded": "false" })) input.setAttribute(attribute, text);
    input.addEventListener("input", () => this.isOpen && this.#drawList());
    box.addEventListener("keydown", (event) => this.#keyPressed(event));
    box.addEventListener("mousedown", (event) => {
      if (event.target === input) return;
      event.preventDefault();
      input.focus();
    });
    this.show(value);
  }

  get isOpen() {
    return this.popover.isConnected;
  }

  /** The chosen value or list of values, null for none. */
  get value() {
    if (!this.several) return this.chosen[0] ?? null;
    const listed = this.items.map((item) => item.value).filter((value) => this.chosen.includes(value));
    return this.chosen.length ? [...listed, ...this.chosen.filter((value) => !listed.includes(value))] : null;
  }

  get isChanged() {
    return !sameValue(this.start, this.value);
  }

  /** Whether an item was created. */
  get isCreated() {
    const before = [this.start ?? []].flat();
    return this.chosen.some((value) => !before.includes(value) && !this.items.some((item) => item.value === value));
  }

  /** Show another value, as if it had been there from the start. @param {any} value */
  show(value) {
    this.start = value;
    this.chosen = [value ?? []].flat();
    this.input.value = "";
    this.#draw();
  }

  open() {
    if (this.isOpen) return;
    document.body.append(this.popover);
    this.popover.showPopover();
    this.input.setAttribute("aria-expanded", "true");
    this.input.setAttribute("aria-controls", this.list.id);
    this.#drawList(this.several ? undefined : this.chosen[0]);
  }

  close() {
    this.popover.remove();
    this.input.setAttribute("aria-expanded", "false");
    for (const name of ["aria-activedescendant", "aria-controls"]) this.input.removeAttribute(name);
  }

  /** Choose the active entry. */
  pick() {
    if (this.#shown[this.#active]) this.#pick(this.#shown[this.#active]);
    else if (!this.several) this.onChosen();
  }

  /** Choose the item for which a text was typed, without calling back. @param {{exact?: boolean}} [how]  exact: only by its whole label */
  settle({ exact = false } = {}) {
    const text = this.input.value.trim();
    const { kind, item } = listEntries(this.items, { text, createItem: this.createItem })[0] ?? {};
    if (text && item && (!exact || (kind === "item" && item.label.toLocaleLowerCase() === text.toLocaleLowerCase()))) this.#set(this.several ? [...this.chosen.filter((one) => one !== item.value), item.value] : [item.value]);
    else this.#set(this.chosen);
  }

  /** @param {any[]} chosen */
  #set(chosen) {
    this.chosen = chosen;
    this.input.value = "";
    this.#draw();
  }

  /** @param {Entry} entry */
  #pick({ kind, item }) {
    if (kind === "edit") return this.edit();
    const isChosen = this.chosen.includes(item.value);
    const others = this.several ? this.chosen.filter((value) => value !== item.value) : [];
    this.#set(kind === "clear" ? [] : this.several && isChosen ? others : [...others, item.value]);
    if (!this.several) return this.onChosen();
    this.#drawList(item.value);
    this.onChange();
  }

  /** @param {number} index  of a chip */
  #remove(index) {
    const value = this.chosen[index];
    this.chosen = this.chosen.filter((one) => one !== value);
    this.#draw();
    if (this.isOpen) this.#drawList(value);
    this.onChange();
  }

  #itemOf = (/** @type {any} */ value) => this.items.find((item) => item.value === value) ?? this.itemOf(value);

  /** Draw the chips. The focus stays on the chip that has it, unless it was removed. */
  #draw() {
    const focused = this.#drawn[[...this.box.querySelectorAll("button")].findIndex((button) => button === document.activeElement)];
    const items = this.chosen.map(this.#itemOf);
    const chips = items.map((item, index) => {
      const button = el("button", { type: "button", tabindex: "-1", "aria-label": t("Remove {column}", { column: item.label }), on: { click: () => this.#remove(index) } }, icon("x", "icon--12"));
      const chip = drawItem(item);
      chip.append(button);
      return chip;
    });
    // The field keeps the focus only where it is.
    if (this.box.contains(document.activeElement)) this.input.focus();
    for (const node of [...this.box.children]) if (node !== this.input) node.remove();
    this.input.before(...chips);
    this.#drawn = [...this.chosen];
    if (focused !== undefined) this.box.querySelectorAll("button")[this.chosen.indexOf(focused)]?.focus();
    this.input.placeholder = chips.length ? "" : this.placeholder;
    this.input.setAttribute("aria-description", items.map((item) => item.label).join(", "));
  }

  /** @param {any} [value]  of the item that becomes active; default: the first one */
  #drawList(value) {
    const text = this.input.value.trim();
    const entries = listEntries(this.items, { text, createItem: this.createItem });
    const created = text ? [] : this.chosen.filter((one) => !this.items.some((item) => item.value === one)).map((one) => ({ kind: "item", item: this.#itemOf(one) }));
    const found = [...entries, .../** @type {Entry[]} */ (created)];
    this.#shown = [...found];
    if (!text && this.chosen.length) this.#shown.push({ kind: "clear", item: NO_ITEM });
    if (!text && this.edit) this.#shown.push({ kind: "edit", item: NO_ITEM });
    this.list.replaceChildren(...this.#shown.map((entry, index) => this.#drawEntry(entry, index)));
    this.hint.textContent = found.length ? (this.several ? t("Enter selects, Tab saves, Esc cancels.") : "") : this.noItem;
    this.hint.hidden = !this.hint.textContent;
    const index = found.findIndex(({ item }) => item.value === value);
    this.#setActive(Math.max(index, Math.min(0, (text ? found : this.#shown).length - 1)));
    positionPopover(this.popover, this.box);
  }

  /** @param {Entry} entry @param {number} index */
  #drawEntry(entry, index) {
    const { kind, item } = entry;
    const isChosen = kind === "item" && this.chosen.includes(item.value);
    const inside = {
      item: () => [drawItem(item), isChosen && el("span", { class: "menu__end" }, icon("check", "icon--14"))],
      clear: () => [icon("x", "icon--14"), t("Clear")],
      create: () => [icon("plus", "icon--14"), el("span", { text: t("Create “{option}”", { option: item.label }) })],
      edit: () => [icon("pencil", "icon--14"), t("Edit options")],
    }[kind]();
    return el("div", { class: "menu__item", role: "option", id: `option-${index}`, "aria-selected": String(isChosen), on: { click: () => this.#pick(entry) } }, ...inside);
  }

  /** @param {number} index */
  #setActive(index) {
    this.#active = index;
    this.input.removeAttribute("aria-activedescendant");
    [...this.list.children].forEach((item, at) => {
      item.classList.toggle("is-active", at === index);
      if (at !== index) return;
      item.scrollIntoView({ block: "nearest" });
      this.input.setAttribute("aria-activedescendant", item.id);
    });
  }

  /** @param {KeyboardEvent} event */
  #keyPressed(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { input } = this;
    const key = logicalKey(event.key);
    const buttons = [...this.box.querySelectorAll("button")];
    const at = event.target === input ? buttons.length : buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const isAtStart = event.target !== input || (!input.selectionStart && !input.selectionEnd);
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    if (step && this.isOpen && this.#shown.length) this.#setActive((this.#active + step + this.#shown.length) % this.#shown.length);
    else if (key === "ArrowLeft" && isAtStart && at > 0) buttons[at - 1].focus();
    else if (key === "ArrowRight" && event.target !== input) (buttons[at + 1] ?? input).focus();
    else if (key === "Backspace" && isAtStart && buttons.length) this.#remove(Math.min(at, buttons.length - 1));
    else if (key === "Delete" && event.target !== input) this.#remove(at);
    else {
      // What is typed on a chip is a search.
      if (key.length === 1 && key !== " ") input.focus();
      return;
    }
    event.preventDefault();
  }
}

/** @param {ListItem} item @returns {HTMLElement} */
function drawItem({ label, draw }) {
  return draw?.() ?? el("span", { class: "badge", text: label });
}

/**
 * @param {ListItem[]} items @param {{text: string, createItem: ((text: string) => ListItem) | null}} how  text: typed text, trimmed
 * @returns {Entry[]} items whose label contains the text, and an entry to create one
 */
export function listEntries(items, { text, createItem }) {
  const wanted = text.toLocaleLowerCase();
  const found = items.filter(({ label }) => label.toLocaleLowerCase().includes(wanted));
  // An exact match is the first entry.
  const same = found.findIndex(({ label }) => label.toLocaleLowerCase() === wanted);
  if (same > 0) found.unshift(...found.splice(same, 1));
  /** @type {Entry[]} */
  const entries = found.map((item) => ({ kind: "item", item }));
  if (text && createItem && same < 0) entries.push({ kind: "create", item: createItem(text) });
  return entries;
}
