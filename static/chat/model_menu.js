// The menu of models below the message field, on pages where people may choose one. What was chosen stays chosen in this browser.

import { el } from "../element.js";
import { t } from "../locale.js";

/** @typedef {{name: string, label: string, default: boolean}} ModelOffer */

/**
 * @param {HTMLElement} acts  the buttons of the message field, which the menu goes before
 * @param {ModelOffer[]} models @param {string} page @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} store
 */
export function showModels(acts, models, page, store) {
  const key = `chat-model:${page}`;
  const kept = store.getItem(key);
  // The default has no value: which one it is, the server says with each turn.
  const valueOf = (/** @type {ModelOffer} */ model) => (model.default ? "" : model.name);
  const menu = el("select", { class: "models", "data-models": "", "aria-label": t("Model"), title: t("Model") },
    ...models.map((model) => el("option", { value: valueOf(model) }, model.label)));
  if (models.some((model) => valueOf(model) === kept)) menu.value = kept;
  menu.addEventListener("change", () => (menu.value ? store.setItem(key, menu.value) : store.removeItem(key)));
  acts.parentElement?.querySelector("[data-models]")?.remove();
  acts.before(menu);
}
