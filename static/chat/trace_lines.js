// The totals and steps of a turn's trace as text.

import { readerLocale, t, tn } from "../locale.js";
import { toolName } from "./registry.js";
import { seconds } from "./tool_card.js";

const OUTCOMES = { complete: t("Complete"), error: t("Failed"), cancelled: t("Stopped") };
const KINDS = { answer: t("Model call"), repair: t("Repair"), continuation: t("Continuation") };
const MIN_WIDTH = 1; // percent, so that a step without a duration is visible

/** @param {any} trace @returns {[string, string][]} name and value */
export function totals({ state, ended_ms: ended, calls, usage, cost, model }) {
  const first = calls.map((call) => call.first_token_ms).find((moment) => moment !== null && moment !== undefined);
  return [
    [t("Outcome"), OUTCOMES[state] ?? state],
    [t("Time"), seconds(ended ?? null)],
    [t("First word"), seconds(first ?? null) || "–"],
    [t("Tokens in"), count(usage.input_tokens)],
    [t("From cache"), count(usage.cache_read_tokens)],
    [t("Tokens out"), count(usage.output_tokens)],
    [t("Model calls"), count(calls.length)],
    [t("Model"), model ?? "–"],
    ...(cost === undefined ? [] : [[t("Cost"), `$${Number(cost).toFixed(4)}`]]),
  ];
}

/**
 * @param {any} trace
 * @returns {{title: string, tokensIn: string, tokensOut: string, time: string, start: number, width: number, isTool: boolean}[]}
 *   start and width in percent of the turn's time
 */
export function steps({ calls, tools, ended_ms: ended }) {
  const whole = Math.max(ended ?? 0, 1);
  const models = calls.map((call, at) => ({
    title: titleOf(call, String(at + 1)),
    tokensIn: count(call.usage.input_tokens), tokensOut: count(call.usage.output_tokens),
    began: call.began_ms, took: (call.ended_ms ?? whole) - call.began_ms, isTool: false,
  }));
  const runs = tools.map((tool) => ({
    title: toolName(tool.tool_name).title, tokensIn: "", tokensOut: "", began: tool.began_ms, took: tool.duration_ms ?? 0, isTool: true,
  }));
  const known = [...models, ...runs].filter((step) => Number.isFinite(step.began));
  return known.sort((a, b) => a.began - b.began).map(({ began, took, ...step }) => ({
    ...step, time: seconds(took),
    start: Math.min(100 - MIN_WIDTH, (100 * began) / whole),
    width: Math.max(MIN_WIDTH, Math.min(100, (100 * took) / whole)),
  }));
}

/** @param {any} call @param {string} number */
function titleOf({ kind, retries }, number) {
  const call = KINDS[kind] ?? kind;
  return retries ? tn("{call} {number}, after {count} retry", "{call} {number}, after {count} retries", retries, { call, number }) : `${call} ${number}`;
}

/** @param {number | undefined} n */
function count(n) {
  return n === undefined || n === null ? "–" : n.toLocaleString(readerLocale);
}
