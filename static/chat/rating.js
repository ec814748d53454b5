// What a press on a thumb does: the rating is stored, and its reason is asked for.

import { api } from "../api.js";
import { el } from "../element.js";
import { t } from "../locale.js";
import { reasonForm } from "./reason_form.js";

/** Pressed again, a thumb is taken back. @param {Opinion} opinion @param {string} rating */
export async function rate(opinion, rating) {
  if (opinion.turn?.feedback?.rating === rating) {
    await send(opinion, { rating: null }, t("Taken back"));
  } else if (await send(opinion, { rating }, t("Thank you"))) {
    ask(opinion, rating);
  }
}

/** @param {Opinion} opinion @param {string} rating */
function ask(opinion, rating) {
  const close = () => {
    const held = isHeld(opinion);
    opinion.more.replaceChildren();
    if (held) opinion.faces.find((face) => face.dataset.rating === rating)?.focus();
  };
  const form = reasonForm(rating, { send: (reason) => send(opinion, { rating, reason }, t("Thank you, that helps")), close });
  const held = isHeld(opinion);
  opinion.more.replaceChildren(form);
  if (!held) return;
  form.querySelector("textarea").focus();
  form.scrollIntoView({ block: "nearest" });
}

/** @param {Opinion} opinion @returns {boolean} whether the focus is still here; otherwise it is not called back */
function isHeld({ thumbs, more }) {
  const { activeElement } = document;
  return !activeElement || activeElement === document.body || [thumbs, more].some((part) => part.contains(activeElement));
}

/**
 * @param {Opinion} opinion @param {{rating: string | null, reason?: string}} body @param {string} words  announced when it is stored
 * @returns {Promise<boolean>} whether it is stored
 */
async function send(opinion, body, words) {
  const { turn } = opinion;
  opinion.node.querySelector(".opinion__fault")?.remove();
  try {
    const { rating, reason } = await api.post(`/api/chat/messages/${turn.messageId}/feedback/`, body);
    opinion.rated(turn, rating && { rating, reason });
    opinion.said.textContent = words;
    return true;
  } catch (error) {
    const known = /** @type {any} */ (error);
    opinion.node.append(el("p", { class: "opinion__fault", role: "alert" }, known.status ? known.message : t("The server cannot be reached.")));
    return false;
  }
}
