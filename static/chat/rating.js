// Stores a rating and asks for its reason.

import { api } from "../api.js";
import { el } from "../element.js";
import { t } from "../locale.js";
import { reasonForm } from "./reason_form.js";

/** Set a rating; pressing the same button again removes it. @param {RatingControl} control @param {string} rating */
export async function rate(control, rating) {
  if (control.turn?.feedback?.rating === rating) {
    await send(control, { rating: null }, t("Rating removed"));
  } else if (await send(control, { rating }, t("Thanks"))) {
    askReason(control, rating);
  }
}

/** @param {RatingControl} control @param {string} rating */
function askReason(control, rating) {
  const close = () => {
    const hadFocus = mayFocus(control);
    control.more.replaceChildren();
    if (hadFocus) control.buttons.find((button) => button.dataset.rating === rating)?.focus();
  };
  const form = reasonForm(rating, { send: (reason) => send(control, { rating, reason }, t("Thanks for the feedback")), close });
  const hadFocus = mayFocus(control);
  control.more.replaceChildren(form);
  if (!hadFocus) return;
  form.querySelector("textarea").focus();
  form.scrollIntoView({ block: "nearest" });
}

/** @param {RatingControl} control @returns {boolean} whether the focus may be moved */
function mayFocus({ thumbs, more }) {
  const { activeElement } = document;
  return !activeElement || activeElement === document.body || [thumbs, more].some((part) => part.contains(activeElement));
}

/**
 * @param {RatingControl} control @param {{rating: string | null, reason?: string}} body @param {string} words  announced to screen readers
 * @returns {Promise<boolean>} whether it is stored
 */
async function send(control, body, words) {
  const { turn } = control;
  control.node.querySelector(".rating__error")?.remove();
  try {
    const { rating, reason } = await api.post(`/api/chat/messages/${turn.messageId}/feedback/`, body);
    control.onRated(turn, rating && { rating, reason });
    control.status.textContent = words;
    return true;
  } catch (error) {
    const known = /** @type {any} */ (error);
    control.node.append(el("p", { class: "rating__error", role: "alert" }, known.status ? known.message : t("The server cannot be reached.")));
    return false;
  }
}
