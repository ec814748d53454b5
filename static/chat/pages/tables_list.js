// The page of all tables: the box that asks for a new one, and a proposed table above the list.

import { newTableHandler } from "../payloads/new_table_proposal.js";
import { registerPayloadHandler } from "../registry.js";

// A form or an introduction is hidden while a table is proposed; the list of tables is not.
const [place, instead] = ["proposed", "listed"].map((id) => document.getElementById(id));
if (place) registerPayloadHandler("schema_proposal", newTableHandler({ place, instead }));

/** @param {string} text */
function say(text) {
  document.dispatchEvent(new CustomEvent("chat-reveal"));
  document.dispatchEvent(new CustomEvent("chat-send", { detail: { text } }));
}

/** @param {HTMLFormElement} form */
function listen(form) {
  const field = form.elements.namedItem("message");
  const button = form.querySelector(".send");
  const wake = () => (button.disabled = !field.value.trim());
  field.addEventListener("input", wake);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (field.value.trim()) form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    wake();
    say(text);
  });
  wake();
}

// Nothing is taken from anybody before the chat is there to hear it.
customElements.whenDefined("chat-tray").then(() => {
  for (const form of document.querySelectorAll("form[data-describe]")) listen(form);
  for (const button of document.querySelectorAll("[data-say]")) {
    button.addEventListener("click", () => say(button.dataset.say));
    button.disabled = false;
  }
});
