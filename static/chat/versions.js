// What was said in other words, or answered again: which of them is shown, and the way to the others.

import { el } from "../element.js";
import { t } from "../locale.js";
import { button } from "./parts.js";

const SMALL = "btn btn--ghost btn--icon btn--sm";

/**
 * @param {readonly string[]} ids  all messages of one place, oldest first @param {string} shown  the one of them that is shown
 * @param {{running: boolean, show: (messageId: string, back: boolean) => void}} options
 *   running: while a turn runs, that one is looked at
 * @returns {HTMLElement | null} null where there is nothing beside it
 */
export function versions(ids, shown, { running, show }) {
  const at = ids.indexOf(shown);
  if (at < 0 || ids.length < 2) return null;
  const step = (/** @type {string} */ label, /** @type {string} */ name, /** @type {number} */ to) => {
    const made = button(label, { onclick: () => show(ids[to], to < at), icon: name, iconOnly: true, class: SMALL });
    made.disabled = running || to < 0 || to >= ids.length;
    return made;
  };
  return el("span", { class: "versions", "data-version": shown },
    step(t("Version before"), "chevron-left", at - 1),
    el("span", { "aria-label": t("Version {at} of {count}", { at: at + 1, count: ids.length }), role: "img" }, `${at + 1} / ${ids.length}`),
    step(t("Version after"), "chevron-right", at + 1));
}

/** Gives the keyboard back to whoever went on to this version, and has not taken it elsewhere meanwhile. @param {HTMLElement} log @param {string} id @param {boolean} back */
export function focusVersion(log, id, back) {
  const { activeElement } = document;
  if (activeElement && activeElement !== document.body && !log.contains(activeElement)) return;
  const [before, after] = log.querySelectorAll(`[data-version="${CSS.escape(id)}"] button`);
  const wanted = /** @type {HTMLButtonElement[]} */ (back ? [before, after] : [after, before]);
  wanted.find((face) => face && !face.disabled)?.focus();
}
