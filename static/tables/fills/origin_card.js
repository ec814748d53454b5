// Where the value of a cell comes from that a fill has found: confidence, note, sources, model and day.

import { drawRevealed, el } from "../../element.js";
import { readerLocale, t } from "../../locale.js";
import { CellCard } from "./cell_card.js";
import { drawMarks, drawSources, modelText, noteText } from "./result_texts.js";

/** @typedef {{fill: string, model: string, at: string, confidence: string, note: string, sources: {url: string, title?: string, quote?: string}[]}} ValueOrigin  as of the API */

/** @param {ValueOrigin} origin @returns {HTMLElement[]} */
export function drawOrigin({ model, at, confidence, note, sources }) {
  const day = new Intl.DateTimeFormat(readerLocale, { dateStyle: "medium" }).format(new Date(at));
  return [
    el("div", { class: "fill__line" }, drawMarks({ state: "found", confidence, unverified: false })),
    ...(note ? [el("p", {}, drawRevealed(noteText(note, model)))] : []),
    ...[drawSources(sources)].filter((list) => list !== null),
    el("p", { class: "fillcard__label", text: t("Found by {model}, {day}", { model: modelText(model), day }) }),
  ];
}

export class OriginCard extends CellCard {
  /** @param {TableGrid} grid */
  constructor(grid) {
    super(grid, t("Where this value comes from"));
  }

  /** @param {HTMLElement} anchor @param {ValueOrigin} origin */
  show(anchor, origin) {
    this.anchor = anchor;
    this.element.replaceChildren(...drawOrigin(origin));
    this.showBeside(anchor);
  }

  hide() {
    this.anchor = null;
    super.hide();
  }
}
