// The items of a proposal as a list with check boxes.

import { drawRevealed, el, icon } from "../element.js";
import { t } from "../locale.js";
import { tagNode } from "./registry.js";

/**
 * @typedef {object} ProposalItem  an item of a preview
 * @property {number} index @property {string} action  the verb @property {string} label
 * @property {"ok"|"warning"|"conflict"|"error"} state @property {string} [message] @property {any} [data]
 *
 * @typedef {object} ProposalItems  what draws the items of a proposal, and the functions that change the choice
 * @property {any} payload @property {ProposalItem[]} items  with their current states
 * @property {number[]} chosen  indexes
 * @property {Map<string, {tone: string, text: string}>} kinds  the number of items in words, by verb
 * @property {(indexes: number[]) => void} choose  sets the chosen items
 * @property {(index: number, edit: any) => void} edit  sets the edit of an item; the items are then drawn again
 * @property {(text: string) => void} nameApply  sets the text of the button that applies all; not while the items are drawn
 */

const NOTE_TONES = { warning: "is-warn", conflict: "is-bad", error: "is-bad" };

/** @param {ProposalItem} item @returns {boolean} whether it can be applied now */
export function usable({ state }) {
  return state !== "conflict" && state !== "error";
}

/** @param {ProposalItem[]} items @param {Set<number>} unchecked  indexes @returns {number[]} indexes of the others that can be applied */
export function chosenIndexes(items, unchecked) {
  return items.filter((item) => usable(item) && !unchecked.has(item.index)).map(({ index }) => index);
}

/**
 * @param {ProposalItem[]} items @param {number[]} chosen  indexes
 * @param {{contentHash: string, edits: Record<string, any>}} options  contentHash: of the content that the user has reviewed
 * @returns {any} the body of a request to apply these items
 */
export function applyRequest(items, chosen, { contentHash, edits }) {
  const edited = Object.entries(edits).filter(([index]) => chosen.includes(Number(index)));
  return {
    operations: chosen.length === items.length ? "all" : chosen,
    content_hash: contentHash,
    ...(edited.length ? { edits: Object.fromEntries(edited) } : {}),
  };
}

/** @param {ProposalItems} proposal @returns {HTMLElement} */
export function itemList({ payload, items, chosen, kinds, choose }) {
  const boxes = new Map(items.map((item) => [item.index, box(item.index, { checked: chosen.includes(item.index), disabled: !usable(item) })]));
  const enabled = [...boxes.values()].filter((one) => !one.disabled);
  const all = box("all", { disabled: enabled.length === 0 });
  const showAll = () => {
    const count = enabled.filter((one) => one.checked).length;
    all.checked = count > 0 && count === enabled.length;
    all.indeterminate = count > 0 && count < enabled.length;
  };
  const changed = () => {
    showAll();
    choose([...boxes].filter(([, one]) => one.checked).map(([index]) => index));
  };
  all.addEventListener("change", () => {
    for (const one of enabled) one.checked = all.checked;
    changed();
  });
  for (const one of enabled) one.addEventListener("change", changed);
  showAll();
  const lines = (/** @type {ProposalItem[]} */ some) => some.map((item) => itemLine(item, boxes.get(item.index), payload.id));
  const groups = [...kinds].flatMap(([verb, kind]) => [
    kinds.size > 1 ? el("p", { class: "pitems__kind" }, kind ? tagNode(kind) : t("Others")) : null,
    el("ul", {}, ...lines(items.filter(({ action }) => action === verb))),
  ]).filter((node) => node !== null);
  return el("div", { class: "pitems", role: "group", "aria-label": t("Items") },
    items.length > 1 ? el("label", { class: "pitems__all" }, all, t("Select all")) : null,
    // A region that scrolls must be reachable with the keyboard.
    el("div", { class: "pitems__list", tabindex: enabled.length ? null : "0", role: enabled.length ? null : "group", "aria-label": enabled.length ? null : t("Items") }, ...groups));
}

/** @param {number | "all"} choice @param {{checked?: boolean, disabled: boolean}} state @returns {HTMLInputElement} */
function box(choice, state) {
  return el("input", { type: "checkbox", class: "check", "data-choice": String(choice), ...state });
}

/** @param {ProposalItem} item @param {HTMLInputElement | undefined} checkbox @param {string} payloadId */
function itemLine(item, checkbox, payloadId) {
  const words = item.message || (usable(item) ? "" : t("This cannot be applied now."));
  const id = `item-${payloadId}-${item.index}`;
  if (words) checkbox?.setAttribute("aria-describedby", id);
  return el("li", { class: usable(item) ? null : "is-off" },
    el("label", {}, checkbox, el("span", {}, drawRevealed(item.label || t("Item {number}", { number: item.index + 1 })))),
    words
      ? el("p", { id, class: `pitems__note ${NOTE_TONES[item.state] ?? ""}` }, item.state === "ok" ? null : icon(item.state === "warning" ? "triangle-alert" : "circle-alert", "icon--12"), el("span", {}, drawRevealed(words)))
      : null);
}
