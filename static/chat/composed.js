// The words in the composer, by the conversation that they are meant for.

import { readDraft, writeDraft } from "./drafts.js";

export class Composed {
  /** @param {{composer: Composer, scope: () => Scope, store: Store}} where  scope: of the conversation that is open */
  constructor({ composer, scope, store }) {
    Object.assign(this, { composer, scope, store });
  }

  /** Kept as they are now. */
  keep() {
    writeDraft(this.store, this.scope(), this.composer.text);
  }

  /**
   * Another conversation is being fetched.
   * @returns {(how: {first: boolean}) => void} call it when that is open; first: words that were there already stay
   */
  leave() {
    const before = this.composer.text;
    const from = this.scope();
    return ({ first }) => {
      const { text } = this.composer;
      if (text === before && !(first && text)) {
        this.composer.setText(readDraft(this.store, this.scope()));
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
