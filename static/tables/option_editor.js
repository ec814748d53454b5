// The editor of a select column's options, beside the grid: each edit is saved at once, as one change with one undo.

import { api } from "../api.js";
import { el, icon, keyAhead, placeBeside, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { OPTION_COLORS, colorOf } from "./column_types/registry.js";
import { addedOption, deletedOption, movedOption, recoloredOption, renamedOption, sameOption } from "./option_changes.js";

/** @type {OptionEditor | null} */
let open = null;

/** @param {TableGrid} grid @param {string} columnId @param {Element} [anchor]  what it is shown beside; the head of the column if nothing is given */
export function openOptionEditor(grid, columnId, anchor) {
  open?.close();
  if (!grid.allColumns.some((column) => column.id === columnId)) return;
  open = new OptionEditor(grid, columnId, anchor);
}

const names = {
  blue: t("Blue"), orange: t("Orange"), teal: t("Teal"), purple: t("Purple"), yellow: t("Yellow"), pink: t("Pink"),
  gray: t("Gray"), cyan: t("Cyan"), indigo: t("Indigo"), magenta: t("Magenta"), brown: t("Brown"), lime: t("Lime"),
};

class OptionEditor {
  /** @param {TableGrid} grid @param {string} columnId @param {Element} [anchor] */
  constructor(grid, columnId, anchor) {
    this.grid = grid;
    this.columnId = columnId;
    /** The option whose colours are shown. */
    this.coloring = "";
    /** The option that is deleted after a confirmation, and how many rows use it. @type {{option: string, count: number} | null} */
    this.deleting = null;
    /** Whether the list is being drawn: a field that it replaces has not been left. */
    this.drawing = false;
    /** Whether what is wrong can no longer be said in the panel. */
    this.closing = false;
    this.over = new AbortController();
    /** Where the keyboard goes back to. @type {Element | null} */
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
      const held = /** @type {HTMLInputElement} */ (document.activeElement);
      if (held?.dataset.part === "name" && this.panel.contains(held)) this.rename(held.closest("li").dataset.option ?? "", held);
      this.add();
    });
    this.panel.addEventListener("toggle", (event) => event.newState === "closed" && this.closed());
    grid.addEventListener("grid-redrawn", () => this.refresh(), { signal: this.over.signal });
    grid.addEventListener("grid-role", () => grid.mayEdit || this.close(), { signal: this.over.signal });
    document.body.append(this.panel);
    this.draw();
    this.panel.showPopover();
    const head = grid.table.tHead.querySelector(`th[data-col="${CSS.escape(columnId)}"]`);
    placeBeside(this.panel, anchor?.isConnected ? anchor : head ?? grid);
    this.input.focus({ preventScroll: true });
  }

  get column() {
    return this.grid.allColumns.find((column) => column.id === this.columnId);
  }

  close() {
    this.panel.hidePopover();
  }

  closed() {
    this.over.abort();
    const held = this.panel.contains(document.activeElement) || document.activeElement === document.body;
    this.panel.remove();
    if (open === this) open = null;
    const back = this.opener !== document.body && this.opener?.isConnected ? this.opener : this.grid.table;
    if (held) /** @type {HTMLElement} */ (back).focus({ preventScroll: true });
  }

  /** The table was read again: the options may be others now. */
  refresh() {
    if (!this.column?.options) this.close();
    else if (this.drawn !== this.needed) this.draw();
  }

  get needed() {
    return JSON.stringify([this.column.options, this.column.optionColors]);
  }

  /** The part that has the focus and its option, "" where it is not in the list. */
  get focused() {
    const held = /** @type {HTMLElement} */ (document.activeElement);
    const item = this.list.contains(held) ? held.closest("li") : null;
    return item ? `${held.dataset.part} ${item.dataset.option}` : "";
  }

  /** What was typed as names and is not saved, by option. @returns {Map<string, string>} */
  get typed() {
    const fields = /** @type {HTMLInputElement[]} */ ([...this.list.querySelectorAll("[data-part=name]")]);
    const names = fields.map((field) => /** @type {const} */ ([field.closest("li").dataset.option ?? "", field.value]));
    return new Map(names.filter(([option, name]) => name.trim() !== option));
  }

  /** @param {string} [focus]  the part and the option that get the focus, where it is not to stay where it is */
  draw(focus) {
    const wanted = focus ?? this.focused;
    const held = /** @type {HTMLInputElement} */ (document.activeElement);
    const caret = wanted === this.focused && held?.dataset.part === "name" ? [held.selectionStart, held.selectionEnd] : null;
    const { typed } = this;
    this.drawn = this.needed;
    this.drawing = true;
    this.list.replaceChildren(...(this.column.options ?? []).map((option, place) => this.drawOption(option, place)));
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

  /** @param {string} option @param {number} place */
  drawOption(option, place) {
    const { options = [] } = this.column;
    const color = colorOf(this.column, option);
    const move = (step) => this.save((column) => movedOption(column, option, (column.options ?? []).indexOf(option) + step), { focus: `handle ${option}`, told: t("Moved {option}", { option }) });
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
    const paint = el("button", {
      class: "optedit__color", type: "button", "data-part": "color", "data-c": color, "aria-expanded": String(this.coloring === option),
      "aria-label": t("Color of {option}: {color}", { option, color: names[color] }), on: { click: () => this.showColors(option) },
    });
    const name = el("input", {
      class: "input", value: option, maxlength: "255", dir: "auto", "data-part": "name", "aria-label": t("Name of {option}", { option }),
      on: {
        // Not "change", which a text that was carried over does not cause. A window that is left leaves no field.
        blur: (event) => this.drawing || document.activeElement === event.target || this.rename(option, event.target),
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
      title: last ? t("A select column needs at least one option.") : t("Delete"), "aria-disabled": last ? "true" : undefined, on: { click: () => last || this.askToDelete(option) },
    }, icon("trash-2", "icon--14"));
    const item = el("li", { dataset: { option, place: String(place) } }, el("div", { class: "optedit__row" }, handle, paint, name, remove));
    if (this.coloring === option) item.append(this.drawColors(option, color));
    if (this.deleting?.option === option) item.append(this.drawQuestion(this.deleting));
    return item;
  }

  /** @param {string} option @param {string} now */
  drawColors(option, now) {
    const keys = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[keyAhead(event.key)];
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
      void this.save((column) => recoloredOption(column, option, color), { told: t("{option} is {color} now", { option, color: names[color] }) });
    };
    const swatches = OPTION_COLORS.map((color) =>
      el("button", {
        class: "optedit__swatch", type: "button", "data-c": color, "data-part": color === now ? "swatch" : undefined, "aria-pressed": String(color === now),
        tabindex: color === now ? "0" : "-1", "aria-label": names[color], title: names[color], on: { click: () => pick(color) },
      }, color === now && icon("check", "icon--14")),
    );
    return el("div", { class: "optedit__colors", role: "group", "aria-label": t("Color of {option}", { option }), on: { keydown: keys } }, ...swatches);
  }

  /** @param {{option: string, count: number}} asked */
  drawQuestion({ option, count }) {
    const words = tn("{count} row uses “{option}”. Its cell will be emptied.", "{count} rows use “{option}”. Their cells will be emptied.", count, { option });
    const cancel = () => {
      this.deleting = null;
      this.draw(`delete ${option}`);
    };
    const acts = [
      el("button", { class: "btn btn--sm", type: "button", text: t("Cancel"), on: { click: cancel } }),
      el("button", { class: "btn btn--sm btn--danger", type: "button", "data-part": "confirm", text: t("Delete"), on: { click: () => this.remove(option) } }),
    ];
    return el("div", { class: "optedit__ask", role: "group", "aria-label": t("Delete {option}", { option }) }, el("p", { text: words }), el("div", { class: "acts" }, ...acts));
  }

  /** @param {string} option  shows its colours, or hides them */
  showColors(option) {
    this.coloring = this.coloring === option ? "" : option;
    this.draw(`${this.coloring ? "swatch" : "color"} ${option}`);
  }

  async add() {
    const name = this.input.value.trim();
    if (!name || !this.column?.options || this.isTaken(name)) return;
    this.input.value = "";
    const made = await this.save((column) => (sameOption(column, name) ? null : addedOption(column, name)), { told: t("Added {option}", { option: name }) });
    if (!made && !this.fault.hidden) this.input.value ||= name;
  }

  /** @param {string} option @param {HTMLInputElement} field @param {boolean} [stay]  whether the focus stays in the field */
  rename(option, field, stay = false) {
    const name = field.value.trim();
    if (!this.column?.options || name === option || !name || this.isTaken(name, option)) {
      if (!name) field.value = option;
      return;
    }
    // Enter tells of a change once more when the field is left.
    field.closest("li").dataset.option = name;
    if (this.renamed === `${option} ${name}`) return;
    this.renamed = `${option} ${name}`;
    void this.save((column) => renamedOption(column, option, name), { ...(stay ? { focus: `name ${name}` } : {}), told: t("Renamed {option} to {name}", { option, name }) }).finally(() => (this.renamed = ""));
  }

  /** @param {string} name @param {string} [except] @returns {boolean} */
  isTaken(name, except) {
    const same = sameOption(this.column, name, except);
    this.complain(same ? t("There is an option “{option}” already.", { option: same }) : "");
    return Boolean(same);
  }

  /** @param {string} option */
  async askToDelete(option) {
    const filter = JSON.stringify({ column: this.columnId, op: "any_of", value: [option] });
    const query = new URLSearchParams({ filter, limit: "1" });
    try {
      const { count } = await api.get(`/api/tables/${this.grid.tableId}/rows/?${query}`);
      if (!count) return void this.remove(option);
      this.deleting = { option, count };
      this.coloring = "";
      this.draw(`confirm ${option}`);
    } catch (error) {
      this.complain(t("Nothing was saved. {reason}", { reason: error.message }));
    }
  }

  /** @param {string} option */
  async remove(option) {
    this.deleting = null;
    const change = await this.save((column) => deletedOption(column, option));
    if (change) toast(t("Deleted {option}", { option }), { action: this.grid.writer.past.undoAction(change) });
    if (this.panel.isConnected && document.activeElement === document.body) this.input.focus({ preventScroll: true });
  }

  /**
   * @param {(column: Column) => import("./option_changes.js").OptionChange | null} change  of the column as it is when its turn comes
   * @param {{focus?: string, told?: string}} [then] @returns {Promise<number | undefined>} the change that was made
   */
  async save(change, { focus, told = "" } = {}) {
    const { grid, focused } = this;
    let made;
    await grid.writer.inTurn(async () => {
      const found = this.column && change(this.column);
      if (!found) return;
      const removed = typeof found.removed === "object" ? JSON.stringify(found.removed) : found.removed;
      const query = removed ? `?${new URLSearchParams({ on_removed_option: removed })}` : "";
      try {
        grid.writer.demandRight();
        const saved = await api.patch(`/api/tables/${grid.tableId}/columns/${this.columnId}/${query}`, found.body);
        made = saved.change;
        grid.writer.past.record("made", made);
        this.complain("");
        this.status.textContent = told;
      } catch (error) {
        const outdated = error.errors?.some((one) => one.code === "column_changed");
        const reason = outdated ? t("The options were changed meanwhile. Try again.") : error.errors?.[0]?.detail ?? error.message;
        this.complain(t("Nothing was saved. {reason}", { reason }));
        this.drawn = "";
        throw error;
      } finally {
        await grid.reload();
        // A focus that has moved to another field stays there, with the text typed in it.
        const stayed = document.activeElement === document.body || (this.focused && this.focused === focused);
        if (this.panel.isConnected && this.column) this.draw(stayed ? focus : undefined);
      }
    });
    return made;
  }

  /** @param {string} words  "" for nothing */
  complain(words) {
    if (words && this.closing) toast(words, { kind: "error" });
    this.fault.textContent = words;
    this.fault.hidden = !words;
  }

  /** @param {PointerEvent} event @param {string} option  follows the pointer, and is saved where it is let go */
  drag(event, option) {
    if (event.button !== 0) return;
    const handle = /** @type {HTMLElement} */ (event.currentTarget);
    const item = handle.closest("li");
    const start = [...this.list.children].indexOf(item);
    handle.setPointerCapture(event.pointerId);
    item.classList.add("is-dragged");
    const middle = (one) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2;
    // The others make room: an item that is taken out of the page, if only for a moment, loses the pointer.
    const follow = ({ clientY }) => {
      for (let one; (one = item.previousElementSibling) && clientY < middle(one); ) item.after(one);
      for (let one; (one = item.nextElementSibling) && clientY > middle(one); ) item.before(one);
    };
    const over = new AbortController();
    const end = ({ type }) => {
      over.abort();
      item.classList.remove("is-dragged");
      const place = [...this.list.children].indexOf(item);
      if (type !== "pointerup") this.draw();
      else if (place !== start) void this.save((column) => movedOption(column, option, place), { focus: `handle ${option}`, told: t("Moved {option}", { option }) });
    };
    handle.addEventListener("pointermove", follow, { signal: over.signal });
    for (const name of ["pointerup", "pointercancel"]) handle.addEventListener(name, end, { signal: over.signal });
  }
}
