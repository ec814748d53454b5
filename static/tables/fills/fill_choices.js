// The choices of a fill that depend on the installation: where to look, the model, applying without a review, and a mail.

import { el, icon } from "../../element.js";
import { t } from "../../locale.js";

/** @typedef {{models: {name: string, web: boolean}[], confident: boolean, notify: boolean}} Offers  as of the API */
/** @typedef {{sources: string, model: string, apply: string, notify: boolean}} Chosen */

export class FillChoices {
  /** @param {Offers} offers @param {{chosen: Partial<Chosen>, changed: () => void}} how  chosen: of an earlier dialog */
  constructor(offers, { chosen, changed }) {
    this.offers = offers;
    this.changed = changed;
    this.model = this.drawModels(chosen.model ?? "");
    this.sources = this.drawSources(chosen.sources ?? "row");
    this.modes = drawModes();
    this.confident = offers.confident ? drawBox(t("Apply results of high confidence automatically"), chosen.apply === "confident", changed) : null;
    this.notify = offers.notify ? drawBox(t("Mail me when it is finished"), Boolean(chosen.notify), changed) : null;
    const boxes = [this.confident, this.notify].filter((box) => box !== null);
    this.ending = boxes.length ? el("fieldset", { class: "fill__set" }, el("legend", { class: "sr", text: t("At the end") }), ...boxes.map(({ label }) => label)) : null;
    this.update();
  }

  /** @param {string} name */
  drawModels(name) {
    const { models } = this.offers;
    if (models.length < 2) return null;
    const options = models.map((one) => el("option", { value: one.name, text: one.name }));
    const select = el("select", { class: "input", id: "fill-model", on: { change: () => this.update() || this.changed() } }, ...options);
    if (models.some((one) => one.name === name)) select.value = name;
    return { select, element: el("div", { class: "field" }, el("label", { class: "field__label", for: "fill-model", text: t("Model") }), el("span", { class: "select" }, select, icon("chevron-down", "icon--14"))) };
  }

  /** @param {string} chosen */
  drawSources(chosen) {
    if (!this.offers.models.some(({ web }) => web)) return null;
    const [row, web] = [drawRadio("fill-sources", t("This row")), drawRadio("fill-sources", t("This row and the web, with sources"))];
    (chosen === "web" ? web : row).input.checked = true;
    const element = el("fieldset", { class: "fill__set", on: { change: () => this.changed() } }, el("legend", { class: "field__label", text: t("Where to look") }), row.label, web.label);
    return { row: row.input, web: web.input, element };
  }

  /** Offer the modes of an estimate. @param {{modes?: string[]}} estimate */
  showModes({ modes = [] }) {
    this.modes.element.hidden = !modes.includes("batch");
  }

  /** @returns {"live" | "batch"} how the rows are sent */
  get mode() {
    return this.modes.batch.checked && !this.modes.element.hidden ? "batch" : "live";
  }

  /** Offer the web only with models that can search it. */
  update() {
    if (!this.sources) return;
    const { models } = this.offers;
    const model = models.find(({ name }) => name === this.model?.select.value) ?? models[0];
    this.sources.web.disabled = !model.web;
    if (!model.web) this.sources.row.checked = true;
  }

  /** @returns {Partial<Chosen>} as the API expects it */
  get value() {
    return {
      sources: this.sources?.web.checked ? "web" : "row",
      apply: this.confident?.box.checked ? "confident" : "review",
      notify: Boolean(this.notify?.box.checked),
      ...(this.model ? { model: this.model.select.value } : {}),
    };
  }

  /** @returns {HTMLElement[]} what is shown after the choice of rows */
  get elements() {
    return [this.sources?.element, this.model?.element].filter((element) => element !== undefined);
  }
}

function drawModes() {
  const [now, batch] = [drawRadio("fill-mode", t("Now")), drawRadio("fill-mode", t("Within 24 hours, half the price"))];
  now.input.checked = true;
  return { batch: batch.input, element: el("fieldset", { class: "fill__set", hidden: true }, el("legend", { class: "field__label", text: t("When") }), now.label, batch.label) };
}

/** @param {string} name @param {string} words */
function drawRadio(name, words) {
  const input = el("input", { type: "radio", name });
  return { input, label: el("label", { class: "fill__choice" }, input, el("span", { text: words })) };
}

/** @param {string} words @param {boolean} checked @param {() => void} changed */
function drawBox(words, checked, changed) {
  const box = el("input", { class: "check", type: "checkbox", checked, on: { change: changed } });
  return { box, label: el("label", { class: "fill__choice" }, box, el("span", { text: words })) };
}
