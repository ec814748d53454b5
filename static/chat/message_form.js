// The form in which a message that was sent is written anew: Enter sends, Escape leaves it as it was.

import { el } from "../element.js";
import { t } from "../locale.js";
import { isTooLong, tellLength } from "./composer.js";
import { button } from "./tray_parts.js";

/**
 * @param {string} before  the message as it was sent
 * @param {{send: (text: string) => void, end: () => void, running: () => boolean}} acts  running: whether a turn runs: then nothing can be sent
 * @returns {HTMLFormElement} an `input` event brings its button up to date
 */
export function messageForm(before, { send, end, running }) {
  const field = el("textarea", { class: "input", rows: "3", "aria-label": t("Your message, in other words") });
  field.value = before;
  const submit = el("button", { class: "btn btn--primary btn--sm", type: "submit" }, t("Send"));
  const form = el("form", { class: "asked" }, field,
    el("p", { class: "asked__note" }, t("What followed is set aside. Changes that were applied stay.")),
    el("div", { class: "acts" }, button(t("Cancel"), { onclick: end }), submit));
  const text = () => field.value.trim();
  const refused = () => running() || text() === "" || isTooLong(text());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!refused()) send(text());
  });
  form.addEventListener("input", () => {
    submit.disabled = refused();
    tellLength(form);
  });
  field.addEventListener("keydown", (event) => {
    // While an input method composes, Enter chooses a word; 229 is how older browsers say so.
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
