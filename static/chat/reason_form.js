// The form for the reason of a rating, below the answer.

import { el } from "../element.js";
import { t } from "../locale.js";

const MAX_LENGTH = 2000;
const QUESTIONS = { up: t("What was good?"), down: t("What was wrong?") };

/**
 * @param {string} rating  "up" or "down"
 * @param {{send: (reason: string) => Promise<boolean>, close: () => void}} how  send: resolves to whether it was stored
 * @returns {HTMLFormElement}
 */
export function reasonForm(rating, { send, close }) {
  const question = QUESTIONS[rating];
  const text = el("textarea", { class: "input", rows: "2", maxlength: String(MAX_LENGTH), "aria-label": question, placeholder: t("{question} (optional)", { question }) });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const reason = text.value.trim();
    if (!reason || (await send(reason))) close();
  };
  const form = el("form", { class: "rating__form", on: { submit } },
    text,
    el("p", { class: "rating__note" }, t("Visible to administrators.")),
    el("span", { class: "actions" },
      el("button", { type: "submit", class: "btn btn--sm" }, t("Send")),
      el("button", { type: "button", class: "btn btn--ghost btn--sm", on: { click: close } }, t("No reason"))));
  form.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape") {
      // Do not close the chat on a phone.
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      form.requestSubmit();
    }
  });
  return form;
}
