// What the assistant means to do once a proposal is applied, with the person's word on it.

import { el } from "../../element.js";
import { t } from "../../locale.js";
import { drawRevealed } from "../../tables/hidden_characters.js";

/** @param {Proposal} proposal @returns {HTMLLabelElement | null} null where nothing is to follow */
export function nextSwitch(proposal) {
  if (!proposal.next) return null;
  const check = el("input", {
    class: "check", type: "checkbox", checked: proposal.goesOn, on: { change: () => (proposal.goesOn = check.checked) },
  });
  return el("label", { class: "next-switch" }, check, el("span", {}, el("b", {}, t("Then:"), " "), drawRevealed(proposal.next)));
}
