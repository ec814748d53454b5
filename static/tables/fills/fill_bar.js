// The bar of a fill above the grid: progress, pause and stop, then the review: filter, steps, apply and discard.

import { api } from "../../api.js";
import { drawRevealed, el, icon, press, replaceInside, toast } from "../../element.js";
import { t, tn } from "../../locale.js";
import { ProgressRate } from "./progress_rate.js";
import { waitEnd, waitText } from "./provider_wait.js";
import { ReviewFilter } from "./review_filter.js";
import { costText, counted } from "./result_texts.js";

const STEPS = 4;
/** Shorter waits are not announced. */
const LONG_WAIT_MS = 5000;

export class FillBar {
  /** @param {import("./table_fills.js").TableFills} fills @param {Fill} fill */
  constructor(fills, fill) {
    this.fills = fills;
    this.fill = fill;
    this.counts = /** @type {Record<string, number>} */ ({});
    this.busy = "";
    this.rate = new ProgressRate();
    /** When a wait for the provider ends, ms. */
    this.waitEnd = 0;
    this.title = el("h2", { tabindex: "-1" });
    this.text = el("p");
    this.status = el("span", { class: "sr", role: "status" });
    this.actions = el("div", { class: "review__actions" });
    this.progress = el("progress", { "aria-label": t("Progress") });
    this.numbers = el("span");
    this.progressRow = el("div", { class: "review__row review__row--progress" }, this.progress, this.numbers);
    this.fault = el("p", { class: "notice is-bad notice--strip", role: "alert", hidden: true });
    this.filter = new ReviewFilter(fills, { fill: () => this.fill, changed: () => this.drawActions(), again: (ids) => void this.fillAgain(ids) });
    this.element = el("section", { class: "review fillbar" }, this.status,
      el("div", { class: "review__top" }, el("span", { class: "review__mark" }, icon("list-plus")), el("div", { class: "review__text" }, this.title, this.text), this.actions),
      this.fault, this.progressRow, this.filter.element);
  }

  focus() {
    this.title.focus({ preventScroll: true });
  }

  get address() {
    return `${this.fills.address}${this.fill.id}`;
  }

  /** @returns {boolean} whether found values are neither applied nor gone with their rows */
  get isLeft() {
    return Boolean(this.counts.open || this.counts.conflict || this.counts.invalid);
  }

  /** @param {Fill} fill @param {Record<string, number>} counts  of results to review, by kind */
  draw(fill, counts) {
    const isNews = JSON.stringify([fill, counts]) !== JSON.stringify([this.fill, this.counts]);
    if (fill !== this.fill || !this.stage) this.waitEnd = waitEnd(fill, Date.now());
    this.fill = fill;
    this.counts = counts;
    if (isNews) this.filter.forget();
    const { found, empty, failed, discarded = 0 } = fill.counts;
    const done = found + empty + failed + discarded;
    const total = done + fill.counts.waiting + fill.counts.working;
    if (fill.state === "running") this.rate.add(done, Date.now());
    this.drawTitle(fill, { done, total });
    this.drawProgress(fill, { done, total });
    this.filter.draw(counts);
    this.drawActions();
    this.announce(fill, { done, total });
  }

  /** @param {Fill} fill @param {{done: number, total: number}} progress */
  drawTitle(fill, { done, total }) {
    const columns = this.fills.columnsOf(fill).map(({ name }) => name).join(", ") || t("Deleted column");
    this.element.setAttribute("aria-label", this.fills.fills.length > 1 ? t("Fill of {columns}", { columns }) : t("Fill"));
    const values = { columns, done, total, user: fill.user };
    const words = {
      running: this.fills.isMine(fill) ? t("Filling {columns}", values) : t("{user} fills {columns}", values),
      paused: t("{columns}: paused after {done} of {total} rows", values),
      failed: t("{columns}: stopped after {done} of {total} rows", values),
      cancelled: t("{columns}: stopped after {done} of {total} rows", values),
      done: this.isLeft ? (this.fills.grid.mayEdit ? t("Review the values for {columns}", values) : t("Found values for {columns}, not applied yet", values)) : fill.counts.found ? t("{columns} is filled", values) : t("Nothing was found for {columns}", values),
    };
    this.title.replaceChildren(drawRevealed(words[fill.state] ?? columns));
    const { found, empty, failed, discarded } = fill.counts;
    const { applied = 0, conflict = 0, invalid = 0, deleted = 0 } = this.counts;
    const parts = [t("{count} found", { count: found }), empty ? t("{count} not found", { count: empty }) : "", failed ? t("{count} failed", { count: failed }) : "", discarded ? t("{count} discarded", { count: discarded }) : "", applied ? t("{count} applied", { count: applied }) : "", conflict ? tn("{count} conflict", "{count} conflicts", conflict) : "", invalid ? tn("{count} no longer fits the column", "{count} no longer fit the column", invalid) : "", deleted ? tn("{count} in a deleted row", "{count} in deleted rows", deleted) : ""];
    this.text.replaceChildren(drawRevealed([...parts, fill.reason?.detail ?? ""].filter(Boolean).join(" · ")));
    this.text.title = fill.instruction;
  }

  /** @param {Fill} fill @param {{done: number, total: number}} progress */
  drawProgress(fill, { done, total }) {
    this.progressRow.hidden = fill.state !== "running" && fill.state !== "paused";
    this.progress.max = Math.max(1, total);
    this.progress.value = done;
    const seconds = fill.state === "running" ? this.rate.secondsLeft(total - done) : null;
    const wait = waitText(this.waitEnd, Date.now());
    clearTimeout(this.waitTimer);
    if (wait) this.waitTimer = setTimeout(() => this.element.isConnected && this.drawProgress(this.fill, { done, total }), 1000);
    const left = wait || seconds === null ? "" : seconds < 90 ? tn("{count} second left", "{count} seconds left", Math.max(1, seconds)) : tn("{count} minute left", "{count} minutes left", Math.round(seconds / 60));
    const tokens = t("{used} of {budget} tokens", { used: counted(fill.usage.tokens), budget: counted(fill.budget) });
    const cost = fill.usage.cost ? t("{cost} US dollars", { cost: costText(fill.usage.cost) }) : "";
    const sent = fill.batches ? tn("{count} row sent, answered within 24 hours", "{count} rows sent, answered within 24 hours", fill.batches.rows) : "";
    this.numbers.textContent = [wait, t("{done} of {total} rows", { done, total }), sent, tokens, cost, sent ? "" : left].filter(Boolean).join(" · ");
  }

  /** Announce the state, and every quarter of the rows. @param {Fill} fill @param {{done: number, total: number}} progress */
  announce(fill, { done, total }) {
    const now = Date.now();
    const wait = this.waitEnd - now > LONG_WAIT_MS ? waitText(this.waitEnd, now) : "";
    const stage = `${fill.state} ${fill.state === "running" ? Math.floor((STEPS * done) / Math.max(1, total)) : ""} ${wait ? "waits" : ""}`;
    if (stage === this.stage) return;
    this.stage = stage;
    const words = fill.state === "running" ? t("{done} of {total} rows", { done, total }) : this.text.textContent;
    this.status.textContent = [this.title.textContent, wait, words].filter(Boolean).join(". ");
  }

  drawActions() {
    // Replacing a button during its press would lose the click.
    press.whenReleased(() => this.replaceActions());
  }

  replaceActions() {
    const { state } = this.fill;
    const isMine = this.fills.isMine(this.fill);
    const { mayEdit } = this.fills.grid;
    const button = (/** @type {string} */ label, /** @type {() => void} */ run, extra = "") => el("button", { class: `btn ${extra}`, type: "button", "aria-disabled": this.busy ? "true" : undefined, text: label, on: { click: () => this.busy || run() } });
    const act = (/** @type {string} */ name) => () => void this.during(name, () => api.post(`${this.address}/${name}/`, {}));
    const buttons = [];
    if (mayEdit && state === "running") buttons.push(button(t("Pause"), act("pause")));
    if (mayEdit && (state === "running" || state === "paused")) buttons.push(button(t("Stop"), act("cancel")));
    const isSpent = this.fill.reason?.message_code === "fill_budget_reached";
    // After an undo, its columns are there again.
    const hasColumns = this.fills.columnsOf(this.fill).length > 0;
    if (mayEdit && isMine && hasColumns && (state === "paused" || state === "failed")) buttons.push(isSpent ? button(t("Double the budget and resume"), () => void this.doubleBudget()) : button(t("Resume"), act("resume")));
    const { may_manage: mayManage, reason } = this.fill;
    if (mayManage && !isMine && reason?.message_code === "fill_right_lost") buttons.push(button(t("Take over"), act("take-over")));
    const mayDiscard = mayEdit && mayManage && this.isLeft && state !== "running" && state !== "paused";
    this.discardButton = mayDiscard ? button(t("Discard"), () => this.askDiscard()) : null;
    if (this.discardButton) buttons.push(this.discardButton);
    else if (state !== "running" && state !== "paused") buttons.push(button(t("Hide"), () => this.fills.close(this.fill.id)));
    const apply = mayEdit && hasColumns ? this.filter.applyLabel : "";
    if (apply) buttons.push(button(this.busy === "apply" ? t("Applying…") : apply, () => void this.applyShown(), "btn--primary"));
    if (!this.isAsking) {
      const hadFocus = this.actions.contains(document.activeElement);
      replaceInside(this.actions, ...buttons);
      // The pressed button may be gone.
      if (hadFocus && !this.actions.contains(document.activeElement)) this.focus();
    }
    this.element.setAttribute("aria-busy", String(this.busy !== ""));
  }

  doubleBudget() {
    return this.during("resume", async () => {
      await api.patch(`${this.address}/`, { budget: 2 * this.fill.budget });
      return api.post(`${this.address}/resume/`, {});
    });
  }

  /** Ask before the results are deleted, as they cannot be restored. */
  askDiscard() {
    this.isAsking = true;
    const end = () => {
      this.isAsking = false;
      this.drawActions();
    };
    const keep = el("button", { class: "btn", type: "button", "aria-describedby": `discard-${this.fill.id}`, text: t("Keep"), on: { click: () => {
      end();
      press.whenReleased(() => this.discardButton?.focus());
    } } });
    const discard = el("button", { class: "btn btn--danger", type: "button", text: t("Discard"), on: { click: () => {
      end();
      void this.during("discard", async () => {
        await api.delete(`${this.address}/`);
        // A standing fill remains.
        this.fills.close(this.fill.id);
        toast(t("The results were discarded."));
      });
    } } });
    this.actions.replaceChildren(el("span", { id: `discard-${this.fill.id}`, text: t("Discard the results? They cannot be restored.") }), keep, discard);
    keep.focus();
  }

  /** @param {string} what @param {() => Promise<any>} work @returns {Promise<any>} undefined after a message */
  async during(what, work) {
    if (this.busy) return;
    this.busy = what;
    this.showFault("");
    this.drawActions();
    try {
      const answer = await work();
      return answer ?? true;
    } catch (error) {
      this.showFault([error.message, ...(error.errors ?? []).slice(0, 2).map(({ detail }) => detail)].filter((words, at, all) => all.indexOf(words) === at).join(" "));
    } finally {
      this.busy = "";
      this.drawActions();
      void this.fills.recount(this.fill.id);
    }
  }

  async applyShown() {
    const body = await this.filter.body();
    if (body) await this.apply(body);
  }

  /** @param {FillResult} result */
  applyRow({ row, review }) {
    return this.apply({ rows: [row], on_conflict: review === "conflict" ? "overwrite" : "skip" });
  }

  /** @param {{rows: "all" | number[], confidence?: string, on_conflict: "skip" | "overwrite"}} body */
  async apply(body) {
    const { grid, cells } = this.fills;
    await cells.saving;
    const answer = await this.during("apply", () => api.post(`${this.address}/apply/`, body));
    if (!answer?.change) return;
    grid.writer.undoRedo.record("made", answer.change);
    document.dispatchEvent(new CustomEvent("table-changed", { detail: { table_id: Number(grid.tableId), change_id: answer.change, version: answer.version } }));
    const count = answer.applied.length;
    toast(tn("Filled {count} row", "Filled {count} rows", count), { action: grid.writer.undoRedo.undoAction(answer.change) });
  }

  /** @param {number[]} ids */
  fillAgain(ids) {
    return this.during("refill", () => api.post(`${this.address}/refill/`, { ids }));
  }

  /** @param {string} words  "" for none */
  showFault(words) {
    this.fault.hidden = !words;
    this.fault.replaceChildren(icon("circle-alert"), el("span", { text: words }));
  }

  end() {
    if (this.element.contains(document.activeElement)) this.fills.grid.table.focus({ preventScroll: true });
    this.element.remove();
  }
}
