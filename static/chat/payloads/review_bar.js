// The bar of a proposal: title, apply and dismiss, stepping through the changes, and the next step.

import { drawRevealed, el, icon } from "../../element.js";
import { t } from "../../locale.js";

/**
 * @typedef {object} BarView
 * @property {string} title @property {string} reasoning
 * @property {string} apply  label of the main button
 * @property {boolean} ready  whether it can be applied now
 * @property {Proposal["busy"]} busy
 * @property {string} fault
 */

export class ReviewBar {
  /**
   * @param {{slot: HTMLElement, symbol: string, label: string, next?: HTMLElement | null, apply: () => void,
   *   dismiss: () => void}} how  next: switch of the next step
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
      el("div", { class: "review__text" }, this.title, this.reasoning, next),
      el("div", { class: "review__actions only-wide" }, this.dismissButton, this.applyButton),
    );
    this.status = el("span", { class: "sr", role: "status" });
    /** Container for the content of each kind of proposal. */
    this.body = el("div", { class: "review__body" });
    this.element = el("section", { class: "review", "aria-label": label }, this.status, top, this.fault, this.body);
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
    // Also from the message field, which is focused after sending; typed text there is not an answer.
    const { target } = event;
    const fromComposer = target instanceof HTMLTextAreaElement && target.value === "";
    if (target instanceof Element && (target.closest("dialog") || (target.closest(".tray") && !fromComposer))) return;
    event.preventDefault();
    this.run.apply();
  }

  /** @param {BarView} view */
  draw({ title, reasoning, apply, ready, busy, fault }) {
    if (this.title.textContent !== title) this.status.textContent = title;
    this.title.textContent = title;
    this.reasoning.replaceChildren(drawRevealed(reasoning));
    this.reasoning.title = this.reasoning.textContent ?? "";
    const words = busy === "applying" ? t("Applying…") : fault ? t("Try again") : apply;
    this.applyLabel.replaceChildren(...(busy === "applying" ? [icon("loader-circle", "spin icon--14"), ` ${words}`] : [words]));
    this.applyButton.disabled = !ready || busy !== "";
    this.dismissButton.disabled = busy !== "" && busy !== "reading";
    if (this.dock) {
      this.dockApply.textContent = words;
      this.dockApply.disabled = this.applyButton.disabled;
      this.dockDismiss.disabled = this.dismissButton.disabled;
    }
    this.fault.hidden = !fault;
    this.fault.replaceChildren(icon("circle-alert"), el("span", { text: fault }));
    this.element.setAttribute("aria-busy", String(busy !== ""));
  }

  /** @returns {boolean} whether the focus is in the bar */
  get hasFocus() {
    return this.element.contains(document.activeElement) || Boolean(this.dock?.contains(document.activeElement));
  }

  end() {
    document.removeEventListener("keydown", this.keys);
    if (this.dock) this.dock.replaceChildren(...this.dockBefore);
    if (this.slot.contains(this.element)) this.slot.replaceChildren();
  }
}

/** @param {Payload} payload @returns {string} */
export function reasoningText({ data }) {
  return data?.reasoning ?? "";
}

/** @param {HTMLTableRowElement} tr @returns {number} index of its first changed column, 0 in added and deleted rows */
function changedIndex(tr) {
  const cell = [...tr.cells].findIndex((one) => one.matches(".is-changed, .is-conflict"));
  return Math.max(0, cell - 1);
}

export class ChangeSteps {
  /**
   * @param {TableGrid} grid
   * @param {{inOrder: {index: number}[], revealOperation: (operation: any) => HTMLTableRowElement | undefined}} rows
   */
  constructor(grid, rows) {
    this.grid = grid;
    this.rows = rows;
    this.position = -1;
    /** Index of the current operation. @type {number | undefined} */
    this.current = undefined;
    this.total = 0;
    this.words = el("span");
    const button = (label, symbol, step) =>
      el("button", { type: "button", "aria-label": label, title: label, on: { click: () => this.go(step) } }, icon(symbol, "icon--14"));
    this.element = el(
      "span",
      { class: "stepper only-wide", role: "group", "aria-label": t("Go to change") },
      button(t("Previous change"), "chevron-up", -1),
      this.words,
      button(t("Next change"), "chevron-down", 1),
    );
    this.keys = (event) => this.keyPressed(event);
    document.addEventListener("keydown", this.keys, { capture: true });
  }

  /** @param {KeyboardEvent} event */
  keyPressed(event) {
    const step = { j: 1, k: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest?.("input:not([type=checkbox]), textarea, select, dialog")) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(step);
  }

  /** @param {number} step @param {{fromStart?: boolean}} [how] */
  go(step, { fromStart = false } = {}) {
    const all = this.rows.inOrder;
    if (!all.length) return;
    const position = all.findIndex((one) => one.index === this.current);
    this.show(all, fromStart ? 0 : (Math.max(position, step < 0 ? 0 : -1) + step + all.length) % all.length);
  }

  /** @param {{index: number} | undefined} operation */
  goTo(operation) {
    const all = this.rows.inOrder;
    const position = all.findIndex((one) => one.index === operation?.index);
    if (position >= 0) this.show(all, position);
  }

  /** Scroll back to the current change after it was drawn in another position; the focus does not move. */
  scrollToCurrent() {
    const all = this.rows.inOrder;
    const position = all.findIndex((one) => one.index === this.current);
    if (position >= 0) this.show(all, position, { focus: false });
  }

  /** Scroll to the first change; the cursor and the focus stay where they are. */
  scrollToFirst() {
    const [first] = this.rows.inOrder;
    const tr = first && this.rows.revealOperation(first);
    tr?.cells[changedIndex(tr) + 1]?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }

  /** @param {any[]} all @param {number} position @param {{focus?: boolean}} [how] */
  show(all, position, { focus = true } = {}) {
    const tr = this.rows.revealOperation(all[position]);
    if (!tr) return;
    this.current = all[position].index;
    this.position = position;
    this.grid.cursor.put(tr, changedIndex(tr));
    if (focus) this.grid.table.focus({ preventScroll: true });
    this.draw(this.total);
  }

  /** @param {number} total */
  draw(total) {
    this.total = total;
    // The total is 0 until it is known.
    this.words.textContent = !total ? "" : this.position < 0 ? t("{total} in all", { total }) : t("{place} of {total}", { place: this.position + 1, total });
  }

  end() {
    document.removeEventListener("keydown", this.keys, { capture: true });
  }
}

/** @param {Proposal} proposal @returns {HTMLLabelElement | null} null if there is no next step */
export function nextSwitch(proposal) {
  if (!proposal.next) return null;
  const check = el("input", {
    class: "check", type: "checkbox", checked: proposal.runsNext, on: { change: () => {
      proposal.runsNext = check.checked;
      proposal.saveDecisions();
    } },
  });
  return el("label", { class: "next-switch" }, check, el("span", {}, el("b", {}, t("Then:"), " "), drawRevealed(proposal.next)));
}
