// The editor of a select column's options, beside the grid: each edit is saved immediately, as a change with undo.

import { api } from "../api.js";
import { el, icon, logicalKey, toast } from "../element.js";
import { positionPopover } from "../popover_position.js";
import { t, tn } from "../locale.js";
import { OPTION_COLORS, colorOf, columnType } from "./column_types/registry.js";
import { COLOR_NAMES, addedOption, deletedOption, mergedOption, movedOption, recoloredOption, renamedOption, sameOption } from "./option_changes.js";
import { exactCount } from "./exact_count.js";

/** @type {OptionEditor | null} */
let open = null;

/** @param {TableGrid} grid @param {string} columnId @param {Element} [anchor]  for positioning; default: the column's header */
export function openOptionEditor(grid, columnId, anchor) {
  open?.close();
  if (!grid.allColumns.some((column) => column.id === columnId)) return;
  open = new OptionEditor(grid, columnId, anchor);
}

class OptionEditor {
  /** @param {TableGrid} grid @param {string} columnId @param {Element} [anchor] */
  constructor(grid, columnId, anchor) {
    this.grid = grid;
    this.columnId = columnId;
    /** The option whose color swatches are shown. */
    this.coloring = "";
    /** The option whose deletion must be confirmed, and its number of rows. @type {{option: string, count: number} | null} */
    this.deleting = null;
    /** The option that was given the name of another one, and its number of rows. @type {{option: string, other: string, count: number} | null} */
    this.merging = null;
    /** Whether the list is being drawn: the blur of a replaced field is ignored. */
    this.drawing = false;
    /** Whether the panel is closing, so that errors are shown in a toast. */
    this.closing = false;
    this.controller = new AbortController();
    /** Element to focus when the panel is closed. @type {Element | null} */
    this.opener = document.activeElement;
    this.list = el("ul", { class: "optedit__list" });
    this.fault = el("p", { class: "optedit__fault", role: "alert", hidden: true });
    this.status = el("span", { class: "sr", role: "status" });
    this.input = el("input", {
      class: "input", maxlength: "255", placeholder: t("Add an option"), "aria-label": t("Add an option to {column}", { column: this.column.name }), "data-part": "add",
      on: {
        keydown: (event) => {
          if (event.isComposing) return;
          if (event.key === "Enter") this.add();
          if (event.key !== "Escape" || !this.input.value) return;
          event.preventDefault();
          this.input.value = "";
        },
      },
    });
    const close = el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": t("Close"), on: { click: () => this.close() } }, icon("x", "icon--14"));
    const title = el("h2", { id: "optedit-title", text: t("Options of {column}", { column: this.column.name }) });
    this.panel = el(
      "div", { class: "optedit", popover: "auto", role: "dialog", "aria-labelledby": title.id },
      el("div", { class: "optedit__head" }, title, close), this.list, this.fault, this.input, this.status,
    );
    this.panel.addEventListener("keydown", (event) => event.stopPropagation());
    this.panel.addEventListener("beforetoggle", (event) => {
      if (event.newState !== "closed") return;
      this.closing = true;
      const focusedElement = /** @type {HTMLInputElement} */ (document.activeElement);
      if (focusedElement?.dataset.part === "name" && this.panel.contains(focusedElement)) this.rename(focusedElement.closest("li").dataset.option ?? "", focusedElement);
      this.add();
    });
    this.panel.addEventListener("toggle", (event) => event.newState === "closed" && this.closed());
    grid.addEventListener("grid-redrawn", () => this.refresh(), { signal: this.controller.signal });
    grid.addEventListener("grid-role", () => grid.mayEdit || this.close(), { signal: this.controller.signal });
    document.body.append(this.panel);
    this.draw();
    this.panel.showPopover();
    const head = grid.table.tHead.querySelector(`th[data-col="${CSS.escape(columnId)}"]`);
    positionPopover(this.panel, anchor?.isConnected ? anchor : head ?? grid);
    this.input.focus({ preventScroll: true });
  }

  get column() {
    return this.grid.allColumns.find((column) => column.id === this.columnId);
  }

  close() {
    this.panel.hidePopover();
  }

  closed() {
    this.controller.abort();
    const focusedElement = this.panel.contains(document.activeElement) || document.activeElement === document.body;
    this.panel.remove();
    if (open === this) open = null;
    const focusTarget = this.opener !== document.body && this.opener?.isConnected ? this.opener : this.grid.table;
    if (focusedElement) /** @type {HTMLElement} */ (focusTarget).focus({ preventScroll: true });
  }

  /** The table was read; the options may have changed. */
  refresh() {
    if (!this.column?.options) this.close();
    else if (this.drawn !== this.signature) this.draw();
  }

  get signature() {
    return JSON.stringify([this.column.options, this.column.optionColors]);
  }

  /** The focused part and its option; "" if the focus is not in the list. */
  get focused() {
    const focusedElement = /** @type {HTMLElement} */ (document.activeElement);
    const item = this.list.contains(focusedElement) ? focusedElement.closest("li") : null;
    return item ? `${focusedElement.dataset.part} ${item.dataset.option}` : "";
  }

  /** Unsaved names, by option. @returns {Map<string, string>} */
  get typed() {
    const fields = /** @type {HTMLInputElement[]} */ ([...this.list.querySelectorAll("[data-part=name]")]);
    const names = fields.map((field) => /** @type {const} */ ([field.closest("li").dataset.option ?? "", field.value]));
    return new Map(names.filter(([option, name]) => name.trim() !== option));
  }

  /** @param {string} [focus]  the part and option to focus; default: the focused one */
  draw(focus) {
    const wanted = focus ?? this.focused;
    const focusedElement = /** @type {HTMLInputElement} */ (document.activeElement);
    const caret = wanted === this.focused && focusedElement?.dataset.part === "name" ? [focusedElement.selectionStart, focusedElement.selectionEnd] : null;
    const { typed } = this;
    this.drawn = this.signature;
    this.drawing = true;
    this.list.replaceChildren(...(this.column.options ?? []).map((option, index) => this.drawOption(option, index)));
    this.drawing = false;
    for (const item of this.list.children) {
      const name = typed.get(item.dataset.option);
      if (name !== undefined) item.querySelector("[data-part=name]").value = name;
    }
    if (!wanted) return;
    const [part, option] = [wanted.slice(0, wanted.indexOf(" ")), wanted.slice(wanted.indexOf(" ") + 1)];
    const found = this.list.querySelector(`li[data-option="${CSS.escape(option)}"] [data-part="${part}"]`);
    (found ?? this.input).focus({ preventScroll: true });
    if (found && caret) found.setSelectionRange(...caret);
  }

  /** @param {string} option @param {number} index */
  drawOption(option, index) {
    const { options = [] } = this.column;
    const color = colorOf(this.column, option);
    const move = (step) => this.save((column) => movedOption(column, option, (column.options ?? []).indexOf(option) + step), { focus: `handle ${option}`, message: t("Moved {option}", { option }) });
    const keys = (event, plain) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step || !(plain || event.altKey)) return false;
      event.preventDefault();
      void move(step);
      return true;
    };
    const handle = el("button", {
      class: "handle", type: "button", "data-part": "handle", "aria-label": t("Move {column}. Use the up and down keys.", { column: option }),
      on: { keydown: (event) => keys(event, true), pointerdown: (event) => this.drag(event, option) },
    }, icon("grip-vertical", "icon--14"));
    const colorButton = el("button", {
      class: "optedit__color", type: "button", "data-part": "color", "data-c": color, "aria-expanded": String(this.coloring === option),
      "aria-label": t("Color of {option}: {color}", { option, color: COLOR_NAMES[color] }), on: { click: () => this.showColors(option) },
    });
    const name = el("input", {
      class: "input", value: option, maxlength: "255", dir: "auto", "data-part": "name", "aria-label": t("Name of {option}", { option }),
      on: {
        // Not "change", which is not fired for restored text. When the window loses the focus, the field is still the active
        // element.
        blur: (event) => this.drawing || document.activeElement === event.target || this.rename(option, event.target),
        input: () => this.endMerge(option),
        keydown: (event) => {
          if (keys(event, false) || event.isComposing) return;
          if (event.key === "Enter") this.rename(option, event.target, true);
          if (event.key !== "Escape" || event.target.value === option) return;
          event.preventDefault();
          event.target.value = option;
        },
      },
    });
    const last = options.length === 1;
    const remove = el("button", {
      class: "btn btn--ghost btn--icon btn--sm", type: "button", "data-part": "delete", "aria-label": t("Delete {option}", { option }),
      title: last ? t("A select column needs at least one option.") : t("Delete"), "aria-disabled": last ? "true" : undefined, on: { click: () => last || this.confirmDelete(option) },
    }, icon("trash-2", "icon--14"));
    const item = el("li", { dataset: { option, place: String(index) } }, el("div", { class: "optedit__row" }, handle, colorButton, name, remove));
    if (this.coloring === option) item.append(this.drawColors(option, color));
    if (this.deleting?.option === option) item.append(this.drawQuestion(this.deleting));
    if (this.merging?.option === option) item.append(this.drawMerge(this.merging));
    return item;
  }

  /** @param {string} option @param {string} now */
  drawColors(option, now) {
    const keys = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[logicalKey(event.key)];
      const buttons = [...event.currentTarget.children];
      if (event.key === "Escape") {
        event.preventDefault();
        this.showColors(option);
      }
      if (!step) return;
      event.preventDefault();
      buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length].focus();
    };
    const pick = (color) => {
      this.coloring = "";
      this.draw(`color ${option}`);
      void this.save((column) => recoloredOption(column, option, color), { message: t("{option} is now {color}", { option, color: COLOR_NAMES[color] }) });
    };
    const swatches = OPTION_COLORS.map((color) =>
      el("button", {
        class: "optedit__swatch", type: "button", "data-c": color, "data-part": color === now ? "swatch" : undefined, "aria-pressed": String(color === now),
        tabindex: color === now ? "0" : "-1", "aria-label": COLOR_NAMES[color], title: COLOR_NAMES[color], on: { click: () => pick(color) },
      }, color === now && icon("check", "icon--14")),
    );
    return el("div", { class: "optedit__colors", role: "group", "aria-label": t("Color of {option}", { option }), on: { keydown: keys } }, ...swatches);
  }

  /** @param {{option: string, count: number}} asked */
  drawQuestion({ option, count }) {
    const words = tn("{count} row uses “{option}”. Its cell will be cleared.", "{count} rows use “{option}”. Their cells will be cleared.", count, { option });
    const cancel = () => {
      this.deleting = null;
      this.draw(`delete ${option}`);
    };
    return this.drawAsk(words, { label: t("Delete {option}", { option }), cancel, action: t("Delete"), kind: "btn--danger", run: () => this.remove(option) });
  }

  /** @param {{option: string, other: string, count: number}} asked */
  drawMerge({ option, other, count }) {
    const words = tn("{count} row uses “{option}”. It gets “{other}” if you merge the options.", "{count} rows use “{option}”. They get “{other}” if you merge the options.", count, { option, other });
    const cancel = () => {
      this.endMerge(option);
      this.list.replaceChildren();
      this.draw(`name ${option}`);
    };
    return this.drawAsk(words, { label: t("Merge {option} into {other}", { option, other }), cancel, action: t("Merge"), kind: "btn--primary", run: () => this.merge(option, other) });
  }

  /** @param {string} words @param {{label: string, action: string, kind: string, run: () => void, cancel: () => void}} question */
  drawAsk(words, { label, action, kind, run, cancel }) {
    const buttons = [
      el("button", { class: "btn btn--sm", type: "button", text: t("Cancel"), on: { click: cancel } }),
      el("button", { class: `btn btn--sm ${kind}`, type: "button", "data-part": "confirm", text: action, on: { click: run } }),
    ];
    return el("div", { class: "optedit__ask", role: "group", "aria-label": label }, el("p", { text: words }), el("div", { class: "actions" }, ...buttons));
  }

  /** @param {string} option  shows or hides its color swatches */
  showColors(option) {
    this.coloring = this.coloring === option ? "" : option;
    this.draw(`${this.coloring ? "swatch" : "color"} ${option}`);
  }

  async add() {
    const name = this.input.value.trim();
    if (!name || !this.column?.options || this.isTaken(name)) return;
    this.input.value = "";
    const added = await this.save((column) => (sameOption(column, name) ? null : addedOption(column, name)), { message: t("Added {option}", { option: name }) });
    if (!added && !this.fault.hidden) this.input.value ||= name;
  }

  /** @param {string} option @param {HTMLInputElement} field @param {boolean} [stay]  whether the field keeps the focus */
  rename(option, field, stay = false) {
    const name = field.value.trim();
    if (!name) field.value = option;
    if (!this.column?.options || name === option || !name) return;
    if (this.isTaken(name, option)) return void (this.closing || this.confirmMerge(option, sameOption(this.column, name, option)));
    // Enter causes another call when the field loses the focus.
    field.closest("li").dataset.option = name;
    if (this.renamed === `${option} ${name}`) return;
    this.renamed = `${option} ${name}`;
    void this.save((column) => renamedOption(column, option, name), { ...(stay ? { focus: `name ${name}` } : {}), message: t("Renamed {option} to {name}", { option, name }) }).finally(() => (this.renamed = ""));
  }

  /** @param {string} name @param {string} [except] @returns {boolean} */
  isTaken(name, except) {
    const same = sameOption(this.column, name, except);
    this.showError(same ? t("An option “{option}” already exists.", { option: same }) : "");
    return Boolean(same);
  }

  /** @param {string} option @returns {Promise<number>} rows that use it */
  countRows(option) {
    return exactCount(this.grid.tableId, { filter: JSON.stringify({ column: this.columnId, op: columnType(this.column).clickOperator, value: [option] }) });
  }

  /** @param {string} option @param {string} other  which has the typed name */
  async confirmMerge(option, other) {
    // Moving to the button leaves the field.
    if (this.merging?.option === option && this.merging.other === other) return;
    const asked = (this.merging = { option, other, count: 0 });
    asked.count = await this.countRows(option).catch(() => -1);
    if (asked.count < 0) this.endMerge(option);
    if (this.merging === asked && this.panel.isConnected) this.draw();
  }

  /** @param {string} option  another name is typed */
  endMerge(option) {
    if (this.merging?.option !== option) return;
    this.merging = null;
    this.showError("");
    this.list.querySelector(".optedit__ask")?.remove();
  }

  /** @param {string} option @param {string} other */
  async merge(option, other) {
    this.endMerge(option);
    const change = await this.save((column) => mergedOption(column, option, other), { focus: `name ${other}` });
    if (change) toast(t("Merged {option} into {other}", { option, other }), { action: this.grid.writer.undoRedo.undoAction(change) });
  }

  /** @param {string} option */
  async confirmDelete(option) {
    try {
      const count = await this.countRows(option);
      if (!count) return void this.remove(option);
      this.deleting = { option, count };
      this.coloring = "";
      this.draw(`confirm ${option}`);
    } catch (error) {
      this.showError(t("Nothing was saved. {reason}", { reason: error.message }));
    }
  }

  /** @param {string} option */
  async remove(option) {
    this.deleting = null;
    const change = await this.save((column) => deletedOption(column, option));
    if (change) toast(t("Deleted {option}", { option }), { action: this.grid.writer.undoRedo.undoAction(change) });
    if (this.panel.isConnected && document.activeElement === document.body) this.input.focus({ preventScroll: true });
  }

  /**
   * @param {(column: Column) => import("./option_changes.js").OptionChange | null} change  returns the change for the column when the request is sent
   * @param {{focus?: string, message?: string}} [then] @returns {Promise<number | undefined>} id of the change
   */
  async save(change, { focus, message = "" } = {}) {
    const { grid, focused } = this;
    let changeId;
    await grid.writer.enqueue(async () => {
      const found = this.column && change(this.column);
      if (!found) return;
      const removed = typeof found.removed === "object" ? JSON.stringify(found.removed) : found.removed;
      const query = removed ? `?${new URLSearchParams({ on_removed_option: removed })}` : "";
      try {
        grid.writer.requireEditRight();
        const saved = await api.patch(`/api/tables/${grid.tableId}/columns/${this.columnId}/${query}`, found.body);
        changeId = saved.change;
        grid.writer.undoRedo.record("made", changeId);
        this.showError("");
        this.status.textContent = message;
      } catch (error) {
        const outdated = error.errors?.some((one) => one.code === "column_changed");
        const reason = outdated ? t("The options were changed meanwhile. Try again.") : error.errors?.[0]?.detail ?? error.message;
        this.showError(t("Nothing was saved. {reason}", { reason }));
        this.drawn = "";
        throw error;
      } finally {
        await grid.reload();
        // If the focus was moved to another field, it stays there with the typed text.
        const focusUnchanged = document.activeElement === document.body || (this.focused && this.focused === focused);
        if (this.panel.isConnected && this.column) this.draw(focusUnchanged ? focus : undefined);
      }
    });
    return changeId;
  }

  /** @param {string} words  "" for none */
  showError(words) {
    if (words && this.closing) toast(words, { kind: "error" });
    this.fault.textContent = words;
    this.fault.hidden = !words;
  }

  /** @param {PointerEvent} event @param {string} option  follows the pointer, and is saved when it is dropped */
  drag(event, option) {
    if (event.button !== 0) return;
    const handle = /** @type {HTMLElement} */ (event.currentTarget);
    const item = handle.closest("li");
    const start = [...this.list.children].indexOf(item);
    handle.setPointerCapture(event.pointerId);
    item.classList.add("is-dragged");
    const middle = (one) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2;
    // Move the other items: an item that is removed from the DOM loses the pointer capture.
    const follow = ({ clientY }) => {
      for (let one; (one = item.previousElementSibling) && clientY < middle(one); ) item.after(one);
      for (let one; (one = item.nextElementSibling) && clientY > middle(one); ) item.before(one);
    };
    const controller = new AbortController();
    const end = ({ type }) => {
      controller.abort();
      item.classList.remove("is-dragged");
      const index = [...this.list.children].indexOf(item);
      if (type !== "pointerup") this.draw();
      else if (index !== start) void this.save((column) => movedOption(column, option, index), { focus: `handle ${option}`, message: t("Moved {option}", { option }) });
    };
    handle.addEventListener("pointermove", follow, { signal: controller.signal });
    for (const name of ["pointerup", "pointercancel"]) handle.addEventListener(name, end, { signal: controller.signal });
  }
}
