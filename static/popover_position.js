// Positions popovers beside the element that they are about.

import { isMirrored } from "./element.js";

/**
 * @param {HTMLElement} part  a popover @param {HTMLElement} anchor  shown below the anchor, or above it where space is missing
 */
export function positionPopover(part, anchor) {
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 4 + part.offsetHeight <= innerHeight;
  const start = isMirrored() ? at.right - part.offsetWidth : at.left;
  part.style.left = `${Math.max(8, Math.min(start, innerWidth - part.offsetWidth - 8))}px`;
  part.style.top = below ? `${at.bottom + 4}px` : `${Math.max(8, at.top - 4 - part.offsetHeight)}px`;
}
