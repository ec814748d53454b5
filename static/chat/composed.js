// The words in the composer, by the conversation that they are meant for: kept, left, found again.

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

  /** What was not sent goes back where it came from, before what was written since. @param {string} text */
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
