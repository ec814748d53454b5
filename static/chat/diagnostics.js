// Diagnostics for operators of the assistant: a drawer with the trace of a turn.

import { api } from "../api.js";
import { el, icon } from "../element.js";
import { t, tn } from "../locale.js";
import { toolName } from "./registry.js";
import { steps, totals } from "./trace_lines.js";

const SVG = "http://www.w3.org/2000/svg";
const HEADINGS = [[t("Step"), null], [t("In"), "r"], [t("Out"), "r"], [t("When"), "bar"], [t("Time"), "r"]];

/** @param {string} turnId  of a turn of this user @returns {Promise<void>} rejects with ApiError when there is no trace */
export async function openDiagnostics(turnId) {
  const trace = await api.get(`/api/chat/turns/${turnId}/trace/`);
  const close = el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": t("Close"), on: { click: () => dialog.close() } }, icon("x"));
  const head = el("header", { class: "panel__head" }, icon("activity"), el("h3", { id: "diagnostics-title" }, t("Diagnostics")), close);
  const body = el("div", { class: "panel__body", tabindex: "0" }, drawTrace(trace));
  const dialog = el("dialog", { class: "drawer panel", "aria-labelledby": "diagnostics-title" }, head, body);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.querySelector("dialog.drawer")?.remove(); // a second press replaces the drawer
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {any} trace  as the API returns it */
export function drawTrace(trace) {
  return el("div", { class: "diag" },
    el("dl", { class: "stats" }, ...totals(trace).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    trace.error ? el("p", { class: "notice is-bad" }, icon("circle-alert"), el("span", {}, `${trace.error.code}: ${trace.error.message}`)) : null,
    drawDropped(trace.dropped),
    el("div", { class: "diag__cols" }, drawSteps(trace), drawSections(trace), drawCalls(trace), drawMessages(trace)));
}

/** @param {string[]} dropped */
function drawDropped(dropped) {
  if (dropped.length === 0) return null;
  return el("section", {}, el("h4", {}, t("Omitted from the answer"), el("span", {}, String(dropped.length))),
    el("ul", { class: "diag__list" }, ...dropped.map((reason) => el("li", {}, reason))));
}

/** @param {any} trace */
function drawSteps(trace) {
  const found = steps(trace);
  const lines = found.map((step) =>
    el("tr", {},
      el("td", {}, step.title),
      el("td", { class: "r" }, step.tokensIn), el("td", { class: "r" }, step.tokensOut),
      el("td", { class: "bar" }, bar(step)),
      el("td", { class: "r" }, step.time)));
  const headings = HEADINGS.map(([name, className]) => el("th", { scope: "col", class: className }, className === "bar" ? el("span", { class: "sr" }, name) : name));
  const counts = [tn("{count} call", "{count} calls", trace.calls.length), tn("{count} tool", "{count} tools", trace.tools.length)].join(", ");
  return el("section", {}, el("h4", {}, t("Steps"), el("span", {}, counts)),
    el("table", { class: "trace" }, el("thead", {}, el("tr", {}, ...headings)), el("tbody", {}, ...lines)));
}

/** @param {{start: number, width: number, isTool: boolean}} step  in percent of the turn */
function bar({ start, width, isTool }) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 8");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const rect = document.createElementNS(SVG, "rect");
  const shape = { x: start, y: 0, width, height: 8, rx: 1, class: isTool ? "is-tool" : "" };
  for (const [name, value] of Object.entries(shape)) rect.setAttribute(name, String(value));
  svg.append(rect);
  return svg;
}

/** @param {any} trace */
function drawSections({ sections, turns_left_out: left, declared_tools: tools }) {
  const sum = sections.reduce((total, section) => total + section.tokens, 0);
  const entries = sections.map(({ title, text, tokens, bytes }, at) =>
    lazyDetails({ number: String(at + 1), title, size: t("≈ {tokens}", { tokens }), hint: tn("{count} byte", "{count} bytes", bytes), text }));
  return el("section", {}, el("h4", {}, t("Prompt"), el("span", {}, tn("≈ {count} token", "≈ {count} tokens", sum))), ...entries,
    Array.isArray(tools) && tools.length ? lazyDetails({ number: "", title: t("Declared tools"), size: String(tools.length), text: json(tools) }) : null,
    left ? el("p", {}, tn("{count} older turn did not fit.", "{count} older turns did not fit.", left)) : null);
}

/** The raw answers of model calls and tools. @param {any} trace */
function drawCalls({ calls, tools }) {
  const answers = calls.map((call, at) =>
    lazyDetails({ number: String(at + 1), title: t("Raw answer"), size: call.stop_reason || t("broke off"), text: contentText(call.answer?.content ?? []) }));
  const runs = tools.map((tool) =>
    lazyDetails({ number: "", title: `${toolName(tool.tool_name).title} (${tool.tool_name})`, size: tool.is_error ? t("failed") : "", text: `${json(tool.input)}\n\n${tool.output ?? ""}` }));
  return el("section", {}, el("h4", {}, t("Answers and tools")), ...answers, ...runs);
}

/** @param {any} trace */
function drawMessages({ messages, calls }) {
  const first = calls[0]?.messages.length ?? messages.length;
  const entries = messages.map((message, at) =>
    lazyDetails({
      number: String(at + 1), title: message?.role ?? "", size: at < first ? "" : t("in this turn"),
      text: message ? contentText(message.content) : t("(no longer stored)"),
    }));
  return el("section", {}, el("h4", {}, t("Messages as sent"), el("span", {}, String(messages.length))), ...entries);
}

/**
 * Create closed details whose text is inserted when they are opened: a trace may be a megabyte long.
 * @param {{number: string, title: string, size: string, hint?: string, text: string}} shown
 */
function lazyDetails({ number, title, size, hint = "", text }) {
  const pre = el("pre", { tabindex: "0" });
  const details = el("details", { class: "sect" },
    el("summary", {}, icon("chevron-right", "icon--12 chev"), el("span", { class: "n" }, number), title, el("span", { class: "tok", title: hint || null }, size)), pre);
  details.addEventListener("toggle", () => (pre.textContent = text), { once: true });
  return details;
}

/** @param {any[]} blocks  of a message */
function contentText(blocks) {
  return blocks.map((block) => (block.type === "text" ? block.text : json(block))).join("\n\n");
}

/** @param {any} value */
function json(value) {
  return JSON.stringify(value, null, 2) ?? "";
}
