// The model menu below the message field, on pages where users may choose one. The choice is stored in this browser.

import { el } from "../element.js";
import { t } from "../locale.js";

/** @typedef {{name: string, label: string, default: boolean}} ModelOffer */

/**
 * @param {HTMLElement} buttons  the buttons of the message field, before which the menu is inserted
 * @param {ModelOffer[]} models @param {string} page @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} store
 */
export function showModels(buttons, models, page, store) {
  const key = `chat-model:${page}`;
  const stored = store.getItem(key);
  // The default has no value: the server decides which model it is.
  const valueOf = (/** @type {ModelOffer} */ model) => (model.default ? "" : model.name);
  const menu = el("select", { class: "models", "data-models": "", "aria-label": t("Model"), title: t("Model") },
    ...models.map((model) => el("option", { value: valueOf(model) }, model.label)));
  if (models.some((model) => valueOf(model) === stored)) menu.value = stored;
  menu.addEventListener("change", () => (menu.value ? store.setItem(key, menu.value) : store.removeItem(key)));
  buttons.parentElement?.querySelector("[data-models]")?.remove();
  buttons.before(menu);
}
