// The words on a proposal's card and its receipt, from its counts, status and outcome.

import { readerLocale } from "../locale.js";

/** @typedef {Payload & {outcome?: any, last_error?: string}} Proposal */

const PROPOSAL_STATES = new Set(["pending", "applied", "partially_applied", "dismissed", "superseded", "undone"]);
const KINDS = [
  ["add", "add", "to add", "added"],
  ["update", "chg", "to change", "changed"],
  ["modify", "chg", "to change", "changed"],
  ["delete", "del", "to delete", "deleted"],
  ["remove", "del", "to remove", "removed"],
  ["reorder", "", "to move", "moved"],
];

const LEFT = {
  error: ["had an error", "had errors"],
  row_missing: ["row was already gone", "rows were already gone"],
  row_changed: ["row was changed in the meantime", "rows were changed in the meantime"],
  cell_changed: ["was changed in the meantime", "were changed in the meantime"],
  column_removed: ["was about a column that is gone", "were about columns that are gone"],
  column_changed: ["was about a column that has changed", "were about columns that have changed"],
  option_removed: ["had an option that is gone", "had options that are gone"],
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
    tone, text: `${counts[kind].toLocaleString(readerLocale)} ${words}`,
  }));
  const problems = (counts.conflict ?? 0) + (counts.error ?? 0) + (counts.faulty ?? 0);
  return problems > 0 ? [...tags, { tone: "", text: `${problems.toLocaleString(readerLocale)} to check` }] : tags;
}

/** @param {Proposal} payload @returns {{tone: "", text: string}[]} "4 columns", "3 sample rows" */
function newTableTags(payload) {
  const samples = payload.data?.sample_rows?.length ?? 0;
  const parts = [[operationCount(payload), "column"], [samples, "sample row"]];
  return parts.filter(([n]) => n > 0).map(([n, word]) => ({ tone: "", text: `${n} ${word}${n === 1 ? "" : "s"}` }));
}

/** @param {Proposal} payload @returns {string} "15 changes waiting in the table" */
export function waitingLine(payload) {
  if (createsTable(payload)) return `New table: ${payload.data?.table_name || "to be named"}`;
  const total = operationCount(payload);
  if (total === 0) return "The proposal changes nothing";
  return `${changes(total, payload)} waiting${payload.type === "schema_proposal" ? "" : " in the table"}`;
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
      return { tone: "plain", icon: "diff", title: "Replaced by a newer proposal", detail: "", left: [], act: "" };
    case "undone":
      return {
        tone: "plain", icon: "undo-2", title: "Undone", left: [], act: outcome.change ? "redo" : "",
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
    const name = outcome.table?.name ?? payload.data?.table_name ?? "the table";
    return { tone: "ok", icon: "circle-check", title: `Created ${name}`, detail: "", left: [], act: "" };
  }
  const title = done.length < total ? `Applied ${done.length} of ${total}` : `Applied ${changes(done.length, payload)}`;
  const counts = KINDS.map(([kind, , , word]) => [done.filter((entry) => entry.action === kind).length, word]);
  return {
    tone: left.length ? "warn" : "ok",
    icon: left.length ? "triangle-alert" : "circle-check",
    title,
    detail: counts.filter(([n]) => n > 0).map(([n, word]) => `${n} ${word}`).join(", "),
    left: leftWords(left),
    act: outcome.change ? "undo" : "",
  };
}

/** @param {{reason?: string}[]} left @returns {string[]} "2 cells were changed in the meantime" */
function leftWords(left) {
  const counts = new Map();
  for (const { reason = "" } of left) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, n]) => {
    const [one, many] = LEFT[reason] ?? ["was left out", "were left out"];
    return `${n.toLocaleString(readerLocale)} ${n === 1 ? one : many}`;
  });
}

/** @param {Proposal} payload */
function dismissed(payload) {
  return createsTable(payload) ? "Dismissed the new table" : `Dismissed ${changes(operationCount(payload), payload)}`;
}

/** @param {number} n */
function tookBack(n) {
  if (n === 0) return "";
  return n === 1 ? "1 change was taken back" : `${n} changes were taken back`;
}

/** @param {number} n @param {Proposal} payload */
function changes(n, payload) {
  const what = payload.type === "schema_proposal" ? "column change" : "change";
  return n === 1 ? `1 ${what}` : `${n.toLocaleString(readerLocale)} ${what}s`;
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
