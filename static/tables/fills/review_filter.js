// Which results of a fill are reviewed: a choice by kind, steps through their rows, and what is applied.

import { api } from "../../api.js";
import { el, icon, lazy, load, toast } from "../../element.js";
import { t, tn } from "../../locale.js";

const KINDS = /** @type {const} */ (["open", "high", "medium", "low", "unverified", "conflict", "invalid", "failed", "empty"]);
const LABELS = {
  open: t("To review"), high: t("High confidence"), medium: t("Medium confidence"), low: t("Low confidence"), unverified: t("Unverified"),
  conflict: t("Conflicts"), invalid: t("No longer fits the column"), failed: t("Failed"), empty: t("Not found"), selected: t("Selected rows"),
};
/** Of those that can only be viewed. */
const VIEWED = { ...LABELS, open: t("Found") };
const UNUSABLE = new Set(["invalid", "failed", "empty"]);
const MESSAGES = {
  proposed: t("Apply or dismiss the proposal to see the row."),
  missing: t("That row no longer exists."),
  beyond: t("That row is too far down to be shown. Use a filter or another sort."),
  unfound: (/** @type {string} */ reason) => t("The row could not be found. {reason}", { reason }),
  keepsView: true,
  widened: t("Search, filters and sort were cleared to show the row."),
};

export class ReviewFilter {
  /**
   * @param {import("./table_fills.js").TableFills} fills
   * @param {{fill: () => Fill, changed: () => void, again: (ids: number[]) => void}} how  again: fills rows again
   */
  constructor(fills, { fill, changed, again }) {
    this.fills = fills;
    this.grid = fills.grid;
    this.fill = fill;
    this.counts = /** @type {Record<string, number>} */ ({});
    /** Ids of the rows of a kind, until the fill moves on. @type {Map<string, Promise<number[]>>} */
    this.known = new Map();
    this.current = /** @type {number | null} */ (null);
    /** The place of the current row among those of the kind, from 1; 0 for none. */
    this.at = 0;
    /** The kind that the user has chosen, "" for the first one. */
    this.chosen = "";
    const choose = () => {
      this.chosen = this.kind;
      this.leaveRow();
      this.drawAgain();
      changed();
    };
    this.select = el("select", { class: "input", "aria-label": t("Results"), on: { change: choose } });
    this.place = el("span");
    const step = (/** @type {string} */ label, /** @type {string} */ symbol, /** @type {number} */ by) => el("button", { type: "button", "aria-label": label, title: label, on: { click: () => void this.step(by) } }, icon(symbol, "icon--14"));
    this.steps = el("span", { class: "stepper", role: "group", "aria-label": t("Go to result") }, step(t("Previous result"), "chevron-up", -1), this.place, step(t("Next result"), "chevron-down", 1));
    this.again = el("button", { class: "btn btn--sm", type: "button", text: t("Fill these again"), on: { click: async () => again(await this.rows()) } });
    this.element = el("div", { class: "review__row" }, el("span", { class: "select" }, this.select, icon("chevron-down", "icon--14")), this.steps, el("span", { class: "spacer" }), this.again);
  }

  /** @param {Record<string, number>} counts  of results by kind */
  draw(counts) {
    this.counts = counts;
    const { mayEdit } = this.grid;
    const labels = mayEdit ? LABELS : VIEWED;
    const selected = mayEdit && this.grid.selection.contextIds.length ? ["selected"] : [];
    const kinds = [...KINDS.filter((kind) => counts[kind]), ...(counts.open ? selected : [])];
    const texts = kinds.map((kind) => (kind === "selected" ? labels.selected : t("{kind} ({count})", { kind: labels[kind], count: counts[kind] })));
    if (JSON.stringify(texts) !== this.texts) {
      this.texts = JSON.stringify(texts);
      const { kind } = this;
      this.select.replaceChildren(...kinds.map((kind, index) => el("option", { value: kind, text: texts[index] })));
      if (!kinds.includes(this.chosen)) this.chosen = "";
      this.select.value = this.chosen || (kinds[0] ?? "");
      if (kind !== this.kind) this.leaveRow();
      this.drawPlace();
    }
    this.element.hidden = kinds.length === 0;
    this.drawAgain();
  }

  leaveRow() {
    this.current = null;
    this.at = 0;
    this.drawPlace();
  }

  /** Rows of the kind may have been added or applied. */
  drawPlace() {
    const total = this.counts[this.kind] ?? 0;
    this.place.textContent = this.at && this.at <= total ? t("{place} of {total}", { place: this.at, total }) : "";
  }

  drawAgain() {
    this.again.hidden = !UNUSABLE.has(this.kind) || !this.grid.mayEdit || !this.fills.isMine(this.fill());
  }

  /** @returns {string} the chosen kind, "" if there are no results */
  get kind() {
    return this.select.value;
  }

  /** @returns {string} label of the button that applies, "" if there is nothing to apply */
  get applyLabel() {
    const { kind } = this;
    const count = this.counts[kind] ?? 0;
    if (kind === "selected") return t("Apply selected");
    if (!count || UNUSABLE.has(kind)) return "";
    // More are found while they are counted.
    if (kind === "open" && this.fill().state === "running") return t("Apply what is found");
    return kind === "conflict" ? tn("Overwrite {count} row", "Overwrite {count} rows", count) : tn("Apply {count} row", "Apply {count} rows", count);
  }

  /** The fill has moved on: the rows of each kind may be others. */
  forget() {
    this.known.clear();
  }

  /** @param {string} [kind] @returns {Promise<number[]>} ids of the rows of a kind */
  async rows(kind = this.kind) {
    if (kind === "selected") {
      const open = new Set(await this.rows("open"));
      return this.grid.selection.contextIds.filter((id) => open.has(id));
    }
    const url = `${this.fills.address}${this.fill().id}/review/?rows=${kind}`;
    const reading = this.known.get(kind) ?? api.get(url).then(({ rows }) => rows, () => []);
    this.known.set(kind, reading);
    return reading;
  }

  /** @returns {Promise<any>} what to apply; null after a message */
  async body() {
    const { kind } = this;
    if (kind === "open") return { rows: "all", on_conflict: "skip" };
    const rows = await this.rows();
    if (!rows.length) toast(t("There are no results for these rows."));
    return rows.length ? { rows, on_conflict: kind === "conflict" ? "overwrite" : "skip" } : null;
  }

  /** Move the cursor to the previous or next row of the kind. @param {number} by */
  async step(by) {
    const rows = await this.rows();
    if (!rows.length) return;
    const at = this.current === null ? -1 : rows.indexOf(this.current);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : (at + by + rows.length) % rows.length;
    this.current = rows[next];
    this.at = next + 1;
    this.place.textContent = t("{place} of {total}", { place: this.at, total: rows.length });
    const { showRows } = await lazy(t("The row could not be shown."), () => load(() => import("../added_rows.js")));
    const [column] = this.fills.columnsOf(this.fill());
    const col = this.grid.columns.findIndex(({ id }) => id === column?.id);
    if (col >= 0) this.grid.cursor.col = col;
    await showRows(this.grid, [rows[next]], MESSAGES);
  }
}
