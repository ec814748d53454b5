// The words on a proposal's card and its receipt, from its counts, status and outcome.

import { t, tn } from "../locale.js";

/** @typedef {Payload & {outcome?: any, last_error?: string}} Proposal */

const PROPOSAL_STATES = new Set(["pending", "applied", "partially_applied", "dismissed", "superseded", "undone"]);
/** @typedef {(count: number) => string} Counted */
/** By kind: its colour, what is to be done, what was done. @type {[string, "add"|"chg"|"del"|"", Counted, Counted][]} */
const KINDS = [
  ["add", "add", (count) => t("{count} to add", { count }), (count) => t("{count} added", { count })],
  ["update", "chg", (count) => t("{count} to change", { count }), (count) => t("{count} changed", { count })],
  ["modify", "chg", (count) => t("{count} to change", { count }), (count) => t("{count} changed", { count })],
  ["delete", "del", (count) => t("{count} to delete", { count }), (count) => t("{count} deleted", { count })],
  ["remove", "del", (count) => t("{count} to remove", { count }), (count) => t("{count} removed", { count })],
  ["reorder", "", (count) => t("{count} to move", { count }), (count) => t("{count} moved", { count })],
];

/** @type {Record<string, Counted>} */
const LEFT = {
  error: (count) => tn("{count} had an error", "{count} had errors", count),
  row_missing: (count) => tn("{count} row was already gone", "{count} rows were already gone", count),
  row_changed: (count) => tn("{count} row was changed in the meantime", "{count} rows were changed in the meantime", count),
  cell_changed: (count) => tn("{count} was changed in the meantime", "{count} were changed in the meantime", count),
  column_removed: (count) => tn("{count} was about a column that is gone", "{count} were about columns that are gone", count),
  column_changed: (count) => tn("{count} was about a column that has changed", "{count} were about columns that have changed", count),
  option_removed: (count) => tn("{count} had an option that is gone", "{count} had options that are gone", count),
};

// The person left it out, or there was nothing to be done.
const QUIET = new Set(["not_chosen", "nothing_to_do"]);

/** @param {Proposal} payload  a payload that waits or waited for a person, not one that is only shown */
export function isProposal(payload) {
  return Boolean(payload.id) && PROPOSAL_STATES.has(payload.status);
}

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
  if (createsTable(payload)) return t("New table: {name}", { name: String(payload.data?.table_name || t("to be named")) });
  const total = operationCount(payload);
  if (total === 0) return t("The proposal changes nothing");
  return payload.type === "schema_proposal"
    ? tn("{count} column change waiting", "{count} column changes waiting", total)
    : tn("{count} change waiting in the table", "{count} changes waiting in the table", total);
}

/**
 * @param {Proposal} payload  settled
 * @returns {{tone: "ok"|"warn"|"plain", icon: string, title: string, detail: string, left: string[], act: "undo"|"redo"|""}}
 */
export function receipt(payload) {
  const outcome = payload.outcome ?? {};
  switch (payload.status) {
    case "dismissed":
      return { tone: "plain", icon: "x", title: dismissed(payload), detail: "", left: [], act: "" };
    case "superseded":
      return { tone: "plain", icon: "diff", title: t("Replaced by a newer proposal"), detail: "", left: [], act: "" };
    case "undone":
      return {
        tone: "plain", icon: "undo-2", title: t("Undone"), left: [], act: outcome.change ? "redo" : "",
        detail: tookBack(outcome.applied?.length ?? 0),
      };
    default:
      return applied(payload, outcome);
  }
}

/** @param {{status: string, outcome?: any}} settled @returns {number[]} the rows that it has added and that were not taken back */
export function addedRows({ status, outcome }) {
  if (status !== "applied" && status !== "partially_applied") return [];
  return (outcome?.applied ?? []).filter((entry) => entry.action === "add" && entry.row_id).map((entry) => entry.row_id);
}

/** @param {Proposal} payload @param {any} outcome */
function applied(payload, outcome) {
  const done = outcome.applied ?? [];
  const left = (outcome.skipped ?? []).filter((entry) => !QUIET.has(entry.reason));
  const total = Math.max(done.length + (outcome.skipped ?? []).length, operationCount(payload));
  if (createsTable(payload)) {
    const name = outcome.table?.name ?? payload.data?.table_name ?? t("the table");
    return { tone: "ok", icon: "circle-check", title: t("Created {name}", { name }), detail: "", left: [], act: "" };
  }
  const title = done.length < total ? t("Applied {done} of {total}", { done: done.length, total }) : allApplied(done.length, payload);
  const details = KINDS.map(([kind, , , words]) => ({ count: done.filter((entry) => entry.action === kind).length, words }));
  return {
    tone: left.length ? "warn" : "ok",
    icon: left.length ? "triangle-alert" : "circle-check",
    title,
    detail: details.filter(({ count }) => count > 0).map(({ count, words }) => words(count)).join(", "),
    left: leftWords(left),
    act: outcome.change ? "undo" : "",
  };
}

/** @param {{reason?: string}[]} left @returns {string[]} "2 cells were changed in the meantime" */
function leftWords(left) {
  const counts = new Map();
  for (const { reason = "" } of left) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const out = (/** @type {number} */ count) => tn("{count} was left out", "{count} were left out", count);
  return [...counts].map(([reason, count]) => (Object.hasOwn(LEFT, reason) ? LEFT[reason] : out)(count));
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
function tookBack(n) {
  return n === 0 ? "" : tn("{count} change was taken back", "{count} changes were taken back", n);
}

/** @param {number} n @param {Proposal} payload */
function allApplied(n, payload) {
  return payload.type === "schema_proposal"
    ? tn("Applied {count} column change", "Applied {count} column changes", n)
    : tn("Applied {count} change", "Applied {count} changes", n);
}

/** @param {Proposal} payload */
export function createsTable(payload) {
  return payload.type === "schema_proposal" && payload.data?.mode === "create";
}

/** @param {Proposal} payload */
export function operationCount(payload) {
  const { counts } = payload;
  return counts ? KINDS.reduce((sum, [kind]) => sum + (counts[kind] ?? 0), 0) : (payload.data?.operations?.length ?? 0);
}
