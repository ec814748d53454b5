// A form that takes a file: also one that is dropped on it; chosen is sent, without another press.

import { t } from "../locale.js";

for (const form of document.querySelectorAll("form[data-file-drop]")) {
  const field = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));
  const title = form.querySelector("[data-drop-title]");
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));
  // What is chosen is sent at once: there is nothing left to press.
  button.hidden = true;
  const over = (/** @type {boolean} */ is) => form.classList.toggle("is-over", is);

  form.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  form.addEventListener("dragleave", (event) => {
    if (!(event.relatedTarget instanceof Node && form.contains(event.relatedTarget))) over(false);
  });
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    const given = new DataTransfer();
    given.items.add(file);
    field.files = given.files;
    form.requestSubmit();
  });
  field.addEventListener("change", () => {
    if (field.files?.length) form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    // What was dropped twice, or chosen and pressed, is sent once.
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    title.textContent = t("Uploading…");
  });
  // Back from the next page, another file can be chosen.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    delete form.dataset.sent;
    title.textContent = t("Choose a file, or drop it here");
  });
}
