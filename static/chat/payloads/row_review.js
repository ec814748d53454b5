// A data proposal under review in the grid: the bar, the rows, corrections of proposed values.

import { el, icon, load, onFirstInput, press, replaceInside } from "../../element.js";
import { t, tn } from "../../locale.js";
import { ChangeSteps, ReviewBar, nextSwitch, reasoningText } from "./review_bar.js";
import { ProposedRows } from "./proposed_rows.js";

const KINDS = [
  { action: "add", tone: "is-add", symbol: "plus", words: (/** @type {number} */ count) => t("{count} to add", { count }) },
  { action: "update", tone: "is-chg", symbol: "pencil", words: (/** @type {number} */ count) => t("{count} to change", { count }) },
  { action: "delete", tone: "is-del", symbol: "minus", words: (/** @type {number} */ count) => t("{count} to delete", { count }) },
];

export class RowReview {
  /** @param {{grid: any, slot: HTMLElement, proposal: Proposal, ended: () => void, showAdded: (ids: number[]) => void}} how */
  constructor({ grid, slot, proposal, ended, showAdded }) {
    // Only one proposal is reviewed at a time.
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
      grid, proposal: this.proposal, owner: this, checked: (index, on) => this.setChecked(index, on), onFetched: () => this.closed || this.drawRows(),
      onRearranged: () => this.steps.scrollToCurrent(),
    });
    this.steps = new ChangeSteps(grid, this.rows);
    this.firstChangeScroll = new FirstChangeScroll(grid, this.proposal.id);
    /** @type {import("./previous_values.js").PreviousValues | undefined} */
    this.notes = undefined;
    onFirstInput(async () => {
      const { PreviousValues } = await load(() => import("./previous_values.js"));
      if (!this.closed) this.notes = new PreviousValues(grid.table, this);
    });
    this.buildRow();
    grid.table.classList.add("is-reviewing");
    grid.scroller.classList.add("as-cards");
    this.checkAll = (event) => this.setAllChecked(event.target.checked);
    grid.selection.all.addEventListener("change", this.checkAll);
    grid.beginReview(this);
    this.changed();
  }

  buildRow() {
    this.chips = el("span", { class: "actions" });
    this.oldValuesSwitch = this.toggle(t("Old values"), "show-old", this.grid.scroller);
    const toggles = [this.oldValuesSwitch, this.toggle(t("Only changes"), "only-changes", this.grid.scroller)];
    this.bar.body.replaceChildren(
      el("div", { class: "review__row" }, this.chips, el("span", { class: "spacer" }), this.steps.element, el("span", { class: "vr only-wide" }), ...toggles),
    );
  }

  /** @param {string} words @param {string} name @param {HTMLElement} target */
  toggle(words, name, target) {
    const onToggle = (event) => {
      target.classList.toggle(name, event.target.checked);
      if (name === "only-changes") {
        this.rows.onlyChanges = event.target.checked;
        this.rowsDrawn();
      }
    };
    const input = el("input", { class: "switch", type: "checkbox", on: { change: onToggle } });
    return el("label", { class: "option-toggle only-wide" }, input, words);
  }

  /** Called when the grid has drawn its rows. */
  rowsDrawn() {
    if (this.proposal.preview) this.drawRows();
  }

  /** Deferred while a cell is edited or a button is pressed. */
  drawRows() {
    const { editor } = this.grid;
    if (editor.isOpen) this.firstChangeScroll.skip();
    press.whenReleased(() => editor.whenClosed("review", () => this.closed || this.drawNow()));
  }

  drawNow() {
    if (!this.hasDrawn) this.showOldValuesOfFirstColumn();
    this.hasDrawn = true;
    this.rows.draw();
    // Rows that are being read may change their positions; they are drawn again then.
    if (!this.grid.reading.reading) this.firstChangeScroll.run(() => this.steps.scrollToFirst());
  }

  /** Show old values if the first column changes, since they identify the row. The user can hide them. */
  showOldValuesOfFirstColumn() {
    const [first] = this.grid.allColumns;
    const { operations } = this.proposal.operations;
    if (!first || !operations.some(({ action, new: cells }) => action === "update" && first.id in cells)) return;
    const input = this.oldValuesSwitch.querySelector("input");
    if (!input.checked) input.click();
  }

  /** Called when the grid has scrolled to other rows. */
  windowDrawn() {
    if (this.proposal.preview && !this.closed) this.rows.decorateWindow();
  }

  /** @param {number} count @returns {number} number of rows after the apply */
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
    const words = { reading: t("Loading changes"), applying: tn("Applying {count} change", "Applying {count} changes", selected) }[busy];
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
    this.proposal.announceReview(tn("{count} proposed change", "{count} proposed changes", total));
  }

  drawChips() {
    // Replacing a chip during its press would lose the click.
    press.whenReleased(() => replaceInside(this.chips, ...this.createChips()));
  }

  createChips() {
    const { operations } = this.proposal;
    const { counts } = operations;
    const chips = KINDS.filter(({ action }) => counts[action]).map(({ action, tone, symbol, words }) => {
      const toggle = () => {
        operations.toggleKind(action);
        this.updateMarks();
      };
      const pressed = String(operations.isKindChecked(action));
      const title = t("Check or uncheck all");
      return el("button", { class: `opchip ${tone}`, type: "button", "aria-pressed": pressed, title, on: { click: toggle } }, icon(symbol, "icon--12"), words(counts[action]));
    });
    const problems = { conflict: tn("{count} conflict", "{count} conflicts", counts.conflict), error: tn("{count} error", "{count} errors", counts.error) };
    for (const [state, words] of Object.entries(problems)) {
      if (!counts[state]) continue;
      const go = () => this.steps.goTo(operations.operations.find((operation) => operation.state === state));
      chips.push(el("button", { class: "opchip is-warn", type: "button", on: { click: go } }, icon("triangle-alert", "icon--12"), words));
    }
    return chips;
  }

  /** @param {number} index @param {boolean} on */
  setChecked(index, on) {
    this.proposal.operations.set(index, on);
    this.updateMarks();
  }

  /** @param {boolean} on */
  setAllChecked(on) {
    this.proposal.operations.setAll(on);
    this.updateMarks();
  }

  updateMarks() {
    const { operations } = this.proposal;
    this.proposal.saveDecisions();
    for (const { index } of operations.operations) this.rows.mark(index, operations.checked.has(index));
    this.drawBar();
  }

  /** @param {HTMLTableRowElement} tr */
  operationOf(tr) {
    return this.proposal.operations.byIndex.get(Number(tr.dataset.index));
  }

  // CellOwner: the proposed values of the rows, which can be corrected.

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
    if (operation && this.rows.canCheck(operation)) this.setChecked(operation.index, !this.proposal.operations.checked.has(operation.index));
  }

  end() {
    if (this.closed) return;
    this.closed = true;
    const { answer } = this.proposal;
    const { editor } = this.grid;
    // Answered or replaced elsewhere: cancel the edit and keep the focus in the grid.
    if (editor.session && this.grid.owners.get(editor.session.cell.closest("tr")) === this) editor.cancel();
    if (!document.activeElement || document.activeElement === document.body || this.bar.hasFocus) this.grid.table.focus({ preventScroll: true });
    this.notes?.end();
    this.steps.end();
    this.firstChangeScroll.end();
    this.showApplied();
    this.rows.end();
    this.bar.end();
    this.grid.selection.all.removeEventListener("change", this.checkAll);
    this.grid.table.classList.remove("is-reviewing");
    this.grid.scroller.classList.remove("as-cards", "is-applying", "show-old", "only-changes");
    this.grid.endReview(this);
    this.ended();
    if (this.proposal.over && answer?.outcome) load(() => import("./applied_toast.js")).then(({ showAppliedToast }) => showAppliedToast(this, answer), () => {});
  }

  /** Show applied changes in the grid immediately, before they are read. */
  showApplied() {
    const { store, cursor, filters, view, selection } = this.grid;
    if (!this.proposal.done.size) return;
    const applied = appliedChanges(this.proposal);
    selection.uncheck(applied.deleted.map(String));
    if (this.grid.isNarrowed) return;
    store.applyChanges(applied, { atEnd: !view.sort });
    filters.total = store.count;
    cursor.find();
  }
}

/** @param {Proposal} proposal @returns {{changed: Map<number, Record<string, any>>, deleted: number[], added: Row[]}} */
function appliedChanges({ operations, done }) {
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

/** Proposals that have been scrolled to since the page was loaded, by their id. @type {Set<any>} */
const seen = new Set();

/** Whether the last key or button was pressed in the grid; null until one is pressed. @type {boolean | null} */
let usedGridLast = null;

for (const name of ["keydown", "pointerdown"]) {
  const note = (/** @type {Event} */ { target }) => (usedGridLast = target instanceof Element && target.closest(".grid-scroll") !== null);
  document.addEventListener(name, note, { capture: true, passive: true });
}

/** Scrolls the grid to the first change of a proposal, once, unless the user is working in the grid or has scrolled it. */
class FirstChangeScroll {
  /** @param {TableGrid} grid @param {any} id  of the proposal */
  constructor(grid, id) {
    this.grid = grid;
    this.id = id;
    this.listening = new AbortController();
    for (const name of ["wheel", "touchmove", "pointerdown"]) {
      grid.scroller.addEventListener(name, () => this.skip(), { passive: true, signal: this.listening.signal });
    }
  }

  /** An ended review also focuses the grid, which does not mean that the user works in it. */
  get isWorkedIn() {
    return this.grid.scroller.contains(document.activeElement) && usedGridLast !== false;
  }

  /** The user has moved elsewhere: do not scroll to this proposal any more. */
  skip() {
    seen.add(this.id);
    this.end();
  }

  /** @param {() => void} scroll  called at most once per proposal */
  run(scroll) {
    if (seen.has(this.id)) return;
    const isFree = !this.isWorkedIn;
    this.skip();
    if (isFree) scroll();
  }

  end() {
    this.listening.abort();
  }
}
