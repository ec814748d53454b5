// Suggestions of a field for the name of a model: adds the models of the server, which may be slow or unreachable.

import { el } from "../../element.js";

/** @param {HTMLDataListElement} list  with the names that are known already */
export async function suggestModels(list) {
  const response = await fetch(list.dataset.models ?? "", { headers: { Accept: "application/json" }, credentials: "same-origin" });
  const { models } = await response.json();
  const known = new Set([...list.options].map(({ value }) => value));
  list.append(...models.filter((/** @type {string} */ name) => !known.has(name)).map((/** @type {string} */ value) => el("option", { value })));
}
