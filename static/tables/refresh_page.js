// Updates the parts of a table page that depend on the user's role, after it has changed.

import { retryAction, replaceInside, toast } from "../element.js";
import { t } from "../locale.js";

const TRAY_TEXTS = ["hello", "helloText"];

/** @type {HTMLElement | null} */
let errorToast = null;

/** @param {TableGrid} grid  whose role has changed */
export async function refreshByRole(grid) {
  errorToast?.remove();
  const { role } = grid.dataset;
  try {
    const answer = await fetch(location.pathname, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const newRole = page.querySelector("table-grid")?.dataset.role;
    if (!newRole) throw new TypeError(answer.statusText);
    // The role may have changed again.
    if (role === grid.dataset.role && newRole === role) applyPage(page);
  } catch {
    errorToast = toast(t("The page could not be updated. Reload it."), { kind: "error", action: retryAction(false, () => refreshByRole(grid)) });
  }
}

/** @param {Document} page  rendered by the server */
function applyPage(page) {
  for (const part of document.querySelectorAll("[data-by-role]")) {
    const fresh = page.querySelector(`[data-by-role="${part.dataset.byRole}"]`);
    if (fresh) replaceInside(part, ...document.adoptNode(fresh).childNodes);
  }
  const [tray, fresh] = [document, page].map((one) => one.querySelector("chat-tray"));
  if (!tray || !fresh) return;
  for (const word of TRAY_TEXTS) tray.dataset[word] = fresh.dataset[word];
  tray.querySelector("textarea").placeholder = fresh.querySelector("textarea").placeholder;
  document.dispatchEvent(new CustomEvent("chat-offer-changed"));
}
