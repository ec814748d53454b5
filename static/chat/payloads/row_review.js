// One data proposal under review in the grid: the bar, the rows, the keys; corrected cells go back into the proposal.

import { el, icon, load, press, replaceInside } from "../../element.js";
import { t, tn } from "../../locale.js";
import { displayText, isEmpty } from "../../tables/values.js";
import { ChangeSteps, ReviewBar, nextSwitch, reasoningText } from "./review_bar.js";
import { FirstSight } from "./first_change.js";
import { OldValues } from "./previous_values.js";
import { ProposedRows } from "./proposed_rows.js";

const KINDS = [
  { action: "add", tone: "is-add", symbol: "plus", words: (/** @type {number} */ count) => t("{count} to add", { count }) },
  { action: "update", tone: "is-chg", symbol: "pencil", words: (/** @type {number} */ count) => t("{count} to change", { count }) },
  { action: "delete", tone: "is-del", symbol: "minus", words: (/** @type {number} */ count) => t("{count} to delete", { count }) },
];

export class RowReview {
  /** @param {{grid: any, slot: HTMLElement, proposal: Proposal, ended: () => void, showAdded: (ids: number[]) => void}} how */
  constructor({ grid, slot, proposal, ended, showAdded }) {
    // Only one proposal is looked over at a time.
    grid.review?.end();
    this.grid = grid;
    this.ended = ended;
    this.showAdded = showAdded;
    this.proposal = proposal;
    proposal.changed = () => this.changed();
    this.bar = new ReviewBar({
      slot, symbol: "diff", label: t("Proposed changes"), next: nextSwitch(this.proposal),
      apply: () => this.proposal.apply(), dismiss: () => this.proposal.dismiss(),
    });
    this.rows = new ProposedRows({
      grid, proposal: this.proposal, owner: this, checked: (index, on) => this.tick(index, on), fetched: () => this.closed || this.drawRows(),
      rearranged: () => this.steps.bringBack(),
    });
    this.steps = new ChangeSteps(grid, this.rows);
    this.firstSight = new FirstSight(grid, this.proposal.id);
    this.notes = new OldValues(grid.table, (cell) => this.linesFor(cell));
    this.buildRow();
    grid.table.classList.add("is-reviewing");
    grid.scroller.classList.add("as-cards");
    this.checkAll = (event) => this.sweep(event.target.checked);
    grid.selection.all.addEventListener("change", this.checkAll);
    grid.beginReview(this);
    this.changed();
  }

  buildRow() {
    this.chips = el("span", { class: "acts" });
    this.oldSwitch = this.toggle(t("Old values"), "show-old", this.grid.scroller);
    const toggles = [this.oldSwitch, this.toggle(t("Only changes"), "only-changes", this.grid.scroller)];
    this.bar.body.replaceChildren(
      el("div", { class: "review__row" }, this.chips, el("span", { class: "spacer" }), this.steps.element, el("span", { class: "vr only-wide" }), ...toggles),
    );
  }

  /** @param {string} words @param {string} name @param {HTMLElement} target */
  toggle(words, name, target) {
    const flip = (event) => {
      target.classList.toggle(name, event.target.checked);
      if (name === "only-changes") {
        this.rows.onlyChanges = event.target.checked;
        this.rowsDrawn();
      }
    };
    const input = el("input", { class: "switch", type: "checkbox", on: { change: flip } });
    return el("label", { class: "optgl only-wide" }, input, words);
  }

  /** The grid has drawn its rows. */
  rowsDrawn() {
    if (this.proposal.preview) this.drawRows();
  }

  /** Waits while a cell is edited or a button is held down: neither is drawn anew in the person's hands. */
  drawRows() {
    const { editor } = this.grid;
    if (editor.isOpen) this.firstSight.skip();
    press.whenReleased(() => editor.whenClosed("review", () => this.closed || this.drawNow()));
  }

  drawNow() {
    if (!this.hasDrawn) this.showOldNames();
    this.hasDrawn = true;
    this.rows.draw();
    // While rows are read anew, they may still go to other places; they are drawn once more then.
    if (!this.grid.reading.reading) this.firstSight.take(() => this.steps.scrollToFirst());
  }

  /** Where the first column changes, only the old value tells which row is meant. The person may switch it off again. */
  showOldNames() {
    const [first] = this.grid.allColumns;
    const { operations } = this.proposal.operations;
    if (!first || !operations.some(({ action, new: cells }) => action === "update" && first.id in cells)) return;
    const input = this.oldSwitch.querySelector("input");
    if (!input.checked) input.click();
  }

  /** Other rows came into sight. */
  windowDrawn() {
    if (this.proposal.preview && !this.closed) this.rows.dressWindow();
  }

  /** @param {number} count @returns {number} how many rows there will be */
  countAfter(count) {
    const { operations, checked } = this.proposal.operations;
    const steps = { add: 1, delete: -1 };
    return operations.filter((one) => checked.has(one.index)).reduce((sum, one) => sum + (steps[one.action] ?? 0), count);
  }

  changed() {
    if (this.proposal.over) return this.end();
    const { busy } = this.proposal;
    this.grid.scroller.classList.toggle("is-applying", busy === "applying");
    if (this.drawn !== this.proposal.preview && this.proposal.preview) {
      this.drawn = this.proposal.preview;
      this.drawRows();
    }
    this.drawBar();
  }

  drawBar() {
    this.grid.showCounts();
    const { operations, busy, fault, preview, payload } = this.proposal;
    const { selected, total } = operations;
    const words = { reading: t("Reading the changes"), applying: tn("Applying {count} change", "Applying {count} changes", selected) }[busy];
    this.bar.draw({
      title: (!preview || busy === "applying" ? words : "") || (total ? tn("{selected} of {count} change selected", "{selected} of {count} changes selected", total, { selected }) : t("Proposed changes")),
      reasoning: reasoningText(payload),
      apply: total ? tn("Apply {count} change", "Apply {count} changes", selected) : t("Apply"),
      ready: selected > 0,
      busy, fault,
    });
    this.drawChips();
    const { all } = this.grid.selection;
    all.checked = selected > 0 && selected === total;
    all.indeterminate = selected > 0 && selected < total;
    this.steps.draw(total);
    this.proposal.announce(tn("{count} proposed change", "{count} proposed changes", total));
  }

  drawChips() {
    const { operations } = this.proposal;
    const { counts } = operations;
    const chips = KINDS.filter(({ action }) => counts[action]).map(({ action, tone, symbol, words }) => {
      const press = () => {
        operations.toggleKind(action);
        this.remark();
      };
      const pressed = String(operations.allOfKind(action));
      const title = t("Check or uncheck all of them");
      return el("button", { class: `opchip ${tone}`, type: "button", "aria-pressed": pressed, title, on: { click: press } }, icon(symbol, "icon--12"), words(counts[action]));
    });
    const troubles = { conflict: tn("{count} conflict", "{count} conflicts", counts.conflict), error: tn("{count} error", "{count} errors", counts.error) };
    for (const [state, words] of Object.entries(troubles)) {
      if (!counts[state]) continue;
      const go = () => this.steps.goTo(operations.operations.find((operation) => operation.state === state));
      chips.push(el("button", { class: "opchip is-warn", type: "button", on: { click: go } }, icon("triangle-alert", "icon--12"), words));
    }
    replaceInside(this.chips, ...chips);
  }

  /** @param {number} index @param {boolean} on */
  tick(index, on) {
    this.proposal.operations.set(index, on);
    this.remark();
  }

  /** @param {boolean} on */
  sweep(on) {
    this.proposal.operations.setAll(on);
    this.remark();
  }

  remark() {
    const { operations } = this.proposal;
    this.proposal.touch();
    for (const { index } of operations.operations) this.rows.mark(index, operations.checked.has(index));
    this.drawBar();
  }

  /** @param {HTMLTableRowElement} tr */
  operationOf(tr) {
    return this.proposal.operations.byIndex.get(Number(tr.dataset.index));
  }

  // What stands behind the cells of rows under review: the proposed values, which can be corrected.

  /** @param {HTMLTableRowElement} tr @param {Column} column */
  value(tr, column) {
    const operation = this.operationOf(tr);
    if (!operation) return null;
    return column.id in operation.new ? operation.new[column.id] : this.rows.dataOf(operation)[column.id] ?? null;
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column */
  editable(tr, column) {
    const operation = this.operationOf(tr);
    return operation?.action === "add" || (operation?.action === "update" && column.id in operation.new);
  }

  /** @param {HTMLTableRowElement} tr @param {Column} column @param {any} value */
  write(tr, column, value) {
    const operation = this.operationOf(tr);
    if (operation) this.proposal.edit(operation.index, { [column.id]: value });
  }

  /** @param {HTMLTableRowElement} tr  Space on the gutter */
  check(tr) {
    const operation = this.operationOf(tr);
    if (operation && this.rows.canCheck(operation)) this.tick(operation.index, !this.proposal.operations.checked.has(operation.index));
  }

  /** @param {HTMLElement} target @returns {[string, string, boolean?][] | null} */
  linesFor(target) {
    const tr = target.closest("tr[data-index]");
    const operation = tr && this.operationOf(tr);
    if (!operation) return null;
    if (target.closest(".gutter")) return operation.reason ? [["", operation.reason]] : null;
    const column = this.grid.columns.find((one) => one.id === target.dataset.col);
    return column ? [...this.changeLines(operation, column), ...castLines(operation, column)] : null;
  }

  /** @returns {[string, string, boolean?][]} */
  changeLines(operation, column) {
    if (operation.action !== "update" || !(column.id in operation.new)) return [];
    const [was, will] = [operation.old[column.id], operation.new[column.id]].map((value) => (isEmpty(value) ? t("empty") : displayText(column, value)));
    const why = operation.reason ? [[t("Why:"), operation.reason]] : [];
    if (operation.state === "conflict") return [[t("Now"), was], [t("Proposed"), will], ...why];
    const on = this.proposal.operations.checked.has(operation.index);
    // A card shows both values itself; the note would cover the next card.
    if (on && this.rows.narrow.matches) return why;
    return [...(on ? [[t("Was"), was, true], [t("Will be"), will]] : [[t("Proposed"), will], [t("Keeping"), was]]), ...why];
  }

  end() {
    if (this.closed) return;
    this.closed = true;
    const { answer } = this.proposal;
    const { editor } = this.grid;
    // It was answered or replaced elsewhere: there is nothing to correct any more, and the keyboard stays in the grid.
    if (editor.session && this.grid.owners.get(editor.session.cell.closest("tr")) === this) editor.cancel();
    if (!document.activeElement || document.activeElement === document.body || this.bar.holdsFocus) this.grid.table.focus({ preventScroll: true });
    this.notes.end();
    this.steps.end();
    this.firstSight.end();
    this.showWritten();
    this.rows.end();
    this.bar.end();
    this.grid.selection.all.removeEventListener("change", this.checkAll);
    this.grid.table.classList.remove("is-reviewing");
    this.grid.scroller.classList.remove("as-cards", "is-applying", "show-old", "only-changes");
    this.grid.endReview(this);
    this.ended();
    if (this.proposal.over && answer?.outcome) load(() => import("./applied_toast.js")).then(({ showApplied }) => showApplied(this, answer), () => {});
  }

  /** What this page itself has applied stands in the grid at once, before it is read. */
  showWritten() {
    const { store, cursor, filters, view, selection } = this.grid;
    if (!this.proposal.done.size) return;
    const written = writtenBy(this.proposal);
    selection.uncheck(written.deleted.map(String));
    if (this.grid.isNarrowed) return;
    store.carryOut(written, { atEnd: !view.sort });
    filters.total = store.count;
    cursor.find();
  }
}

/** @param {Proposal} proposal @returns {{changed: Map<number, Record<string, any>>, deleted: number[], added: Row[]}} */
function writtenBy({ operations, done }) {
  const changed = new Map();
  const deleted = [];
  const added = [];
  for (const { index, action, row_id: id, new: cells } of operations.operations.filter((one) => done.has(one.index))) {
    if (action === "add") added.push({ id: done.get(index).row_id, version: 1, data: cells });
    else if (action === "delete") deleted.push(id);
    else changed.set(id, { ...changed.get(id), ...cells });
  }
  return { changed, deleted, added };
}

/** @returns {[string, string][]} what was written there before it was read as this value */
function castLines(operation, column) {
  const casts = operation.notes.filter((note) => note.code === "cast" && note.column === column.id);
  return casts.map((note) => [t("Written as"), String(note.value)]);
}
