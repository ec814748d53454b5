// A tool's card in an answer, and the amber one while it runs.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { button } from "./parts.js";
import { toolLabel } from "./registry.js";
import { seconds, toolName, toolSummary } from "./tool_lines.js";
import { turningBack } from "./turning_back.js";

/** @typedef {(tool: ToolView, way: "undo"|"redo", onConflict?: "keep"|"overwrite") => void} TurnBackTool */

/**
 * @param {ToolView} tool
 * @param {{open: boolean, taken: TakenBack | undefined, onTurnBack: TurnBackTool}} options
 *   taken: why its change could not be turned back when the person wanted it
 * @returns {HTMLElement} one line; opened, what went in and what came out
 */
export function toolCard(tool, { open, taken, onTurnBack }) {
  const undone = tool.undo?.undone ?? false;
  const { title, icon: name } = toolName(tool.name);
  const failed = tool.state === "failed";
  const summary = undone ? t("Undone") : toolSummary(tool);
  return el("details", { class: failed ? "tool is-failed" : "tool", open },
    el("summary", {},
      icon(failed ? "circle-x" : name, "icon--14"), el("b", {}, title), el("span", { class: "sum" }, summary),
      el("span", { class: "t" }, seconds(tool.durationMs)), icon("chevron-right", "icon--12 chev")),
    el("div", { class: "tool__in" },
      el("dl", { class: "tool__body" },
        pair(t("Input"), pretty(tool.input)), pair(t("Output"), tool.output ? pretty(tool.output) : t("Nothing yet"))),
      tool.undo
        ? button(undone ? t("Redo") : t("Undo"), { onclick: () => onTurnBack(tool, undone ? "redo" : "undo"), icon: undone ? "redo-2" : "undo-2" })
        : null,
      ...(taken?.undone === undone ? turningBack(taken, (way, onConflict) => onTurnBack(tool, way, onConflict)) : [])));
}

/**
 * @param {ToolView} tool  running
 * @param {{onCancel: () => void}} options
 */
export function toolRunning(tool, { onCancel }) {
  const total = tool.data?.total;
  const reckoned = Number.isFinite(tool.data?.done) && Number.isFinite(total);
  const progress = el("progress", { "aria-label": t("Progress") });
  if (reckoned) {
    progress.max = total;
    progress.value = tool.data.done;
  } else if (tool.progress !== null) {
    progress.max = 1;
    progress.value = tool.progress;
  }
  const share = tool.progress === null ? "" : `${Math.round(tool.progress * 100)} %`;
  const words = tool.message || tool.stage;
  return el("div", { class: "toolrun is-amber" },
    el("div", { class: "head" },
      icon("loader-circle", "icon--14 spin"), el("b", {}, toolLabel(tool.name) || toolName(tool.name).title),
      el("span", { class: "t" }, reckoned ? t("{done} of {total}", { done: tool.data.done, total }) : share),
      button(t("Stop"), { onclick: onCancel, icon: "x", iconOnly: true, class: "btn btn--ghost btn--icon btn--sm" })),
    tool.progress !== null || reckoned ? progress : null,
    words ? el("span", {}, words) : null);
}

/** @param {string} term @param {string} text */
function pair(term, text) {
  return el("div", {}, el("dt", {}, term), el("dd", {}, el("pre", { tabindex: "0" }, text)));
}

/** @param {unknown} value  JSON is laid out, everything else is as it is @returns {string} */
function pretty(value) {
  if (typeof value !== "string") return JSON.stringify(value ?? {}, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
