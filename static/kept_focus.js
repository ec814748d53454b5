// Draws a part anew without taking the keyboard away from whoever is in it.

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
