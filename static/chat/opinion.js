// What the person thinks of an answer: a thumb up or down, and why. Administrators read it.

import { api } from "../api.js";
import { el, icon } from "../element.js";
import { t } from "../locale.js";

const MOST = 2000;
const SMALL = "btn btn--ghost btn--icon btn--sm";
const THUMBS = { up: t("Good answer"), down: t("Bad answer") };
const ASKED = { up: t("What was good about it?"), down: t("What was wrong with it?") };

/** @typedef {{rating: "up" | "down", reason: string} | null} Feedback */

export class Opinion {
  /** @type {TurnView | null} */
  #turn = null;
  /** One after the other, so that the last word is what stays. */
  #sending = Promise.resolve();

  /** @param {{rated: (turn: TurnView, feedback: Feedback) => void}} acts */
  constructor({ rated }) {
    this.rated = rated;
    this.faces = Object.keys(THUMBS).map((rating) =>
      el("button", { type: "button", class: SMALL, "aria-label": THUMBS[rating], title: THUMBS[rating], "aria-pressed": "false",
        dataset: { rating }, on: { click: () => this.#press(rating) } }, icon(`thumbs-${rating}`, "icon--14")));
    this.thumbs = el("span", { class: "thumbs", role: "group", "aria-label": t("Rate this answer") }, ...this.faces);
    this.said = el("span", { class: "sr", role: "status" });
    this.more = el("div", { class: "slot" });
    this.node = el("div", { class: "opinion" }, this.more, this.said);
  }

  /** @param {TurnView} turn */
  update(turn) {
    this.#turn = turn;
    this.thumbs.hidden = !turn.messageId || turn.phase === "running";
    for (const face of this.faces) face.setAttribute("aria-pressed", String(face.dataset.rating === turn.feedback?.rating));
    if (!turn.feedback) this.more.replaceChildren();
  }

  /** @param {string} rating */
  #press(rating) {
    this.#sending = this.#sending.then(() => this.#pressed(rating));
  }

  /** Pressed again, a thumb is taken back. @param {string} rating */
  async #pressed(rating) {
    if (this.#turn?.feedback?.rating === rating) {
      await this.#send({ rating: null }, t("Taken back"));
    } else if (await this.#send({ rating }, t("Thank you"))) {
      this.#ask(rating);
    }
  }

  /** @param {string} rating */
  #ask(rating) {
    const text = el("textarea", { class: "input", rows: "2", maxlength: String(MOST), "aria-label": ASKED[rating], placeholder: t("{question} (optional)", { question: ASKED[rating] }) });
    const close = () => {
      this.more.replaceChildren();
      this.faces.find((face) => face.dataset.rating === rating)?.focus();
    };
    const send = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const reason = text.value.trim();
      if (!reason || (await this.#send({ rating, reason }, t("Thank you, that helps")))) close();
    };
    const form = el("form", { class: "opinion__form", on: { submit: send } },
      text,
      el("p", { class: "opinion__note" }, t("Read by the people who look after the assistant.")),
      el("span", { class: "acts" },
        el("button", { type: "submit", class: "btn btn--sm" }, t("Send")),
        el("button", { type: "button", class: "btn btn--ghost btn--sm", on: { click: close } }, t("No reason"))));
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        // On a phone the chat stays open.
        event.preventDefault();
        close();
      } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        form.requestSubmit();
      }
    });
    this.more.replaceChildren(form);
    text.focus();
    form.scrollIntoView({ block: "nearest" });
  }

  /** @param {{rating: string | null, reason?: string}} body @param {string} words @returns {Promise<boolean>} whether it is kept */
  async #send(body, words) {
    const turn = this.#turn;
    this.node.querySelector(".opinion__fault")?.remove();
    try {
      const { rating, reason } = await api.post(`/api/chat/messages/${turn.messageId}/feedback/`, body);
      this.rated(turn, rating && { rating, reason });
      this.said.textContent = words;
      return true;
    } catch (error) {
      const known = /** @type {any} */ (error);
      this.node.append(el("p", { class: "opinion__fault", role: "alert" }, known.status ? known.message : t("The server cannot be reached.")));
      return false;
    }
  }
}
