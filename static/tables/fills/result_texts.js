// Texts about the results and the progress of fills.

import { drawRevealed, el, icon, safeUrl } from "../../element.js";
import { readerLocale, t, tn } from "../../locale.js";
import { displayText, isEmpty } from "../values.js";

export const CONFIDENCE = { high: t("High confidence"), medium: t("Medium confidence"), low: t("Low confidence") };

const DEMO_MODEL = "demo model";
/** Notes of the demo model are texts of this application, with their English beginnings. @type {[RegExp, string][]} */
const DEMO_NOTES = [
  [/^Computed by/, t("Computed by the demo model.")],
  [/^Unknown to/, t("Unknown to the demo model, which only computes.")],
];

/** @param {string} model @returns {string} its name in the user's language */
export const modelText = (model) => (model === DEMO_MODEL ? t("demo model") : model);

/** @param {string} note @param {string} model @returns {string} as the model wrote it, the demo model in the user's language */
export const noteText = (note, model) => (model === DEMO_MODEL && DEMO_NOTES.find(([beginning]) => beginning.test(note))?.[1]) || note;

/** @param {number} count @returns {string} in the user's format */
export function counted(count) {
  return new Intl.NumberFormat(readerLocale).format(count);
}

/** @param {string} cost  in US dollars @returns {string} */
export function costText(cost) {
  return new Intl.NumberFormat(readerLocale, { maximumSignificantDigits: 3 }).format(Number(cost));
}

/** @param {{rows: number, calls: number, tokens: number, cost: string | null, minutes: number}} estimate @returns {string} */
export function estimateText({ calls, tokens, cost, minutes }) {
  const time = minutes < 120 ? tn("{count} minute", "{count} minutes", Math.max(1, minutes)) : tn("{count} hour", "{count} hours", Math.round(minutes / 60));
  const parts = [tn("{count} call", "{count} calls", calls), t("about {count} tokens", { count: Number(tokens.toPrecision(2)) }), ...(cost ? [t("about {cost} US dollars", { cost: costText(cost) })] : []), time];
  return parts.join(" · ");
}

/** @param {FillResult} result @returns {string} its state in words */
export function stateText({ state, values, error }) {
  if (state === "failed") return error?.detail ?? t("Failed");
  if (state === "discarded") return t("Discarded");
  if (state === "empty" || (state === "found" && !Object.keys(values).length)) return t("Not found");
  return { waiting: t("Waiting"), working: t("Working") }[state] ?? t("Found");
}

/** @param {Column[]} columns @param {Record<string, any>} values  by id @returns {string} */
export function valuesText(columns, values) {
  const found = columns.filter(({ id }) => !isEmpty(values[id]));
  return found.map((column) => (columns.length > 1 ? `${column.name}: ${displayText(column, values[column.id])}` : displayText(column, values[column.id]))).join(" · ");
}

/** @param {{url: string, title?: string, quote?: string}[]} sources @returns {HTMLElement | null} nothing of them is loaded; links open by a click */
export function drawSources(sources) {
  if (!sources.length) return null;
  const items = sources.map(({ url, title, quote }) => {
    const address = safeUrl(url);
    const host = address?.hostname ?? url;
    const name = drawRevealed(title || host);
    const link = address && address.protocol.startsWith("http") ? el("a", { class: "link", href: address.href, target: "_blank", rel: "noopener noreferrer nofollow" }, name) : name;
    return el("li", {}, link, title ? el("small", {}, " ", drawRevealed(host)) : null, quote ? el("q", {}, drawRevealed(quote)) : null);
  });
  return el("ul", { class: "fill__sources", "aria-label": t("Sources") }, ...items);
}

/** @param {FillResult} result @returns {HTMLElement} confidence and marks */
export function drawMarks(result) {
  const words = CONFIDENCE[result.confidence];
  return el("span", { class: "fill__marks" },
    result.state === "found" && words ? el("span", { class: "fill__mark", dataset: { confidence: result.confidence }, text: words }) : null,
    result.unverified ? el("span", { class: "fill__mark", dataset: { confidence: "low" } }, icon("triangle-alert", "icon--12"), t("Unverified")) : null);
}
