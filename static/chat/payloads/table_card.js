// The cards of proposals about tables: how many changes are waiting in the page, and the receipt.

import { drawRevealed, el, icon } from "../../element.js";
import { t, tn } from "../../locale.js";
import { KINDS, payloadHandler, tagNode } from "../registry.js";
import { undoControls } from "../tool_card.js";
import { loadUndo } from "../tools/table_tools.js";
import { button } from "../tray_parts.js";

/**
 * @typedef {AnswerState & {
 *   undoOrRedo: (way: "undo"|"redo", onConflict?: "skip"|"overwrite") => void,
 *   show: (payload: Proposal) => void,
 * }} ProposalCardOptions
 */

/** The members of a payload handler for such cards. @type {Pick<PayloadHandler, "card" | "announce" | "undo">} */
export const tableCard = {
  undo: async (...how) => (await loadUndo()).undoProposal(...how),
  card: (payload, options) => (payload.status === "pending" ? waitingCard : receiptCard)(payload, options),
  announce: waitingLine,
};

/** @param {Proposal} payload @param {ProposalCardOptions} options */
function waitingCard(payload, options) {
  const { focus } = payloadHandler(payload.type) ?? {};
  const show = () => (focus ? focus(payload) : options.show(payload));
  const tags = countTags(payload);
  const mark = createsTable(payload) ? "table-2" : payload.type === "schema_proposal" ? "columns-3" : "diff";
  return el("button", { type: "button", class: "pcard", on: { click: show }, title: t("Show it") },
    el("span", { class: "pcard__head" }, icon(mark), drawRevealed(waitingLine(payload))),
    payload.summary && tags.length === 0 ? el("span", { class: "pcard__text" }, drawRevealed(payload.summary)) : null,
    tags.length ? el("span", { class: "tags" }, ...tags.map(tagNode)) : null,
    payload.last_error ? el("span", { class: "pcard__text" }, t("The last attempt failed: {reason}", { reason: payload.last_error })) : null);
}

/** @param {Proposal} payload @param {ProposalCardOptions} options */
function receiptCard(payload, { busy, fault, blocked, undoOrRedo }) {
  const lines = receipt(payload);
  const table = createsTable(payload) ? payload.outcome?.table : null;
  const title = table ? el("a", { class: "link", href: `/tables/${table.id}/` }, drawRevealed(lines.title)) : drawRevealed(lines.title);
  const action = lines.action && !busy
    ? button(lines.action === "undo" ? t("Undo") : t("Redo"), { onclick: () => undoOrRedo(lines.action), class: "link" })
    : null;
  const added = addedRows(payload);
  const { showAdded } = payloadHandler(payload.type) ?? {};
  const show = showAdded && added.length && !busy ? button(t("Show"), { onclick: () => showAdded(added), class: "link" }) : null;
  return el("div", { class: `notice is-${lines.tone}`, "data-payload": payload.id },
    icon(busy ? "loader-circle" : lines.icon, busy ? "spin" : ""), el("b", {}, title),
    busy ? el("span", { class: "prop" }, busy) : show || action ? el("span", { class: "notice__actions" }, show, action) : null,
    lines.detail ? el("p", {}, lines.detail) : null,
    lines.skipped.length ? el("ul", {}, ...lines.skipped.map((reason) => el("li", {}, reason))) : null,
    ...undoControls({ fault, blocked }, undoOrRedo));
}

/** @type {Record<string, CountLabel>} */
const SKIPPED = {
  error: (count) => tn("{count} had an error", "{count} had errors", count),
  row_missing: (count) => tn("{count} row was already deleted", "{count} rows were already deleted", count),
  row_changed: (count) => tn("{count} row was changed meanwhile", "{count} rows were changed meanwhile", count),
  cell_changed: (count) => tn("{count} was changed meanwhile", "{count} were changed meanwhile", count),
  column_removed: (count) => tn("{count} used a deleted column", "{count} used deleted columns", count),
  column_changed: (count) => tn("{count} used a changed column", "{count} used changed columns", count),
  option_removed: (count) => tn("{count} had a deleted option", "{count} had deleted options", count),
};

// Not chosen by the user, or without effect.
const UNREPORTED = new Set(["not_chosen", "nothing_to_do"]);

/** @param {Proposal} payload @returns {{tone: "add"|"chg"|"del"|"", text: string}[]} "4 to add" */
export function countTags(payload) {
  const counts = payload.counts ?? {};
  if (createsTable(payload)) return newTableTags(payload);
  const tags = KINDS.filter(([kind]) => counts[kind] > 0).map(([kind, tone, words]) => ({
    tone, text: words(counts[kind]),
  }));
  const problems = (counts.conflict ?? 0) + (counts.error ?? 0) + (counts.faulty ?? 0);
  return problems > 0 ? [...tags, { tone: "", text: t("{count} to check", { count: problems }) }] : tags;
}

/** @param {Proposal} payload @returns {{tone: "", text: string}[]} "4 columns", "3 sample rows" */
function newTableTags(payload) {
  const samples = payload.data?.sample_rows?.length ?? 0;
  const columns = operationCount(payload);
  const texts = [columns && tn("{count} column", "{count} columns", columns), samples && tn("{count} sample row", "{count} sample rows", samples)];
  return texts.filter(Boolean).map((text) => ({ tone: "", text }));
}

/** @param {Proposal} payload @returns {string} "15 changes waiting in the table" */
export function waitingLine(payload) {
  if (createsTable(payload)) {
    const unnamed = t("not named yet");
    return t("New table: {name}", { name: String(payload.data?.table_name || unnamed) });
  }
  const total = operationCount(payload);
  if (total === 0) return t("The proposal changes nothing");
  return payload.type === "schema_proposal"
    ? tn("{count} column change waiting", "{count} column changes waiting", total)
    : tn("{count} change waiting in the table", "{count} changes waiting in the table", total);
}

/**
 * @param {Proposal} payload  settled
 * @returns {{tone: "ok"|"warn"|"plain", icon: string, title: string, detail: string, skipped: string[], action: "undo"|"redo"|""}}
 */
export function receipt(payload) {
  const outcome = payload.outcome ?? {};
  const plain = (/** @type {string} */ icon, /** @type {string} */ title) =>
    ({ tone: /** @type {"plain"} */ ("plain"), icon, title, detail: "", skipped: [], action: /** @type {"redo" | ""} */ ("") });
  switch (payload.status) {
    case "dismissed":
      return plain("x", dismissed(payload));
    case "superseded":
      return plain("diff", t("Replaced by a newer proposal"));
    case "undone":
      return { ...plain("undo-2", t("Undone")), detail: undoneWords(outcome.applied?.length ?? 0), action: outcome.change ? "redo" : "" };
    default:
      return applied(payload, outcome);
  }
}

/** @param {{status: string, outcome?: any}} settled @returns {number[]} the rows that it has added, unless that was undone */
export function addedRows({ status, outcome }) {
  if (status !== "applied" && status !== "partially_applied") return [];
  return (outcome?.applied ?? []).filter((entry) => entry.action === "add" && entry.row_id).map((entry) => entry.row_id);
}

/** @param {Proposal} payload @param {any} outcome */
function applied(payload, outcome) {
  const done = outcome.applied ?? [];
  const skipped = (outcome.skipped ?? []).filter((entry) => !UNREPORTED.has(entry.reason));
  const total = Math.max(done.length + (outcome.skipped ?? []).length, operationCount(payload));
  if (createsTable(payload)) {
    const name = outcome.table?.name ?? payload.data?.table_name ?? t("the table");
    return { tone: "ok", icon: "circle-check", title: t("Created {name}", { name }), detail: "", skipped: [], action: "" };
  }
  const title = done.length < total ? t("Applied {done} of {total}", { done: done.length, total }) : allApplied(done.length, payload);
  const details = KINDS.map(([kind, , , words]) => ({ count: done.filter((entry) => entry.action === kind).length, words }));
  return {
    tone: skipped.length ? "warn" : "ok",
    icon: skipped.length ? "triangle-alert" : "circle-check",
    title,
    detail: details.filter(({ count }) => count > 0).map(({ count, words }) => words(count)).join(", "),
    skipped: skippedLines(skipped),
    action: outcome.change ? "undo" : "",
  };
}

/** @param {{reason?: string}[]} skipped @returns {string[]} "2 cells were changed meanwhile" */
function skippedLines(skipped) {
  const counts = new Map();
  for (const { reason = "" } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const other = (/** @type {number} */ count) => tn("{count} was left out", "{count} were left out", count);
  return [...counts].map(([reason, count]) => (Object.hasOwn(SKIPPED, reason) ? SKIPPED[reason] : other)(count));
}

/** @param {Proposal} payload */
function dismissed(payload) {
  if (createsTable(payload)) return t("Dismissed the new table");
  const count = operationCount(payload);
  return payload.type === "schema_proposal"
    ? tn("Dismissed {count} column change", "Dismissed {count} column changes", count)
    : tn("Dismissed {count} change", "Dismissed {count} changes", count);
}

/** @param {number} n */
function undoneWords(n) {
  return n === 0 ? "" : tn("{count} change undone", "{count} changes undone", n);
}

/** @param {number} n @param {Proposal} payload */
function allApplied(n, payload) {
  return payload.type === "schema_proposal"
    ? tn("Applied {count} column change", "Applied {count} column changes", n)
    : tn("Applied {count} change", "Applied {count} changes", n);
}

/** @param {Proposal} payload */
function createsTable(payload) {
  return payload.type === "schema_proposal" && payload.data?.mode === "create";
}

/** @param {Proposal} payload */
function operationCount(payload) {
  const { counts } = payload;
  return counts ? KINDS.reduce((sum, [kind]) => sum + (counts[kind] ?? 0), 0) : (payload.data?.operations?.length ?? 0);
}
