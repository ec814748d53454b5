// The bar above the grid while a proposal is reviewed: what is selected, Apply and Dismiss; on a phone they are in the dock.

import { el, icon } from "../../element.js";
import { t } from "../../locale.js";
import { drawRevealed } from "../../tables/hidden_characters.js";

/**
 * @typedef {object} BarView
 * @property {string} title @property {string} reasoning
 * @property {string} apply  the words on the main button
 * @property {boolean} ready  whether it can be applied now
 * @property {"" | "reading" | "applying" | "dismissing"} busy
 * @property {string} fault
 */

export class ReviewBar {
  /**
   * @param {{slot: HTMLElement, symbol: string, label: string, next?: HTMLElement | null, apply: () => void,
   *   dismiss: () => void}} how  next: what is to follow, to be switched off
   */
  constructor({ slot, symbol, label, next = null, apply, dismiss }) {
    this.slot = slot;
    this.run = { apply, dismiss };
    this.title = el("h2");
    this.reasoning = el("p");
    this.applyLabel = el("span");
    this.applyButton = el("button", { class: "btn btn--primary", type: "button", on: { click: apply } }, this.applyLabel, el("kbd", { text: t("Ctrl ↵") }));
    this.dismissButton = el("button", { class: "btn", type: "button", text: t("Dismiss"), on: { click: dismiss } });
    this.fault = el("p", { class: "notice is-bad notice--strip", role: "alert", hidden: true });
    const top = el(
      "div",
      { class: "review__top" },
      el("span", { class: "review__mark" }, icon(symbol)),
      el("div", { class: "review__txt" }, this.title, this.reasoning, next),
      el("div", { class: "review__acts only-wide" }, this.dismissButton, this.applyButton),
    );
    this.said = el("span", { class: "sr", role: "status" });
    /** Where each kind of proposal puts what it needs below. */
    this.body = el("div");
    this.element = el("section", { class: "review", "aria-label": label }, this.said, top, this.fault, this.body);
    slot.replaceChildren(this.element);
    this.fillDock();
    this.keys = (event) => this.keyPressed(event);
    document.addEventListener("keydown", this.keys);
  }

  fillDock() {
    this.dock = document.getElementById("dock");
    if (!this.dock) return;
    this.dockBefore = [...this.dock.childNodes];
    this.dockDismiss = el("button", { class: "btn", type: "button", text: t("Dismiss"), on: { click: this.run.dismiss } });
    this.dockApply = el("button", { class: "btn btn--primary grow", type: "button", on: { click: this.run.apply } });
    const chat = el("button", { class: "btn btn--icon", type: "button", "aria-label": t("Open chat"), popovertarget: "tray" }, icon("message-square-text"));
    this.dock.replaceChildren(chat, this.dockDismiss, this.dockApply);
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || this.applyButton.disabled) return;
    // From the composer too, where the focus is after asking; words begun there are not taken for an answer.
    const { target } = event;
    const fromComposer = target instanceof HTMLTextAreaElement && target.value === "";
    if (target instanceof Element && (target.closest("dialog") || (target.closest(".tray") && !fromComposer))) return;
    event.preventDefault();
    this.run.apply();
  }

  /** @param {BarView} view */
  draw({ title, reasoning, apply, ready, busy, fault }) {
    if (this.title.textContent !== title) this.said.textContent = title;
    this.title.textContent = title;
    this.reasoning.replaceChildren(drawRevealed(reasoning));
    this.reasoning.title = this.reasoning.textContent ?? "";
    const words = busy === "applying" ? t("Applying…") : fault ? t("Try again") : apply;
    this.applyLabel.replaceChildren(...(busy === "applying" ? [icon("loader-circle", "spin icon--14"), ` ${words}`] : [words]));
    this.applyButton.disabled = !ready || busy !== "";
    this.dismissButton.disabled = busy === "applying" || busy === "dismissing";
    if (this.dock) {
      this.dockApply.textContent = words;
      this.dockApply.disabled = this.applyButton.disabled;
      this.dockDismiss.disabled = this.dismissButton.disabled;
    }
    this.fault.hidden = !fault;
    this.fault.replaceChildren(icon("circle-alert"), el("span", { text: fault }));
    this.element.setAttribute("aria-busy", String(busy !== ""));
  }

  /** @returns {boolean} whether the focus would be lost with the bar */
  get holdsFocus() {
    return this.element.contains(document.activeElement) || Boolean(this.dock?.contains(document.activeElement));
  }

  end() {
    document.removeEventListener("keydown", this.keys);
    if (this.dock) this.dock.replaceChildren(...this.dockBefore);
    if (this.slot.contains(this.element)) this.slot.replaceChildren();
  }
}

/** @param {Payload} payload @returns {string} why */
export function reasoningText({ data }) {
  return data?.reasoning ?? "";
}
