// Loads earlier messages of a conversation, and other versions of a message.

import { readEarlier, showBranch } from "./stored_turns.js";

export class OlderMessages {
  /** @param {Pick<Tray, "conversation" | "log" | "draw" | "loadFailed">} tray */
  constructor({ conversation, log, draw, loadFailed }) {
    Object.assign(this, { conversation, log, draw, loadFailed });
  }

  /** The scroll position stays the same; the focus stays in the log when the button is removed. */
  async earlier() {
    await readEarlier(this.conversation).catch((error) => this.loadFailed(error, () => this.earlier()));
    const below = this.log.scrollHeight - this.log.scrollTop;
    const hadFocus = this.log.contains(document.activeElement);
    this.draw();
    if (hadFocus && document.activeElement === document.body) this.log.focus({ preventScroll: true });
    this.log.scrollTop = this.log.scrollHeight - below;
  }

  /** @param {string} id @param {boolean} back */
  async version(id, back) {
    try {
      await showBranch(this.conversation, id);
    } catch (error) {
      this.loadFailed(error, () => this.version(id, back));
      return;
    }
    this.draw();
    focusVersion(this.log, id, back);
  }
}

/**
 * Focus the version buttons again, unless the focus was moved elsewhere.
 * @param {HTMLElement} log @param {string} id @param {boolean} back
 */
function focusVersion(log, id, back) {
  const { activeElement } = document;
  if (activeElement && activeElement !== document.body && !log.contains(activeElement)) return;
  const [before, after] = log.querySelectorAll(`[data-version="${CSS.escape(id)}"] button`);
  const wanted = /** @type {HTMLButtonElement[]} */ (back ? [before, after] : [after, before]);
  wanted.find((button) => button && !button.disabled)?.focus();
}
