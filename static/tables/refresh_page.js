// What the page of a table offers to whoever may do other things in it than when it was drawn: read again, and put in place.

import { anotherTry, replaceInside, toast } from "../element.js";
import { t } from "../locale.js";

const WORDS = ["hello", "helloText"];

/** @type {HTMLElement | null} */
let failed = null;

/** @param {TableGrid} grid  whose role is another now */
export async function offerAnew(grid) {
  failed?.remove();
  const { role } = grid.dataset;
  try {
    const answer = await fetch(location.pathname, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const then = page.querySelector("table-grid")?.dataset.role;
    if (!then) throw new TypeError(answer.statusText);
    // Of a role that has changed since the other page is told.
    if (role === grid.dataset.role && then === role) take(page);
  } catch {
    failed = toast(t("What this page offers now could not be read."), { kind: "error", action: anotherTry(false, () => offerAnew(grid)) });
  }
}

/** @param {Document} page  as the server draws it now */
function take(page) {
  for (const part of document.querySelectorAll("[data-by-role]")) {
    const fresh = page.querySelector(`[data-by-role="${part.dataset.byRole}"]`);
    if (fresh) replaceInside(part, ...document.adoptNode(fresh).childNodes);
  }
  const [tray, fresh] = [document, page].map((one) => one.querySelector("chat-tray"));
  if (!tray || !fresh) return;
  for (const word of WORDS) tray.dataset[word] = fresh.dataset[word];
  tray.querySelector("textarea").placeholder = fresh.querySelector("textarea").placeholder;
  document.dispatchEvent(new CustomEvent("chat-offers-anew"));
}
