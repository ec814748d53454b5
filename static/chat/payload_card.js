// How a payload stands in the log: waiting, settled with its receipt, or a plain card where no handler shows it.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { drawRevealed } from "../tables/hidden_characters.js";
import { button } from "./parts.js";
import { addedRows, countTags, createsTable, isProposal, receipt, waitingLine } from "./proposal_lines.js";
import { payloadHandler, renderOptions } from "./registry.js";
import { turningBack } from "./turning_back.js";

/**
 * @typedef {Settling & {
 *   answer: (way: "apply"|"dismiss") => void,
 *   turnBack: (way: "undo"|"redo", onConflict?: "keep"|"overwrite") => void,
 *   show: (payload: Proposal) => void,
 * }} Settlement
 *
 * @param {Proposal} payload @param {Settlement} options
 * @returns {HTMLElement}
 */
export function payloadCard(payload, options) {
  const handler = payloadHandler(payload.type);
  if (!isProposal(payload)) return handler ? shownCard(payload, options) : plainCard(payload);
  if (payload.status === "pending") return handler ? waitingCard(payload, options) : answerableCard(payload, options);
  return receiptCard(payload, options);
}

/** What opens in the panel. @param {Proposal} payload @param {Settlement} options */
function shownCard(payload, { show }) {
  const { headerTitle, headerIcon } = renderOptions(payload.type);
  return el("button", { type: "button", class: "pcard", on: { click: () => show(payload) }, title: t("Show it") },
    el("span", { class: "pcard__h" }, /^[a-z]/.test(headerIcon) ? icon(headerIcon) : headerIcon, headerTitle),
    payload.summary ? el("span", { class: "pcard__p" }, payload.summary) : null);
}

/** @param {Proposal} payload @param {Settlement} options */
function waitingCard(payload, options) {
  const { focus } = payloadHandler(payload.type) ?? {};
  const show = () => (focus ? focus(payload) : options.show(payload));
  const tags = countTags(payload);
  const mark = createsTable(payload) ? "table-2" : payload.type === "schema_proposal" ? "columns-3" : "diff";
  return el("button", { type: "button", class: "pcard", on: { click: show }, title: t("Show it") },
    el("span", { class: "pcard__h" }, icon(mark), drawRevealed(waitingLine(payload))),
    payload.summary && tags.length === 0 ? el("span", { class: "pcard__p" }, drawRevealed(payload.summary)) : null,
    tags.length ? el("span", { class: "tags" }, ...tags.map(tagNode)) : null,
    payload.last_error ? el("span", { class: "pcard__p" }, t("The last try did not work: {reason}", { reason: payload.last_error })) : null);
}

/** @param {{tone: string, text: string}} tag */
function tagNode({ tone, text }) {
  return el("span", { class: tone ? `tag tag--${tone}` : "tag" }, text);
}

/** @param {Proposal} payload @param {Settlement} options */
function receiptCard(payload, { busy, fault, blocked, turnBack }) {
  const lines = receipt(payload);
  const table = createsTable(payload) ? payload.outcome?.table : null;
  const title = table ? el("a", { class: "link", href: `/tables/${table.id}/` }, drawRevealed(lines.title)) : drawRevealed(lines.title);
  const act = lines.act && !busy
    ? button(lines.act === "undo" ? t("Undo") : t("Redo"), { onclick: () => turnBack(lines.act), class: "link" })
    : null;
  const added = addedRows(payload);
  const { showAdded } = payloadHandler(payload.type) ?? {};
  const show = showAdded && added.length && !busy ? button(t("Show"), { onclick: () => showAdded(added), class: "link" }) : null;
  return el("div", { class: `notice is-${lines.tone}`, "data-payload": payload.id },
    icon(busy ? "loader-circle" : lines.icon, busy ? "spin" : ""), el("b", {}, title),
    busy ? el("span", { class: "prop" }, busy) : show || act ? el("span", { class: "notice__acts" }, show, act) : null,
    lines.detail ? el("p", {}, lines.detail) : null,
    lines.left.length ? el("ul", {}, ...lines.left.map((reason) => el("li", {}, reason))) : null,
    ...turningBack({ fault, blocked }, turnBack));
}

/** A proposal that nothing on this page shows can be answered all the same. @param {Proposal} payload @param {Settlement} options */
function answerableCard(payload, { busy, fault, answer }) {
  const sentence = fault || (payload.last_error ? t("The last try did not work: {reason}", { reason: payload.last_error }) : "");
  const face = (/** @type {"apply"|"dismiss"} */ way, /** @type {string} */ label, /** @type {string} */ classes) => {
    const made = button(label, { onclick: () => answer(way), class: classes });
    made.disabled = busy !== "";
    return made;
  };
  return plainCard(payload,
    sentence ? el("p", { class: "is-fault", role: fault ? "alert" : null }, sentence) : null,
    el("div", { class: "acts" },
      face("dismiss", t("Dismiss"), "btn btn--sm"), face("apply", busy || t("Apply all"), "btn btn--primary btn--sm")));
}

/** What any payload can be shown as: its summary, and its data as text behind a lid. @param {Proposal} payload @param {(Node | null)[]} below */
export function plainCard(payload, ...below) {
  const title = renderOptions(payload.type).headerTitle;
  return el("section", { class: "pcard pcard--plain", "aria-label": title },
    el("span", { class: "pcard__h" }, icon("info"), title),
    payload.summary ? el("p", {}, drawRevealed(payload.summary)) : null,
    el("details", {},
      el("summary", {}, t("Show the data")),
      el("pre", { tabindex: "0" }, JSON.stringify(payload.data ?? null, null, 2).slice(0, 100_000))),
    ...below);
}
