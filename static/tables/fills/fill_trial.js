// The trial of a fill: a few rows with what was found for them.

import { api } from "../../api.js";
import { drawRevealed, el, icon } from "../../element.js";
import { t } from "../../locale.js";
import { rowLabel } from "../values.js";
import { waitEnd, waitText } from "./provider_wait.js";
import { CONFIDENCE, drawMarks, drawSources, noteText, stateText, valuesText } from "./result_texts.js";

const POLL_MS = 700;
const UNFINISHED = new Set(["waiting", "working"]);

/** @param {number} ms */
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class FillTrial {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.isUsed = false;
    this.isOver = false;
    this.list = el("ul", { class: "fill__trial", "aria-label": t("Tried rows") });
    this.note = el("p", { class: "field__hint", role: "status" });
    /** The results, once all rows are answered: the list is drawn again meanwhile. */
    this.spoken = el("p", { class: "sr", role: "status" });
    /** Counts seconds, so that it is not announced. */
    this.wait = el("p", { class: "field__hint", hidden: true });
    this.element = el("div", { class: "field", hidden: true }, this.list, this.wait, this.note, this.spoken);
    /** Rows that are not loaded in the grid. @type {Map<number, any>} */
    this.rows = new Map();
  }

  /** @param {boolean} isOutdated  whether the instruction has changed since */
  setOutdated(isOutdated) {
    this.element.classList.toggle("is-off", isOutdated);
    if (this.isUsed) this.note.textContent = isOutdated ? t("These results are for the earlier instruction. Try again.") : "";
  }

  /** @param {Fill} fill @returns {Promise<void>} resolves when all rows are answered, or it is closed */
  async show(fill) {
    this.isUsed = true;
    this.element.hidden = false;
    this.setOutdated(false);
    this.spoken.textContent = "";
    for (; !this.isOver; await delay(POLL_MS)) {
      const { results } = await api.get(`/api/tables/${this.grid.tableId}/fills/${fill.id}/results/?keys=id&limit=10`);
      await this.readRows(results.map(({ row }) => row));
      const wasDrawn = this.list.childElementCount > 0;
      this.draw(fill, results);
      if (!wasDrawn) this.element.scrollIntoView({ block: "nearest" });
      const isDone = !results.some((result) => UNFINISHED.has(result.state));
      /** @type {Fill} */
      const state = await api.get(`/api/tables/${this.grid.tableId}/fills/${fill.id}/`);
      const now = Date.now();
      // A draft has a reason if its try was stopped, for example by the budget of the day.
      if (state.reason) this.note.textContent = state.reason.detail;
      this.wait.textContent = isDone ? "" : waitText(waitEnd(state, now), now);
      this.wait.hidden = !this.wait.textContent;
      if (!isDone) continue;
      this.spoken.textContent = this.describe(fill, results).map(({ name, value, confidence }) => `${name}: ${[value, confidence].filter(Boolean).join(", ")}`).join(" · ");
      return;
    }
  }

  /** @param {number[]} ids */
  async readRows(ids) {
    const missing = ids.filter((id) => !this.grid.store.get(String(id)) && !this.rows.has(id));
    if (missing.length) for (const row of await this.grid.reading.readRows(missing)) this.rows.set(row.id, row);
  }

  /** @param {Fill} fill @param {FillResult[]} results @returns {{result: FillResult, name: string, value: string, confidence: string}[]} */
  describe(fill, results) {
    const columns = this.grid.allColumns.filter((column) => fill.columns.includes(column.id));
    return results.map((result) => {
      const row = this.grid.store.get(String(result.row)) ?? this.rows.get(result.row);
      const isFound = result.state === "found";
      return {
        result,
        name: rowLabel(this.grid.allColumns, row?.data ?? {}, t("row {number}", { number: result.row })),
        value: isFound ? valuesText(columns, result.values) : stateText(result),
        confidence: isFound ? CONFIDENCE[result.confidence] ?? "" : "",
      };
    });
  }

  /** @param {Fill} fill @param {FillResult[]} results */
  draw(fill, results) {
    const items = this.describe(fill, results).map(({ result, name, value }) => {
      const isWorking = UNFINISHED.has(result.state);
      return el("li", { dataset: { state: result.state } },
        el("b", {}, drawRevealed(name)),
        el("span", { class: "fill__value" }, isWorking ? icon("loader-circle", "spin icon--12") : null, drawRevealed(value)),
        drawMarks(result),
        result.note ? el("small", {}, drawRevealed(noteText(result.note, fill.model))) : null,
        drawSources(result.sources));
    });
    this.list.replaceChildren(...items);
  }

  end() {
    this.isOver = true;
  }
}
