// Makes elements; what is given as text stays text.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, string | boolean | null | ((event: any) => void)>} [props]  on* functions become listeners,
 *   true an empty attribute, null and false none
 * @param {...(Node | string | null | undefined)} children
 * @returns {any} the element
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** @param {string} name  of a symbol in the sprite @param {string} [extra]  classes */
export function icon(name, extra = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", extra ? `icon ${extra}` : "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${spriteUrl()}#i-${name}`);
  svg.append(use);
  return svg;
}

let sprite = "";

/** The sprite's address has a hash in it, so the page has to say it. */
function spriteUrl() {
  sprite ||= document.querySelector("[data-sprite]")?.getAttribute("data-sprite") ?? "";
  return sprite;
}

/**
 * @param {string} label  shown, or only spoken when the button has an icon alone
 * @param {{onclick: (event: any) => void, class?: string, icon?: string, iconOnly?: boolean, title?: string}} options
 */
export function button(label, { onclick, class: classes = "btn btn--sm", icon: name = "", iconOnly = false, title = "" }) {
  const face = name ? icon(name, iconOnly ? "icon--14" : "icon--12") : null;
  if (iconOnly) return el("button", { type: "button", class: classes, onclick, "aria-label": label, title: label }, face);
  return el("button", { type: "button", class: classes, onclick, title: title || null }, face, label);
}
