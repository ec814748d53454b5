// What every part of the tray is made with: a button, and a place that is redrawn only when it must be.

import { el, icon } from "../element.js";
import { replaceInside } from "../kept_focus.js";

/**
 * @param {string} label  shown, or only spoken when the button has an icon alone
 * @param {{onclick: (event: any) => void, class?: string, icon?: string, iconOnly?: boolean, title?: string}} options
 */
export function button(label, { onclick, class: classes = "btn btn--sm", icon: name = "", iconOnly = false, title = "" }) {
  const face = name ? icon(name, iconOnly ? "icon--14" : "icon--12") : null;
  const props = { type: "button", class: classes, on: { click: onclick } };
  if (iconOnly) return el("button", { ...props, "aria-label": label, title: label }, face);
  return el("button", { ...props, title: title || null }, face, label);
}

/** A place rebuilt only when what it shows has changed: a click is never lost to a redraw. */
export class Slot {
  #key = "";

  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
  }

  /**
   * @template T
   * @param {T} shown  plain data; "" and [] show nothing
   * @param {(shown: T) => Node[]} build
   */
  fill(shown, build) {
    const empty = shown === "" || (Array.isArray(shown) && shown.length === 0);
    const key = empty ? "" : JSON.stringify(shown);
    if (key === this.#key) return;
    this.#key = key;
    replaceInside(this.node, ...(empty ? [] : build(shown)));
  }
}
