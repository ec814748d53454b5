// Makes elements from data: text only ever goes in as text, never as markup.

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
