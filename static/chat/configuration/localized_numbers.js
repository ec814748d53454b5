// Numbers that the server has written in the format of the page, in the user's locale like those of scripts.

import { readerLocale } from "../../locale.js";

export function localizeNumbers() {
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-number]"))) {
    node.textContent = Number(node.dataset.number).toLocaleString(readerLocale);
  }
}
