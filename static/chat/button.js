// A button with a word or an icon.

import { el, icon } from "../element.js";

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
