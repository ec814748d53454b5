// Makes elements from data: text only ever goes in as text, never as markup. Draws a part anew without taking the keyboard
// away from whoever is in it.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, any>} [props]  `class`, `text`, `dataset`, `on` (event → listener), `aria-…` and other attributes;
 *   true writes an empty attribute, false, null and undefined write none
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {any} the element
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key === "dataset") Object.assign(node.dataset, value);
    else if (key === "on") for (const [type, listener] of Object.entries(value)) node.addEventListener(type, listener);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "indeterminate") node[key] = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * @param {string} name  a symbol of the sprite without its `i-`
 * @param {string} [extra]  more class names
 * @returns {SVGElement} decoration only: hidden from screen readers
 */
export function icon(name, extra = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon ${extra}`.trim());
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${document.documentElement.dataset.sprite}#i-${name}`);
  svg.append(use);
  return svg;
}

/** @returns {boolean} whether the page is read from right to left: what lies ahead is on the left then */
export function isMirrored() {
  return document.documentElement.dir === "rtl";
}

/** @param {number} rem @returns {number} px: more for whoever has set larger letters */
export function remInPx(rem) {
  return rem * (parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
}

/** @param {string} key @returns {string} the key that means the same where one reads from left to right */
export function keyAhead(key) {
  if (!isMirrored()) return key;
  return { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[key] ?? key;
}

/** @param {Element} element @returns {string} what it is known by: its name, or what it says */
function nameOf(element) {
  const marks = ["data-choice", "data-part", "aria-label", "value"].map((name) => element.getAttribute(name) ?? "");
  return [element.tagName, ...marks, element.getAttribute("aria-label") ? "" : element.textContent].join(" ");
}

/**
 * @param {Element} node @param {...(Node | string)} children  take the place of what is in it; the focus goes to what stands
 *   where it was
 */
export function replaceInside(node, ...children) {
  const held = document.activeElement;
  if (!held || held === node || !node.contains(held)) {
    node.replaceChildren(...children);
    return;
  }
  const alike = () => [...node.querySelectorAll(held.tagName)].filter((one) => nameOf(one) === nameOf(held));
  const place = alike().indexOf(held);
  node.replaceChildren(...children);
  // One that was put back has lost it, too.
  const now = /** @type {HTMLElement | undefined} */ (held.isConnected ? held : alike()[place]);
  if (document.activeElement !== now) now?.focus({ preventScroll: true });
}
