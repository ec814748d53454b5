// Tool cards in answers: a finished tool with a summary line, a running tool, and the controls after a failed undo or redo.

import { drawRevealed, el, icon } from "../element.js";
import { readerLocale, t } from "../locale.js";
import { button } from "./tray_parts.js";
import { toolHandler, toolName } from "./registry.js";

/** @typedef {(tool: ToolView, way: "undo"|"redo", onConflict?: "skip"|"overwrite") => void} UndoTool */

/**
 * @param {ToolView} tool
 * @param {{open: boolean, undoFailure: UndoFailure | undefined, onUndo: UndoTool}} options
 *   taken: why undo or redo of its change failed
 * @returns {HTMLElement} a summary line with input and output in details, and an undo button if it can be undone
 */
export function toolCard(tool, { open, undoFailure, onUndo }) {
  const undone = tool.undo?.undone ?? false;
  const { title, icon: name } = toolName(tool.name);
  const failed = tool.state === "failed";
  const summary = undone ? t("Undone") : toolSummary(tool);
  const details = el("details", { class: failed ? "tool is-failed" : "tool", open },
    el("summary", {},
      icon(failed ? "circle-x" : name, "icon--14"), el("b", {}, title), el("span", { class: "sum" }, summary),
      el("span", { class: "t" }, seconds(tool.durationMs)), icon("chevron-right", "icon--12 chev")),
    el("div", { class: "tool__inner" },
      el("dl", { class: "tool__body" },
        descriptionItem(t("Input"), pretty(tool.input)), descriptionItem(t("Output"), tool.output ? pretty(tool.output) : t("Nothing yet")))));
  if (!tool.undo || !toolHandler(tool.name)?.undo) return details;
  const toggleUndo = () => onUndo(tool, undone ? "redo" : "undo");
  return el("div", { class: "toolrow" },
    details,
    button(undone ? t("Redo") : t("Undo"), { onclick: toggleUndo, icon: undone ? "redo-2" : "undo-2", class: "btn btn--sm" }),
    ...(undoFailure?.undone === undone ? undoControls(undoFailure, (way, onConflict) => onUndo(tool, way, onConflict)) : []));
}

/**
 * @param {ToolView} tool  running
 * @param {{onCancel: () => void}} options
 */
export function toolRunning(tool, { onCancel }) {
  const total = tool.data?.total;
  const hasCount = Number.isFinite(tool.data?.done) && Number.isFinite(total);
  const progress = el("progress", { "aria-label": t("Progress") });
  if (hasCount) {
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
      icon("loader-circle", "icon--14 spin"), el("b", {}, toolName(tool.name).title),
      el("span", { class: "t" }, hasCount ? t("{done} of {total}", { done: tool.data.done, total }) : share),
      button(t("Stop"), { onclick: onCancel, icon: "x", iconOnly: true, class: "btn btn--ghost btn--icon btn--sm" })),
    tool.progress !== null || hasCount ? progress : null,
    words ? el("span", {}, words) : null);
}

/** @param {string} term @param {string} text */
function descriptionItem(term, text) {
  return el("div", {}, el("dt", {}, term), el("dd", {}, el("pre", { tabindex: "0" }, text)));
}

/** @param {unknown} value  JSON is indented, other text is unchanged @returns {string} */
function pretty(value) {
  if (typeof value !== "string") return JSON.stringify(value ?? {}, null, 2);
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

/** @param {ToolView} tool @returns {string} what its handler says about the result, "" for nothing */
export function toolSummary(tool) {
  if (tool.state === "stopped") return t("Stopped");
  if (tool.state === "failed") return firstLine(tool.output) || t("Failed");
  return toolHandler(tool.name)?.summary?.({ input: tool.input ?? {}, output: tool.output }) ?? "";
}

/** @param {number|null} ms @returns {string} "0.3 s" */
export function seconds(ms) {
  if (ms === null || !Number.isFinite(ms)) return "";
  const [value, digits] = ms < 9_950 ? [Math.max(ms, 50) / 1000, 1] : [Math.round(ms / 1000), 0];
  return `${value.toLocaleString(readerLocale, { minimumFractionDigits: digits, maximumFractionDigits: digits })} s`;
}

/** @param {string} text */
function firstLine(text) {
  const line = text.split("\n", 1)[0].trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/**
 * @typedef {object} UndoState
 * @property {string} fault  error message, "" for none
 * @property {"undo"|"redo"|""} blocked  an undo or redo that would overwrite later changes: the user must choose how
 *
 * @param {UndoState} state
 * @param {(way: "undo"|"redo", onConflict: "skip"|"overwrite") => void} undoOrRedo
 * @returns {HTMLElement[]}
 */
export function undoControls({ fault, blocked }, undoOrRedo) {
  return [
    ...(fault ? [el("p", { class: "is-fault", role: "alert" }, drawRevealed(fault))] : []),
    ...(blocked
      ? [el("div", { class: "actions" },
          button(t("Keep later changes"), { onclick: () => undoOrRedo(blocked, "skip") }),
          button(t("Overwrite later changes"), { onclick: () => undoOrRedo(blocked, "overwrite"), class: "btn btn--warning btn--sm" }))]
      : []),
  ];
}
