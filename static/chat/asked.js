// What the person asked, as it stands in the log: to be copied, or said in other words, which begins a branch of its own.

import { el, icon } from "../element.js";
import { t } from "../locale.js";
import { button } from "./parts.js";
import { copyButton } from "./turn_parts.js";
import { versions } from "./versions.js";

const SMALL = "btn btn--ghost btn--icon btn--sm";

export class Asked {
  /** @type {TurnView | null} */
  #turn = null;
  #running = false;
  /** @type {HTMLFormElement | null} while it is being edited */
  #form = null;

  /** @param {{edit: (turn: TurnView, text: string) => void, showVersion: (messageId: string, back: boolean) => void}} acts */
  constructor(acts) {
    this.acts = acts;
    this.node = el("div", { class: "turn turn--asked" });
  }

  /** @param {TurnView} turn @param {boolean} running  whether any turn runs: then nothing can be sent in another's place */
  update(turn, running) {
    const look = ({ userText, goesOn, askedId, askedBeside }) => JSON.stringify([userText, goesOn, askedId, askedBeside]);
    const same = this.#turn !== null && look(this.#turn) === look(turn) && this.#running === running;
    this.#turn = turn;
    if (same) return;
    this.#running = running;
    this.node.hidden = turn.userText === "";
    if (this.#form) this.#refresh();
    else this.#draw();
  }

  #draw() {
    const { userText, goesOn, askedId, askedBeside } = this.#turn;
    if (goesOn) {
      this.node.replaceChildren(goingOn(userText));
      return;
    }
    const edit = button(t("Edit and send again"), { onclick: () => this.#begin(), icon: "pencil", iconOnly: true, class: SMALL });
    edit.dataset.part = "edit";
    edit.disabled = this.#running;
    this.node.replaceChildren(
      el("div", { class: "bubble bubble--user" }, userText),
      el("div", { class: "turn__meta turn__meta--asked" },
        versions(askedBeside, askedId, { running: this.#running, show: this.acts.showVersion }), copyButton(userText), edit));
  }

  #begin() {
    const field = el("textarea", { class: "input", rows: "3", "aria-label": t("Your message, in other words"), maxlength: "32000" });
    field.value = this.#turn.userText;
    const send = el("button", { class: "btn btn--primary btn--sm", type: "submit" }, t("Send"));
    const form = /** @type {HTMLFormElement} */ (el("form", { class: "asked" }, field,
      el("p", { class: "asked__note" }, t("What followed is set aside. Changes that were applied stay.")),
      el("div", { class: "acts" }, button(t("Cancel"), { onclick: () => this.#end() }), send)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(field.value.trim());
    });
    field.addEventListener("input", () => this.#refresh());
    field.addEventListener("keydown", (event) => {
      // While an input method composes, Enter chooses a word; 229 is how older browsers say so.
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        this.#end();
      } else if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    this.#form = form;
    this.node.replaceChildren(form);
    this.#refresh();
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  #refresh() {
    const send = /** @type {HTMLButtonElement} */ (this.#form.querySelector("[type=submit]"));
    send.disabled = this.#running || this.#form.querySelector("textarea").value.trim() === "";
  }

  /** @param {string} text */
  #send(text) {
    if (text === "" || this.#running) return;
    const turn = this.#turn;
    this.#end();
    this.acts.edit(turn, text);
  }

  /** The bubble is back, and the focus where it was. */
  #end() {
    this.#form = null;
    this.#draw();
    /** @type {HTMLElement | null} */ (this.node.querySelector("[data-part=edit]"))?.focus();
  }
}

/** What the assistant announced and now does; the person did not type it. @param {string} words */
function goingOn(words) {
  return el("p", { class: "turn__next" }, icon("arrow-right", "icon--12"), el("span", {}, el("b", {}, t("Then:"), " "), words));
}
