// The floating panel: where payloads are shown that have no place of their own in the page.

import { el, icon, toast } from "../element.js";
import { t } from "../locale.js";
import { button } from "./tray_parts.js";
import { payloadHandler, readPageContext, renderOptions } from "./registry.js";
import { answerPayload } from "./answer_proposal.js";

const LENGTH = /^\d+(\.\d+)?(px|rem|em|ch|vw)$/;
const ICON = /^[a-z][a-z0-9-]+$/;

export class PayloadPanel {
  /** @type {HTMLElement | null} */
  #panel = null;
  #shown = "";
  /** Payloads whose answer is on its way. @type {Set<string>} */
  #answering = new Set();
  /** @type {{focus: HTMLElement | null, top: number}} */
  #left = { focus: null, top: 0 };
  /** Where the keyboard was before. @type {Element | null} */
  #before = null;

  /**
   * @param {HTMLElement} tray  where the page is narrow it is a sheet over it, which closes when something beside it is
   *   touched: then the panel is opened inside of it
   */
  constructor(tray) {
    this.tray = tray;
    tray.addEventListener("beforetoggle", (/** @type {any} */ { newState }) => newState === "closed" && this.#remember());
    // Not at once: while one thing of the top layer closes none can be opened.
    tray.addEventListener("toggle", (/** @type {any} */ { newState }) => newState === "closed" && this.#leaveSheet());
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => detail.id === this.#shown && this.close());
  }

  close() {
    if (!this.#panel) return;
    const held = this.#panel.contains(document.activeElement);
    this.#panel.remove();
    this.#panel = null;
    this.#shown = "";
    if (held && this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus();
  }

  /**
   * @param {any} payload @param {Node} content  by its handler
   * @param {{apply: () => void, dismiss: () => void, focus: boolean}} how  focus: the person asked for it
   */
  open(payload, content, { apply, dismiss, focus }) {
    this.close();
    this.#before = document.activeElement;
    const { panelWidth, headerTitle, headerIcon } = renderOptions(payload.type);
    const answerable = payload.status === "pending" || payloadHandler(payload.type)?.onApply;
    this.#panel = el("section", { class: "ppanel", popover: "manual", role: "dialog", "aria-label": headerTitle, tabindex: "-1" },
      el("header", { class: "ppanel__h" },
        ICON.test(headerIcon) ? icon(headerIcon) : el("span", { "aria-hidden": "true" }, headerIcon),
        el("h2", {}, headerTitle),
        button(t("Close"), { onclick: () => this.close(), icon: "x", iconOnly: true, class: "btn btn--ghost btn--icon btn--sm" })),
      el("div", { class: "ppanel__body" }, content),
      answerable
        ? el("footer", { class: "ppanel__f" },
            button(t("Dismiss"), { onclick: dismiss }), button(t("Apply"), { onclick: apply, class: "btn btn--primary btn--sm" }))
        : null);
    if (LENGTH.test(panelWidth)) this.#panel.style.setProperty("--ppanel-width", panelWidth);
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.close();
    });
    this.#place(this.tray.matches(":popover-open") ? this.tray : document.body);
    this.#shown = payload.id;
    if (focus) this.#panel.focus();
  }

  /** @param {HTMLElement} parent */
  #place(parent) {
    parent.append(this.#panel);
    this.#panel.showPopover(); // above the chat, where that lies over the page
  }

  /** What is lost when the sheet closes around the panel: the keyboard's place, and how far it was scrolled. */
  #remember() {
    const { activeElement } = document;
    this.#left = {
      focus: activeElement instanceof HTMLElement && this.#panel?.contains(activeElement) ? activeElement : null,
      top: this.#panel?.querySelector(".ppanel__body")?.scrollTop ?? 0,
    };
  }

  /** The chat is closed, what it has shown stays. */
  #leaveSheet() {
    if (!this.#panel || !this.tray.contains(this.#panel)) return;
    this.#place(document.body);
    this.#panel.querySelector(".ppanel__body")?.scrollTo(0, this.#left.top);
    this.#left.focus?.focus({ preventScroll: true });
  }

  /** @param {any} payload @param {"apply"|"dismiss"} way */
  async answer(payload, way) {
    if (!(await this.#settled(payload, way))) return;
    const handler = payloadHandler(payload.type);
    if (way === "apply") handler?.onApply?.(payload, readPageContext());
    else handler?.onDismiss?.(payload, readPageContext());
    this.close();
  }

  /** @param {any} payload @param {"apply"|"dismiss"} way @returns {Promise<boolean>} whether nothing stands against it */
  async #settled(payload, way) {
    if (payload.status !== "pending") return true;
    if (this.#answering.has(payload.id)) return false;
    this.#answering.add(payload.id);
    try {
      await answerPayload(payload.id, way);
      return true;
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { kind: "error" });
      return false;
    } finally {
      this.#answering.delete(payload.id);
    }
  }
}
