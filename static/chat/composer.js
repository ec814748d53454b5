// The message field (Enter sends, Shift+Enter inserts a line break, ArrowUp in an empty field recalls the last message), and
// the drafts of each conversation.

import { drawRevealed, load } from "../element.js";
import { t, tn } from "../locale.js";

/**
 * @typedef {object} ComposerHandlers
 * @property {(text: string) => void} send @property {() => void} stop @property {() => void} changed
 * @property {() => void} discard  of the proposal under review
 */

/** Of one message; the server has the same limit. */
export const MAX_CHARACTERS = 32_000;

export class Composer {
  #lastSent = "";
  #running = false;

  /** @param {HTMLFormElement} form @param {ComposerHandlers} handlers */
  constructor(form, handlers) {
    this.form = form;
    this.handlers = handlers;
    this.field = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea"));
    this.sendButton = /** @type {HTMLButtonElement} */ (form.querySelector("[data-send]"));
    this.stopButton = /** @type {HTMLButtonElement} */ (form.querySelector("[data-stop]"));
    this.context = form.querySelector("[data-context-label]");
    this.mode = form.querySelector("[data-mode]");
    this.placeholder = this.field.placeholder;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.stopButton.addEventListener("click", () => handlers.stop());
    this.mode.querySelector("[data-discard]").addEventListener("click", () => handlers.discard());
    this.field.addEventListener("input", () => {
      handlers.changed();
      this.#refresh();
    });
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.#refresh();
  }

  /** @param {string} text  a draft or a recalled message */
  setText(text) {
    this.field.value = text;
    this.#refresh();
  }

  /** @param {string} prefix  inserted before the text */
  insertPrefix(prefix) {
    if (!prefix || this.text.startsWith(prefix)) return;
    this.setText(this.text ? `${prefix.trimEnd()} ${this.text}` : prefix);
    this.field.setSelectionRange(this.text.length, this.text.length);
    this.handlers.changed();
  }

  get text() {
    return this.field.value;
  }

  /** @param {string} text  recalled by ArrowUp */
  setLastSent(text) {
    this.#lastSent = text;
  }

  /** @param {boolean} running */
  setRunning(running) {
    this.#running = running;
    this.#refresh();
  }

  /** @param {{label: string} | null} review  a proposal under review */
  setReview(review) {
    this.mode.hidden = review === null;
    this.field.placeholder = review ? t("Ask for a change to this proposal") : this.placeholder;
    if (!review) return;
    this.mode.querySelector("[data-mode-label]").textContent = review.label;
  }

  /** @param {string} label  what the assistant sees, "" hides it */
  setContext(label) {
    this.context.replaceChildren(drawRevealed(label));
    this.context.closest(".ctx").hidden = label === "";
  }

  focus() {
    this.field.focus();
  }

  #send() {
    const text = this.field.value.trim();
    if (text === "" || isTooLong(text)) return;
    this.#lastSent = text;
    this.field.value = "";
    this.handlers.changed();
    this.handlers.send(text);
    this.#refresh();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // During IME composition Enter accepts a word; older browsers report key code 229.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.#send();
    } else if (event.key === "ArrowUp" && this.field.value === "" && this.#lastSent !== "") {
      event.preventDefault();
      this.setText(this.#lastSent);
      this.handlers.changed();
      this.field.setSelectionRange(this.#lastSent.length, this.#lastSent.length);
    } else if (event.key === "Escape" && this.#running) {
      event.preventDefault();
      event.stopPropagation();
      this.handlers.stop();
    }
  }

  /** While a turn runs and the field is empty, the button stops the turn. */
  #refresh() {
    const empty = this.field.value.trim() === "";
    this.stopButton.hidden = !this.#running;
    this.sendButton.hidden = this.#running && empty;
    this.sendButton.disabled = empty || isTooLong(this.field.value.trim());
    updateLengthWarning(this.form);
    this.sendButton.setAttribute("aria-label", this.#running ? t("Send when the answer is done") : t("Send"));
    if (CSS.supports("field-sizing", "content")) return;
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 200)}px`;
  }
}

/** @param {string} text @returns {boolean} */
export function isTooLong(text) {
  // A surrogate pair is one character.
  return text.length > MAX_CHARACTERS && [...text].length > MAX_CHARACTERS;
}

/** Show or remove the message that a text is too long. @param {HTMLElement} form */
export function updateLengthWarning(form) {
  const isLong = form.querySelector("textarea").value.length > MAX_CHARACTERS;
  if (isLong || form.querySelector("[data-too-long]")) void load(() => import("./message_limit.js")).then(({ showLengthWarning }) => showLengthWarning(form, MAX_CHARACTERS), () => {});
}

/**
 * The review that the composer shows.
 * @typedef {object} ReviewLabel
 * @property {string} id  of the payload
 * @property {string} label @property {string} context  what the assistant sees
 *
 * @param {ReviewLabel | null} before @param {string} subject  the subject of the page
 * @param {{payload_id: string, selected?: number, total?: number, over?: boolean}} event  detail of the event `proposal-review`
 * @returns {ReviewLabel | null}
 */
export function nextReview(before, subject, { payload_id: id, selected = 0, total = 0, over = false }) {
  // The end of a replaced review does not end the current one.
  if (over) return before?.id === id ? null : before;
  // The total is 0 until it is known.
  if (!total) return { id, label: "", context: subject };
  const context = tn("{subject}, {count} proposed change", "{subject}, {count} proposed changes", total, { subject });
  return { id, label: t("{selected} of {total}", { selected, total }), context };
}

/** @typedef {{getItem(key: string): string|null, setItem(key: string, value: string): void, removeItem(key: string): void}} Store */
/** @typedef {{page: string, objectId: string, conversationId: string}} Scope */

export class Drafts {
  /** The draft that was restored from the store; a different text was typed in this tab. */
  #restored = "";

  /** @param {{composer: Composer, scope: () => Scope, store: Store}} options  scope: returns the open conversation */
  constructor({ composer, scope, store }) {
    Object.assign(this, { composer, scope, store });
  }

  /** Whether no text was typed in this tab: a draft may come from another tab, which may be sending it. */
  get untouched() {
    return this.composer.text === "" || this.composer.text === this.#restored;
  }

  /** Store the current text as the draft of the open conversation. */
  save() {
    writeDraft(this.store, this.scope(), this.composer.text);
  }

  /**
   * Start switching to another conversation.
   * @returns {(how: {first: boolean, sent?: string[]}) => void} call it when that conversation is open; first: on page load the
   *   text stays, unless another tab has sent it meanwhile; sent: the user's messages in the opened conversation
   */
  beginSwitch() {
    const before = this.composer.text;
    const from = this.scope();
    return ({ first, sent = [] }) => {
      const { text } = this.composer;
      const isSent = this.untouched && sent.some((message) => message.startsWith(text.trim()));
      if (text === before && (!first || !text || isSent)) {
        this.#restored = readDraft(this.store, this.scope());
        this.composer.setText(this.#restored);
        return;
      }
      // Text that was typed during loading belongs to the opened conversation.
      writeDraft(this.store, from, first ? "" : before);
      this.save();
    };
  }

  /** The new conversation was assigned an id. @param {Scope} scope */
  moveToConversation(scope) {
    writeDraft(this.store, { ...scope, conversationId: "" }, "");
    this.save();
  }

  /** Put a text that was not sent, or is to be edited, before the current text. @param {string} text */
  restoreText(text) {
    if (text) this.composer.setText([text, this.composer.text].filter(Boolean).join("\n\n"));
    this.save();
  }
}

/** @param {Scope} scope @returns {string} a new conversation is identified by page and object */
export function draftKey({ page, objectId, conversationId }) {
  return conversationId ? `chat-draft:${conversationId}` : `chat-draft:new:${page}:${objectId}`;
}

/** @param {Store} store @param {Scope} scope @returns {string} */
export function readDraft(store, scope) {
  return attempt(() => store.getItem(draftKey(scope))) ?? "";
}

/** @param {Store} store @param {Scope} scope @param {string} text */
export function writeDraft(store, scope, text) {
  attempt(() => (text ? store.setItem(draftKey(scope), text) : store.removeItem(draftKey(scope))));
}

/** Storage may be full or forbidden, which is never worth an error. @template T @param {() => T} run */
export function attempt(run) {
  try {
    return run();
  } catch {
    return null;
  }
}
