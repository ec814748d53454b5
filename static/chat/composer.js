// Where the person writes, and the words there, by the conversation they are meant for: kept, left, found again. Enter sends,
// Shift+Enter breaks the line, the arrow up on an empty line recalls.

import { drawRevealed, load } from "../element.js";
import { t, tn } from "../locale.js";

/**
 * @typedef {object} ComposerActs
 * @property {(text: string) => void} send @property {() => void} stop @property {() => void} changed
 * @property {() => void} discard  the proposal under review
 */

/** Of one message, as the server counts them. */
export const MAX_CHARACTERS = 32_000;

export class Composer {
  #lastSent = "";
  #running = false;

  /** @param {HTMLFormElement} form @param {ComposerActs} acts */
  constructor(form, acts) {
    this.form = form;
    this.acts = acts;
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
    this.stopButton.addEventListener("click", () => acts.stop());
    this.mode.querySelector("[data-discard]").addEventListener("click", () => acts.discard());
    this.field.addEventListener("input", () => {
      acts.changed();
      this.#refresh();
    });
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.#refresh();
  }

  /** @param {string} text  a draft, or something recalled */
  setText(text) {
    this.field.value = text;
    this.#refresh();
  }

  /** @param {string} words  to begin with; what is written already is kept after them */
  begin(words) {
    if (!words || this.text.startsWith(words)) return;
    this.setText(this.text ? `${words.trimEnd()} ${this.text}` : words);
    this.field.setSelectionRange(this.text.length, this.text.length);
    this.acts.changed();
  }

  get text() {
    return this.field.value;
  }

  /** @param {string} text  what the arrow up brings back */
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

  /** @param {string} label  what the assistant sees, "" shows nothing */
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
    this.acts.changed();
    this.acts.send(text);
    this.#refresh();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // While an input method composes, Enter chooses a word; 229 is how older browsers say so.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      this.#send();
    } else if (event.key === "ArrowUp" && this.field.value === "" && this.#lastSent !== "") {
      event.preventDefault();
      this.setText(this.#lastSent);
      this.acts.changed();
      this.field.setSelectionRange(this.#lastSent.length, this.#lastSent.length);
    } else if (event.key === "Escape" && this.#running) {
      event.preventDefault();
      event.stopPropagation();
      this.acts.stop();
    }
  }

  /** With nothing to send while a turn runs, the one button stops it. */
  #refresh() {
    const empty = this.field.value.trim() === "";
    this.stopButton.hidden = !this.#running;
    this.sendButton.hidden = this.#running && empty;
    this.sendButton.disabled = empty || isTooLong(this.field.value.trim());
    tellLength(this.form);
    this.sendButton.setAttribute("aria-label", this.#running ? t("Send when the answer is done") : t("Send"));
    if (CSS.supports("field-sizing", "content")) return;
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 200)}px`;
  }
}

/** @param {string} text @returns {boolean} whether the server refuses it */
export function isTooLong(text) {
  // A surrogate pair is one character.
  return text.length > MAX_CHARACTERS && [...text].length > MAX_CHARACTERS;
}

/** Says in a form whose message is too long that it is, until it is not. @param {HTMLElement} form */
export function tellLength(form) {
  const isLong = form.querySelector("textarea").value.length > MAX_CHARACTERS;
  if (isLong || form.querySelector("[data-too-long]")) void load(() => import("./message_limit.js")).then(({ tellTooLong }) => tellTooLong(form, MAX_CHARACTERS), () => {});
}

/**
 * What the composer says while a proposal is looked over in the page.
 * @typedef {object} Reviewed
 * @property {string} id  of the payload
 * @property {string} label @property {string} context  what the assistant sees
 *
 * @param {Reviewed | null} before @param {string} subject  what the page is about
 * @param {{payload_id: string, selected?: number, total?: number, over?: boolean}} told  with the event `proposal-review`
 * @returns {Reviewed | null}
 */
export function reviewed(before, subject, { payload_id: id, selected = 0, total = 0, over = false }) {
  // The end of one that gave way to another says nothing about that one.
  if (over) return before?.id === id ? null : before;
  // Nothing is counted before it is known.
  if (!total) return { id, label: "", context: subject };
  const context = tn("{subject}, {count} proposed change", "{subject}, {count} proposed changes", total, { subject });
  return { id, label: t("{selected} of {total}", { selected, total }), context };
}

/** @typedef {{getItem(key: string): string|null, setItem(key: string, value: string): void, removeItem(key: string): void}} Store */
/** @typedef {{page: string, objectId: string, conversationId: string}} Scope */

export class Composed {
  /** What the composer was given from the store; as long as it still says that, nobody has written here. */
  #given = "";

  /** @param {{composer: Composer, scope: () => Scope, store: Store}} where  scope: of the conversation that is open */
  constructor({ composer, scope, store }) {
    Object.assign(this, { composer, scope, store });
  }

  /** Whether there is nothing that was written in this tab: a draft may be another tab's, which is sending it. */
  get untouched() {
    return this.composer.text === "" || this.composer.text === this.#given;
  }

  /** Kept as they are now. */
  keep() {
    writeDraft(this.store, this.scope(), this.composer.text);
  }

  /**
   * Another conversation is being fetched.
   * @returns {(how: {first: boolean, said?: string[]}) => void} call it when that is open; first: words that were there
   *   already stay, but for a draft that has been sent meanwhile, in another tab; said: by the person, in what is open now
   */
  leave() {
    const before = this.composer.text;
    const from = this.scope();
    return ({ first, said = [] }) => {
      const { text } = this.composer;
      const isSent = this.untouched && said.some((words) => words.startsWith(text.trim()));
      if (text === before && (!first || !text || isSent)) {
        this.#given = readDraft(this.store, this.scope());
        this.composer.setText(this.#given);
        return;
      }
      // What was written while it was fetched is meant for what is seen now.
      writeDraft(this.store, from, first ? "" : before);
      this.keep();
    };
  }

  /** A new conversation has got its id. @param {Scope} scope */
  named(scope) {
    writeDraft(this.store, { ...scope, conversationId: "" }, "");
    this.keep();
  }

  /** What was not sent, or is to be said otherwise, goes back where it came from, before what was written since. @param {string} text */
  giveBack(text) {
    if (text) this.composer.setText([text, this.composer.text].filter(Boolean).join("\n\n"));
    this.keep();
  }
}

/** @param {Scope} scope @returns {string} a conversation that does not exist yet is known by its page and object */
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

/** Storage may be full or forbidden; nothing that is kept there is worth failing for. @template T @param {() => T} run */
export function attempt(run) {
  try {
    return run();
  } catch {
    return null;
  }
}
