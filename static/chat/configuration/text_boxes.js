// Text boxes that grow with their text and can fill the screen.

/** @param {HTMLFormElement} form */
export function prepareTextBoxes(form) {
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (form.querySelectorAll("[data-full-screen]"))) {
    const box = /** @type {HTMLTextAreaElement} */ (document.getElementById(button.dataset.fullScreen ?? ""));
    button.hidden = false;
    new FullScreen(box, button);
    if (!CSS.supports("field-sizing", "content")) growWithText(box);
  }
}

/** @param {HTMLTextAreaElement} box */
function growWithText(box) {
  const grow = () => {
    box.style.blockSize = "auto";
    box.style.blockSize = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
  };
  box.addEventListener("input", grow);
  grow();
}

class FullScreen {
  /** Elements that were made inert. @type {HTMLElement[]} */
  #behind = [];

  /** @param {HTMLTextAreaElement} box @param {HTMLButtonElement} button */
  constructor(box, button) {
    this.box = box;
    this.button = button;
    this.row = /** @type {HTMLElement} */ (box.closest(".form-row"));
    button.addEventListener("click", () => this.#toggle());
    this.row.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || !this.#isOpen) return;
      event.preventDefault();
      this.#toggle();
    });
  }

  get #isOpen() {
    return this.row.classList.contains("full-screen");
  }

  /** The focus moves to the text, and stays there when the screen is left. */
  #toggle() {
    const open = !this.#isOpen;
    this.row.classList.toggle("full-screen", open);
    this.button.setAttribute("aria-pressed", String(open));
    for (const element of this.#behind) element.inert = false;
    this.#behind = open ? elementsAround(this.row) : [];
    for (const element of this.#behind) element.inert = true;
    this.box.focus();
    if (!open) this.box.scrollIntoView({ block: "nearest" });
  }
}

/** @param {HTMLElement} element @returns {HTMLElement[]} all elements outside, which keyboard and pointer cannot reach */
function elementsAround(element) {
  const found = [];
  for (let inner = element; inner.parentElement && inner !== document.body; inner = inner.parentElement) {
    for (const sibling of inner.parentElement.children) {
      if (sibling !== inner && sibling instanceof HTMLElement && !sibling.inert) found.push(sibling);
    }
  }
  return found;
}
