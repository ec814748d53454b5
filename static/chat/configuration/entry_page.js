// The page of an entry in the admin: stores drafts, warns before input is lost, and saves with Ctrl + S.

import { readerLocale, t } from "../../locale.js";
import { DraftSaver } from "./draft_saver.js";
import { suggestModels } from "./model_names.js";
import { prepareTextBoxes } from "./text_boxes.js";

const DRAFT_FIELD = /^(field-|reset-|resolve-|why$|name$)/;

class EntryPage {
  /** The server's message about the draft. */
  #message = "";

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
    this.status = /** @type {HTMLElement} */ (form.querySelector("[data-draft-status]"));
    this.saveButton = /** @type {HTMLElement} */ (form.querySelector("[data-save]"));
    this.saver = new DraftSaver({ send: (signal) => this.#send(signal), onState: (state) => this.#show(state) });
    form.addEventListener("input", ({ target }) => {
      if (DRAFT_FIELD.test(/** @type {HTMLInputElement} */ (target).name)) this.saver.changed();
    });
    form.addEventListener("submit", () => this.saver.submitted());
    addEventListener("keydown", (event) => this.#onKey(event));
    addEventListener("beforeunload", (event) => {
      if (this.saver.unsaved) event.preventDefault();
    });
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      this.saver.resume();
      if (!this.saver.unsaved) location.reload();
    });
    for (const hint of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-keys]"))) hint.hidden = false;
    if ("hasInput" in form.dataset) this.saver.changed();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    this.form.requestSubmit(this.saveButton);
  }

  /** @param {AbortSignal} signal */
  async #send(signal) {
    const response = await fetch(this.form.dataset.draft ?? "", {
      method: "POST", headers: { Accept: "application/json" }, body: new FormData(this.form), credentials: "same-origin", signal,
    });
    // Signed out: the server redirects to its sign-in page.
    const isAnswer = !response.redirected && response.headers.get("Content-Type")?.startsWith("application/json");
    const answer = isAnswer ? await response.json() : {};
    for (const [name, count] of Object.entries(answer.tokens ?? {})) {
      const shown = this.form.querySelector(`[data-tokens="${CSS.escape(name)}"]`);
      if (shown) shown.textContent = Number(count).toLocaleString(readerLocale);
    }
    this.#message = isAnswer ? answer.message : response.redirected ? t("You are signed out. Sign in in another tab, then continue here.") : "";
    const stored = response.ok && isAnswer === true;
    if (stored) /** @type {HTMLInputElement} */ (this.form.elements.namedItem("draft_revision")).value = answer.revision;
    return { stored, retry: response.redirected || response.status >= 500 };
  }

  /** @param {import("./draft_saver.js").State} state */
  #show(state) {
    const texts = {
      "": "", waiting: t("Not stored yet"), stored: this.#message, refused: this.#message || t("The draft is not stored."),
      failed: this.#message || t("Not stored yet. The server cannot be reached."),
    };
    if (this.status.textContent !== texts[state]) this.status.textContent = texts[state];
  }
}

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("entry-form"));
if (form) {
  prepareTextBoxes(form);
  new EntryPage(form);
  // Without the server's list, the known models remain.
  for (const list of form.querySelectorAll("datalist")) suggestModels(list).catch(() => {});
}
