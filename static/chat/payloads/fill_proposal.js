// The card of a proposed fill: its instruction, rows and estimate, and the results of three rows that are tried first. Loaded with
// the first such card.

import { api } from "../../api.js";
import { drawRevealed, el, icon, replaceInside } from "../../element.js";
import { t, tn } from "../../locale.js";
import { drawMarks, drawSources, estimateText, stateText } from "../../tables/fills/result_texts.js";
import { button } from "../tray_parts.js";

/** @typedef {{row: number, state: string, values: Record<string, any>, confidence: string, note: string, sources: {url: string, title: string, quote: string}[], unverified: boolean, error: {detail: string} | null}} FillResult */

const ROWS = 3;
const POLL_MS = 1000;
const UNFINISHED = new Set(["waiting", "working"]);

/** By payload id: the cards are drawn again after each edit. @type {Map<string, FillCard>} */
const cards = new Map();

/** @param {HTMLElement} place @param {import("../proposal_items.js").ProposalItems} proposal */
export function drawFill(place, proposal) {
  const card = cards.get(proposal.payload.id) ?? new FillCard(proposal.payload);
  cards.set(proposal.payload.id, card);
  card.update(proposal);
  place.replaceChildren(card.node);
}

class FillCard {
  /** The draft of which rows are tried. */
  #draft = "";
  /** The instruction of the draft. */
  #tried = "";
  #isTrying = false;
  /** @type {FillResult[]} */
  #results = [];
  #fault = "";
  /** The first value of each tried row, by id. @type {Map<number, string>} */
  #names = new Map();

  /** @param {any} payload */
  constructor(payload) {
    this.payload = payload;
    this.text = el("textarea", { class: "input", rows: "2", "aria-label": t("Instruction"), on: { change: () => this.#edit() } });
    this.facts = el("p", { class: "pcard__text" });
    this.results = el("div", { "aria-live": "polite" });
    this.tryButton = button(t("Try {count} rows", { count: ROWS }), { onclick: () => void this.#try(), class: "btn btn--sm" });
    this.node = el("div", { class: "slot pfill" }, this.text, this.facts, this.results, el("div", { class: "actions" }, this.tryButton));
  }

  /** @param {import("../proposal_items.js").ProposalItems} proposal */
  update({ items, edit, nameApply }) {
    const [{ data }] = items;
    Object.assign(this, { data, edit });
    nameApply(tn("Fill {count} row", "Fill {count} rows", data.estimate.rows));
    if (document.activeElement !== this.text) this.text.value = data.instruction;
    this.facts.replaceChildren(drawRevealed(facts(data)));
    this.#draw();
  }

  /** Another instruction: the estimate is read again, and earlier results are of the old one. */
  #edit() {
    const instruction = this.text.value.trim();
    if (!instruction || instruction === this.data.instruction) return;
    this.#results = [];
    this.edit(0, { instruction });
  }

  async #try() {
    if (this.#isTrying) return;
    this.#isTrying = true;
    this.#fault = "";
    this.#draw();
    try {
      const url = await this.#prepare();
      await api.post(`${url}try/`, { rows: ROWS });
      do {
        await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
        this.#results = (await api.get(`${url}results/`)).results;
        await this.#readNames();
        this.#draw();
      } while (this.node.isConnected && this.#results.some(({ state }) => UNFINISHED.has(state)));
      if (!this.#results.length) this.#fault = (await api.get(url)).reason?.detail ?? t("No row was answered. Try again.");
      // The fill then starts with what was found.
      else this.edit(0, { instruction: this.#tried, fill: this.#draft });
    } catch (error) {
      this.#fault = error.message;
    }
    this.#isTrying = false;
    this.#draw();
  }

  async #readNames() {
    const missing = this.#results.map(({ row }) => row).filter((row) => !this.#names.has(row));
    if (!missing.length) return;
    const { rows } = await api.get(`/api/tables/${this.data.table}/rows/?ids=${missing.join(",")}`);
    for (const { id, data } of rows) this.#names.set(id, String(Object.values(data)[0] ?? ""));
  }

  /** @returns {Promise<string>} the address of the draft, which has the current instruction */
  async #prepare() {
    const { reasoning: _, ...body } = this.payload.data;
    const instruction = this.text.value.trim() || this.data.instruction;
    const fills = `/api/tables/${this.data.table}/fills/`;
    if (!this.#draft) this.#draft = (await api.post(fills, { ...body, instruction })).id;
    else if (instruction !== this.#tried) await api.patch(`${fills}${this.#draft}/`, { instruction });
    this.#tried = instruction;
    return `${fills}${this.#draft}/`;
  }

  #draw() {
    this.tryButton.setAttribute("aria-disabled", String(this.#isTrying));
    this.tryButton.replaceChildren(...(this.#isTrying ? [icon("loader-circle", "icon--12 spin"), t("Trying…")] : [this.#results.length ? t("Try again") : t("Try {count} rows", { count: ROWS })]));
    replaceInside(this.results, ...this.#results.map((result) => resultLine(result, this.#names.get(result.row) || t("row {number}", { number: result.row }))), ...(this.#fault ? [el("p", { class: "is-fault", role: "alert" }, drawRevealed(this.#fault))] : []));
  }
}

/** @param {any} data  of the item of the preview @returns {string} rows, calls, tokens, cost and time */
function facts({ estimate, sources }) {
  return [tn("{count} row", "{count} rows", estimate.rows), sources === "web" ? t("with searches of the web") : "", estimateText(estimate)].filter(Boolean).join(" · ");
}

/** @param {FillResult} result @param {string} name  of the row @returns {HTMLElement} the values of the row, and what is said about them */
export function resultLine(result, name) {
  const { state, values, note, sources, error } = result;
  const texts = Object.entries(values).map(([column, value]) => [column, Array.isArray(value) ? value.join(", ") : String(value)]);
  const found = texts.map(([column, text]) => (texts.length > 1 ? `${column}: ${text}` : text)).join(", ");
  const empty = state === "failed" ? t("Failed") : stateText(result);
  return el("div", { class: "pfill__row" },
    el("span", {}, drawRevealed(name), " "), el("b", {}, drawRevealed(found || empty)), " ", drawMarks(result),
    note || error ? el("p", { class: "pcard__text" }, drawRevealed(note || error.detail)) : null,
    drawSources(sources));
}
