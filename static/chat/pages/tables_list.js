// The page with all tables: the form that describes a new one, and a proposed table above the list.

import { load } from "../../element.js";
import { registerLazyHandlers, registerPayloadHandler } from "../registry.js";

registerLazyHandlers(async () => {
  const { registerTableTools } = await load(() => import("../tools/table_tools.js"));
  registerTableTools();
  const container = document.getElementById("proposed");
  if (!container) return;
  const { newTableHandler } = await load(() => import("../payloads/new_table_proposal.js"));
  registerPayloadHandler("schema_proposal", newTableHandler(container));
});

const loadCardFills = () => load(() => import("../../tables/fills/card_progress.js"));
if (document.querySelector("[data-fill]")) void loadCardFills().then(({ followFills }) => followFills(), () => {});
document.addEventListener("notices-changed", () => void loadCardFills().then(({ updateCards }) => updateCards(), () => {}));

/** @param {string} text */
function sendToChat(text) {
  document.dispatchEvent(new CustomEvent("chat-reveal"));
  document.dispatchEvent(new CustomEvent("chat-send", { detail: { text } }));
}

/** @param {HTMLFormElement} form */
function listen(form) {
  const field = form.elements.namedItem("message");
  const button = form.querySelector(".send");
  const updateButton = () => (button.disabled = !field.value.trim());
  field.addEventListener("input", updateButton);
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
    updateButton();
    sendToChat(text);
  });
  updateButton();
}

// Enable the forms when the chat is loaded.
customElements.whenDefined("chat-tray").then(() => {
  for (const form of document.querySelectorAll("form[data-describe]")) listen(form);
  for (const button of document.querySelectorAll("[data-say]")) {
    button.addEventListener("click", () => sendToChat(button.dataset.say));
    button.disabled = false;
  }
});
