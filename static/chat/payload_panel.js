// The floating panel for payloads that are not shown in the page itself.

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
  /** Payloads with a pending request. @type {Set<string>} */
  #answering = new Set();
  /** @type {{focus: HTMLElement | null, top: number}} */
  #state = { focus: null, top: 0 };
  /** The element that was focused before. @type {Element | null} */
  #before = null;

  /**
   * @param {HTMLElement} tray  on narrow pages a popover, which closes on outside clicks: the panel is opened inside it
   */
  constructor(tray) {
    this.tray = tray;
    tray.addEventListener("beforetoggle", (/** @type {any} */ { newState }) => newState === "closed" && this.#remember());
    // Deferred: no popover can be opened while another one of the top layer is closing.
    tray.addEventListener("toggle", (/** @type {any} */ { newState }) => newState === "closed" && this.#moveOutOfTray());
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => detail.id === this.#shown && this.close());
  }

  close() {
    if (!this.#panel) return;
    const hadFocus = this.#panel.contains(document.activeElement);
    this.#panel.remove();
    this.#panel = null;
    this.#shown = "";
    if (hadFocus && this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus();
  }

  /**
   * @param {any} payload @param {Node} content  from its handler
   * @param {{apply: () => void, dismiss: () => void, focus: boolean}} how  focus: opened by the user
   */
  open(payload, content, { apply, dismiss, focus }) {
    this.close();
    this.#before = document.activeElement;
    const { panelWidth, headerTitle, headerIcon } = renderOptions(payload.type);
    const answerable = payload.status === "pending" || payloadHandler(payload.type)?.onApply;
    this.#panel = el("section", { class: "ppanel", popover: "manual", role: "dialog", "aria-label": headerTitle, tabindex: "-1" },
      el("header", { class: "ppanel__head" },
        ICON.test(headerIcon) ? icon(headerIcon) : el("span", { "aria-hidden": "true" }, headerIcon),
        el("h2", {}, headerTitle),
        button(t("Close"), { onclick: () => this.close(), icon: "x", iconOnly: true, class: "btn btn--ghost btn--icon btn--sm" })),
      el("div", { class: "ppanel__body" }, content),
      answerable
        ? el("footer", { class: "ppanel__foot" },
            button(t("Dismiss"), { onclick: dismiss }), button(t("Apply"), { onclick: apply, class: "btn btn--primary btn--sm" }))
        : null);
    if (LENGTH.test(panelWidth)) this.#panel.style.setProperty("--ppanel-width", panelWidth);
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.close();
    });
    this.#showIn(this.tray.matches(":popover-open") ? this.tray : document.body);
    this.#shown = payload.id;
    if (focus) this.#panel.focus();
  }

  /** @param {HTMLElement} parent */
  #showIn(parent) {
    parent.append(this.#panel);
    this.#panel.showPopover(); // above the chat where that covers the page
  }

  /** Store focus and scroll position, which are lost when the tray closes around the panel. */
  #remember() {
    const { activeElement } = document;
    this.#state = {
      focus: activeElement instanceof HTMLElement && this.#panel?.contains(activeElement) ? activeElement : null,
      top: this.#panel?.querySelector(".ppanel__body")?.scrollTop ?? 0,
    };
  }

  /** Keep the panel open when the tray is closed. */
  #moveOutOfTray() {
    if (!this.#panel || !this.tray.contains(this.#panel)) return;
    this.#showIn(document.body);
    this.#panel.querySelector(".ppanel__body")?.scrollTo(0, this.#state.top);
    this.#state.focus?.focus({ preventScroll: true });
  }

  /** @param {any} payload @param {"apply"|"dismiss"} way */
  async answer(payload, way) {
    if (!(await this.#postAnswer(payload, way))) return;
    const handler = payloadHandler(payload.type);
    if (way === "apply") handler?.onApply?.(payload, readPageContext());
    else handler?.onDismiss?.(payload, readPageContext());
    this.close();
  }

  /** @param {any} payload @param {"apply"|"dismiss"} way @returns {Promise<boolean>} whether the server accepted it */
  async #postAnswer(payload, way) {
    if (payload.status !== "pending") return true;
    if (this.#answering.has(payload.id)) return false;
    this.#answering.add(payload.id);
    try {
      await answerPayload(payload.id, way, way === "apply" ? { operations: "all", content_hash: payload.content_hash } : {});
      return true;
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { kind: "error" });
      return false;
    } finally {
      this.#answering.delete(payload.id);
    }
  }
}
