// Widths of columns, set by dragging the edge of a header and by keys on it.

import { isMirrored, logicalKey } from "../element.js";
import { MAX_WIDTH, MIN_WIDTH } from "./grid_head.js";

const STEP_PX = 16;
const LARGE_STEP_PX = 64;

/**
 * Follow the pointer until it is released.
 * @param {import("./view_settings.js").ViewSettings} settings @param {{head: HTMLElement, event: PointerEvent}} press
 */
export function dragEdge(settings, { head, event }) {
  const box = head.getBoundingClientRect();
  const ahead = isMirrored() ? -1 : 1;
  const id = head.dataset.col ?? "";
  const startX = event.clientX;
  let isChanged = false;
  const onMove = (/** @type {PointerEvent} */ now) => {
    // Released before this module was loaded.
    if (!now.buttons) return finish();
    isChanged = true;
    settings.setWidth(id, box.width + ahead * (now.clientX - startX));
  };
  // Suppress the click at the end of a drag, which would sort.
  const suppress = (/** @type {Event} */ click) => {
    click.preventDefault();
    click.stopPropagation();
  };
  const finish = () => {
    removeEventListener("pointermove", onMove);
    removeEventListener("pointerup", finish);
    removeEventListener("pointercancel", finish);
    addEventListener("click", suppress, true);
    setTimeout(() => removeEventListener("click", suppress, true));
    if (isChanged) settings.save();
  };
  addEventListener("pointermove", onMove);
  addEventListener("pointerup", finish);
  addEventListener("pointercancel", finish);
}

/** @param {Event} event  the focus of a header or its edge */
export function edgeEntered(event) {
  const edge = /** @type {Element} */ (event.target).closest(".col__edge");
  edge?.setAttribute("aria-valuenow", String(widthAt(edge)));
}

/** @param {Element} edge @returns {number} px */
function widthAt(edge) {
  return Math.round(/** @type {Element} */ (edge.closest("th")).getBoundingClientRect().width);
}

/** @param {TableGrid} grid @param {KeyboardEvent} event */
export function edgeKey({ viewSettings, table }, event) {
  const edge = /** @type {Element} */ (event.target).closest(".col__edge");
  if (!edge) return;
  const id = edge.closest("th").dataset.col;
  const size = event.shiftKey ? LARGE_STEP_PX : STEP_PX;
  const now = widthAt(edge);
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") viewSettings.setWidth(id, now + (logicalKey(event.key) === "ArrowRight" ? size : -size));
  else if (event.key === "Home") viewSettings.setWidth(id, MIN_WIDTH);
  else if (event.key === "End") viewSettings.setWidth(id, MAX_WIDTH);
  else if (event.key === "Enter" || event.key === "Escape") table.focus({ preventScroll: true });
  else return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key !== "Enter" && event.key !== "Escape") viewSettings.save();
}
