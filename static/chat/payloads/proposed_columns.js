// Column changes of an open table under review: a line with a checkbox each, and colors in the header of the grid.

import { drawRevealed, el, icon, press, replaceInside, toast } from "../../element.js";
import { t, tn } from "../../locale.js";
import { canCheck } from "./proposal.js";
import { columnName, drawColumnLine, confirmationText } from "./column_lines.js";
import { ReviewBar, nextSwitch, reasoningText } from "./review_bar.js";

const TONES = { add: "add", modify: "update", reorder: "update", remove: "delete" };

export class ProposedColumns {
  /** @param {{slot: HTMLElement, grid: TableGrid | null, proposal: Proposal, ended: () => void}} how */
  constructor({ slot, grid, proposal, ended }) {
    // Only one proposal is reviewed at a time.
    grid?.review?.end();
    this.grid = grid;
    this.ended = ended;
    this.proposal = proposal;
    this.bar = new ReviewBar({
      slot, symbol: "columns-3", label: t("Proposed column changes"), next: nextSwitch(proposal),
      apply: () => this.apply(), dismiss: () => proposal.dismiss(),
    });
    this.lines = el("div", { class: "ops", role: "group", "aria-label": t("Column changes") });
    this.names = el("div", { class: "ops" });
    this.bar.body.replaceChildren(this.names, this.lines);
    this.saved = grid ? [...grid.allColumns] : [];
    grid?.beginReview(this);
  }

  apply() {
    if (!this.unconfirmed.length) return this.proposal.apply();
    this.note?.remove();
    this.note = toast(t("Confirm what happens to these cells, or uncheck the change."), { kind: "error" });
    // Scroll the question to the center, where the toast does not cover it.
    this.lines.querySelector(".op__confirm")?.scrollIntoView({ block: "center" });
  }

  /** Checked operations that need a confirmation. */
  get unconfirmed() {
    const { operations } = this.proposal.operations;
    return operations.filter((operation) => this.proposal.operations.checked.has(operation.index) && confirmationText(operation) && !this.isConfirmed);
  }

  get isConfirmed() {
    return this.proposal.applyOptions.on_unconvertible === "clear";
  }

  draw() {
    const { proposal } = this;
    if (this.closed) return;
    const { operations, busy, fault, preview, payload } = proposal;
    const { selected, total } = operations;
    if (preview && this.drawn !== preview) this.preserveQuestions(preview);
    if (preview) this.drawLines();
    const words = { reading: t("Loading changes"), applying: tn("Applying {count} column change", "Applying {count} column changes", selected) }[busy];
    this.bar.draw({
      title: (!preview || busy === "applying" ? words : "") || (preview ? tn("{selected} of {count} column change selected", "{selected} of {count} column changes selected", total, { selected }) : t("Proposed changes")),
      reasoning: reasoningText(payload),
      apply: preview ? tn("Apply {count} change", "Apply {count} changes", selected) : t("Apply"),
      ready: selected > 0 || Boolean(preview && total === 0),
      busy, fault,
    });
    if (preview && this.drawn !== preview) {
      this.drawn = preview;
      this.showInGrid();
    }
    this.markGrid();
    proposal.announceReview(tn("{count} column change", "{count} column changes", total));
  }

  /** A new preview has no questions that were already confirmed; they stay visible. */
  preserveQuestions(preview) {
    const questions = new Map((this.drawn?.operations ?? []).map((operation) => [operation.index, confirmationText(operation)]));
    for (const operation of preview.operations) operation.wanted = this.isConfirmed ? questions.get(operation.index) ?? "" : "";
  }

  drawLines() {
    const { operations, preview, payload } = this.proposal;
    const lines = operations.operations.map((operation) =>
      drawColumnLine(operation, {
        checked: operations.checked.has(operation.index),
        canCheck: canCheck(operation),
        columns: preview.columns,
        toggle: (on) => {
          operations.set(operation.index, on);
          this.proposal.saveDecisions();
          this.draw();
        },
        confirmed: this.isConfirmed,
        setConfirmed: (on) => this.setConfirmed(on),
      }),
    );
    replaceInside(this.lines, ...lines);
    this.names.replaceChildren(...drawNames(payload.data));
    this.names.hidden = !this.names.childNodes.length;
  }

  /** @param {boolean} on */
  setConfirmed(on) {
    this.proposal.applyOptions.on_unconvertible = on ? "clear" : undefined;
    this.proposal.applyOptions.on_removed_option = on ? "clear" : undefined;
    this.proposal.applyOptions.on_empty_cells = on ? "keep" : undefined;
    this.proposal.refresh();
  }

  /** Called by the grid: its columns, with proposed ones in their positions. */
  arrange(columns) {
    this.saved = columns;
    const added = this.proposal.operations.operations.filter((operation) => operation.action === "add" && operation.column_id);
    const arranged = [...columns];
    const order = (this.proposal.preview?.columns ?? []).map((column) => column.id);
    for (const operation of added) {
      const index = order.indexOf(operation.column_id);
      const before = order.slice(0, index).reverse().find((id) => arranged.some((column) => column.id === id));
      const at = before ? arranged.findIndex((column) => column.id === before) + 1 : 0;
      arranged.splice(at, 0, { ...(operation.column ?? operation.new), proposed: true });
    }
    return arranged;
  }

  /** Deferred while the user edits a cell or presses a button. */
  showInGrid() {
    const { grid } = this;
    const draw = () => {
      if (this.closed) return;
      grid.show(this.arrange(this.saved));
      grid.redraw({ read: false });
    };
    if (grid) press.whenReleased(() => grid.editor.whenClosed("review", draw));
  }

  /** Called when the grid has drawn its rows. */
  rowsDrawn() {
    this.markGrid();
  }

  /** Called when the grid has scrolled to other rows. */
  windowDrawn() {
    this.markGrid();
  }

  markGrid() {
    if (!this.grid) return;
    for (const operation of this.proposal.operations.operations) {
      const on = this.proposal.operations.checked.has(operation.index);
      for (const cell of this.grid.table.querySelectorAll(`[data-col="${operation.column_id}"]:is(th, td)`)) {
        cell.dataset.op = TONES[operation.action];
        cell.classList.toggle("is-off", !on);
        if (cell.tagName === "TH") this.markHead(cell, operation);
      }
    }
  }

  /** @param {HTMLElement} head @param {Operation} operation */
  markHead(head, operation) {
    const name = head.querySelector(".col > span:not(.col__sort)");
    const old = head.querySelector(".icon");
    if (operation.action === "reorder") old?.replaceWith(icon("move-horizontal", "icon--14"));
    if (operation.action === "remove") old?.replaceWith(icon("minus", "icon--14"));
    if (operation.action === "modify" && operation.new?.name && name) {
      const on = this.proposal.operations.checked.has(operation.index);
      const now = on ? operation.new.name : columnName(operation);
      name.replaceChildren(drawRevealed(now));
      head.setAttribute("aria-label", now);
    }
  }

  end() {
    if (this.closed) return;
    this.closed = true;
    if (this.bar.hasFocus || !document.activeElement || document.activeElement === document.body) this.grid?.table.focus({ preventScroll: true });
    this.bar.end();
    this.ended();
    if (!this.grid) return;
    this.grid.allColumns = this.proposal.done.size ? columnsAfter(this.arrange(this.saved), this.proposal) : this.saved;
    this.grid.endReview(this);
    if (this.proposal.over && this.proposal.answer) this.showToast(this.proposal.answer);
  }

  /** @param {any} answer */
  showToast({ status, outcome }) {
    if (status !== "applied" && status !== "partially_applied") return;
    const { total } = this.proposal.operations;
    const text = tn("Applied {done} of {count} column change", "Applied {done} of {count} column changes", total, { done: outcome?.applied?.length ?? 0 });
    toast(text, outcome?.change ? { action: this.grid.writer.undoRedo.undoAction(outcome.change) } : {});
  }
}

/**
 * @param {Column[]} arranged  with all proposed columns @param {Proposal} proposal
 * @returns {Column[]} after the apply; a changed type takes effect when its values are read
 */
function columnsAfter(arranged, { operations, done, preview }) {
  const written = operations.operations.filter((one) => done.has(one.index));
  const remaining = arranged.flatMap(({ proposed, ...column }) => {
    const columnOperations = written.filter((one) => one.column_id === column.id);
    if (columnOperations.some(({ action }) => action === "remove") || (proposed && !columnOperations.length)) return [];
    const changes = columnOperations.filter(({ action }) => action === "modify").map((one) => one.new);
    return [Object.assign(column, ...changes.map((change) => (change.type ? { name: change.name ?? column.name } : change)))];
  });
  if (done.size < operations.total) return remaining;
  const order = preview.columns.map((/** @type {Column} */ column) => column.id);
  return remaining.sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id));
}

/** @param {any} data  written by the assistant @returns {Node[]} a line each for a new name and description of the table */
function drawNames(data) {
  const lines = [];
  for (const [key, words] of [["table_name", t("Rename the table")], ["table_description", t("Describe the table")]]) {
    if (!data?.[key]) continue;
    const text = el("span", { class: "op__text" }, drawRevealed(data[key]));
    lines.push(el("div", { class: "op", dataset: { op: "update" } }, el("span"), el("span", { class: "op__icon" }, icon("pencil", "icon--12")), el("b", { text: words }), text));
  }
  return lines;
}
