// The floating panel: where payloads are shown that have no place of their own in the page.

import { api } from "../api.js";
import { el, icon } from "../element.js";
import { toast } from "../toast.js";
import { button } from "./parts.js";
import { declarePayloadTypes, isDeclared, payloadHandler, readPageContext, renderOptions } from "./registry.js";
import { tell } from "./settle.js";

const LENGTH = /^\d+(\.\d+)?(px|rem|em|ch|vw)$/;
const ICON = /^[a-z][a-z0-9-]+$/;
const OPEN_STATES = ["pending", "shown"]; // the others are settled

export class PayloadPanel {
  /** @type {HTMLElement | null} */
  #panel = null;
  #shown = "";
  /** Where the keyboard was before. @type {Element | null} */
  #before = null;

  /** @param {() => void} onLearned  types look otherwise than before */
  constructor(onLearned) {
    this.onLearned = onLearned;
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => detail.id === this.#shown && this.close());
  }

  /**
   * Shows a payload by its handler, in the panel or wherever the handler shows it.
   * @param {import("./registry.js").Payload} payload @param {{focus?: boolean}} [options]  focus: the person asked for it
   */
  async show(payload, { focus = false } = {}) {
    const handler = payloadHandler(payload.type);
    if (!handler || !OPEN_STATES.includes(payload.status)) return;
    const callbacks = { apply: () => this.#apply(payload), dismiss: () => this.#dismiss(payload) };
    const content = handler.render(payload, callbacks);
    if (!(content instanceof Node)) return;
    await this.learn([payload.type]);
    this.#open(payload, content, callbacks);
    if (focus) this.#panel?.focus();
  }

  /** Asks how these types are to look, where that is not known: those of other tabs. @param {string[]} types */
  async learn(types) {
    if (types.every((type) => isDeclared(type) || !payloadHandler(type))) return;
    // Without an answer they are shown under plain words.
    const answer = await api.get("/api/chat/payload-types/").catch(() => null);
    if (!answer) return;
    declarePayloadTypes(answer.payload_types);
    this.onLearned();
  }

  close() {
    if (!this.#panel) return;
    const held = this.#panel.contains(document.activeElement);
    this.#panel.remove();
    this.#panel = null;
    this.#shown = "";
    if (held && this.#before instanceof HTMLElement && this.#before.isConnected) this.#before.focus();
  }

  /** @param {any} payload @param {Node} content @param {{apply: () => void, dismiss: () => void}} callbacks */
  #open(payload, content, { apply, dismiss }) {
    this.close();
    this.#before = document.activeElement;
    const { panelWidth, headerTitle, headerIcon } = renderOptions(payload.type);
    const answerable = payload.status === "pending" || payloadHandler(payload.type)?.onApply;
    this.#panel = el("section", { class: "ppanel", popover: "manual", role: "dialog", "aria-label": headerTitle, tabindex: "-1" },
      el("header", { class: "ppanel__h" },
        ICON.test(headerIcon) ? icon(headerIcon) : el("span", { "aria-hidden": "true" }, headerIcon),
        el("h2", {}, headerTitle),
        button("Close", { onclick: () => this.close(), icon: "x", iconOnly: true, class: "btn btn--ghost btn--icon btn--sm" })),
      el("div", { class: "ppanel__body" }, content),
      answerable
        ? el("footer", { class: "ppanel__f" },
            button("Dismiss", { onclick: dismiss }), button("Apply", { onclick: apply, class: "btn btn--primary btn--sm" }))
        : null);
    if (LENGTH.test(panelWidth)) this.#panel.style.setProperty("--ppanel-width", panelWidth);
    this.#panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.close();
    });
    document.body.append(this.#panel);
    this.#panel.showPopover(); // above the chat, where that lies over the page
    this.#shown = payload.id;
  }

  /** @param {any} payload */
  async #apply(payload) {
    const settled = payload.status !== "pending" || await this.#settle(payload, "apply", { operations: "all" });
    if (!settled) return;
    payloadHandler(payload.type)?.onApply?.(payload, readPageContext());
    this.close();
  }

  /** @param {any} payload */
  async #dismiss(payload) {
    const settled = payload.status !== "pending" || await this.#settle(payload, "dismiss", {});
    if (!settled) return;
    payloadHandler(payload.type)?.onDismiss?.(payload, readPageContext());
    this.close();
  }

  /** @param {any} payload @param {"apply"|"dismiss"} way @param {any} body @returns {Promise<boolean>} whether it went through */
  async #settle(payload, way, body) {
    try {
      const { id, status, outcome } = await api.post(`/api/chat/payloads/${payload.id}/${way}/`, body);
      tell("payload-settled", { id, status, outcome });
      return true;
    } catch (error) {
      toast(/** @type {Error} */ (error).message, { kind: "error" });
      return false;
    }
  }
}
