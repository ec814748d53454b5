// The card of a cell that a fill has answered: confidence, note, sources, model; apply or fill this row again.

import { api } from "../../api.js";
import { drawRevealed, el, icon } from "../../element.js";
import { t } from "../../locale.js";
import { displayText } from "../values.js";
import { CellCard } from "./cell_card.js";
import { drawMarks, drawSources, modelText, noteText, stateText } from "./result_texts.js";

const MAX_REMARK = 500;

/** @param {string} words @returns {HTMLElement} */
const drawWarning = (words) => el("p", { class: "fillcard__warning" }, icon("triangle-alert", "icon--14"), el("span", {}, drawRevealed(words)));

export class FillCard extends CellCard {
  /** @param {import("./fill_cells.js").FillCells} cells */
  constructor(cells) {
    super(cells.grid, t("Result"));
    this.cells = cells;
  }

  /** @param {HTMLElement} anchor @param {import("./fill_cells.js").FillCell} cell */
  show(anchor, cell) {
    const { fill, result, column } = cell;
    const key = JSON.stringify([fill.id, fill.state, column.id, result]);
    // It is not redrawn below the pointer or while a remark is typed.
    if (this.isShown && this.key === key) return;
    this.key = key;
    this.fault = el("p", { class: "field__fault", role: "alert" });
    const stored = this.grid.store.get(String(result.row))?.data[column.id] ?? null;
    const isFound = result.state === "found";
    this.element.replaceChildren(
      el("div", { class: "fill__line" }, drawMarks(result), result.state === "empty" ? el("span", { class: "fill__mark", dataset: { confidence: "low" }, text: stateText(result) }) : null),
      ...(result.state === "failed" ? [drawWarning(stateText(result))] : []),
      ...(result.review === "conflict" ? [drawWarning(t("Cells of this row have changed since they were read."))] : []),
      ...(result.review === "invalid" ? [drawWarning([t("This value no longer fits the column."), result.fault?.detail].filter(Boolean).join(" "))] : []),
      ...(isFound ? [el("p", {}, el("span", { class: "fillcard__label", text: `${t("Was")} ` }), drawRevealed(displayText(column, stored) || t("empty")))] : []),
      ...(column.id in result.corrections || result.review === "invalid" ? [el("p", {}, el("span", { class: "fillcard__label", text: `${t("Found")} ` }), drawRevealed(displayText(column, result.values[column.id]) || t("empty")))] : []),
      ...(result.note ? [el("p", {}, drawRevealed(noteText(result.note, fill.model)))] : []),
      ...[drawSources(result.sources)].filter((list) => list !== null),
      el("p", { class: "fillcard__label", text: t("Model: {model}", { model: modelText(fill.model) }) }),
      ...this.drawActions(cell), this.fault);
    this.showBeside(anchor);
  }

  /** @param {import("./fill_cells.js").FillCell} cell @returns {HTMLElement[]} */
  drawActions({ fill, result }) {
    if (!this.grid.mayEdit) return [];
    const bar = this.cells.fills.bars.get(fill.id);
    const apply = result.state === "found" && result.review !== "invalid" && bar ? [el("button", { class: "btn btn--sm", type: "button", text: result.review === "conflict" ? t("Overwrite") : t("Apply this row"), on: { click: () => void bar.applyRow(result) } })] : [];
    if (!this.cells.fills.isMine(fill)) return apply;
    const remark = el("input", { class: "input", maxlength: MAX_REMARK, value: result.remark, "aria-label": t("What should be different?"), placeholder: t("What should be different?") });
    const form = el("form", { class: "fill__line" }, remark, el("button", { class: "btn btn--sm", type: "submit", text: t("Fill again") }), ...apply);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.fillAgain(fill, result, remark.value.trim());
    });
    return [form];
  }

  /** @param {Fill} fill @param {FillResult} result @param {string} remark */
  async fillAgain(fill, result, remark) {
    try {
      await api.post(`${this.cells.fills.address}${fill.id}/refill/`, { ids: [result.row], ...(remark ? { remark } : {}) });
      this.grid.table.focus({ preventScroll: true });
      this.hide();
      await this.cells.fills.refresh();
    } catch (error) {
      this.fault.textContent = error.message;
    }
  }
}
