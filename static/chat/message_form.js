// The form for editing a sent message: Enter sends, Escape cancels.

import { el } from "../element.js";
import { t } from "../locale.js";
import { isTooLong, updateLengthWarning } from "./composer.js";
import { button } from "./tray_parts.js";

/**
 * @param {string} before  the sent message
 * @param {{send: (text: string) => void, end: () => void, running: () => boolean}} handlers  running: whether a turn runs, so
 *   that nothing can be sent
 * @returns {HTMLFormElement} an `input` event updates its button
 */
export function messageForm(before, { send, end, running }) {
  const field = el("textarea", { class: "input", rows: "3", "aria-label": t("Edit message") });
  field.value = before;
  const submit = el("button", { class: "btn btn--primary btn--sm", type: "submit" }, t("Send"));
  const form = el("form", { class: "message-form" }, field,
    el("p", { class: "message-form__note" }, t("Later messages are replaced. Applied changes remain.")),
    el("div", { class: "actions" }, button(t("Cancel"), { onclick: end }), submit));
  const text = () => field.value.trim();
  const refused = () => running() || text() === "" || isTooLong(text());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!refused()) send(text());
  });
  form.addEventListener("input", () => {
    submit.disabled = refused();
    updateLengthWarning(form);
  });
  field.addEventListener("keydown", (event) => {
    // During IME composition Enter accepts a word; older browsers report key code 229.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      end();
    } else if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  return form;
}
