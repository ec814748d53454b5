// Looking back in a conversation: at the messages before those that are there, and at other versions of one.

import { readEarlier, showBranch } from "./stored_turns.js";

export class LookingBack {
  /** @param {Pick<Tray, "conversation" | "log" | "draw" | "loadFailed">} tray */
  constructor({ conversation, log, draw, loadFailed }) {
    Object.assign(this, { conversation, log, draw, loadFailed });
  }

  /** What is read stays where it is on the screen; the keyboard stays in the log when there is nothing more to ask for. */
  async earlier() {
    await readEarlier(this.conversation).catch((error) => this.loadFailed(error, () => this.earlier()));
    const below = this.log.scrollHeight - this.log.scrollTop;
    const held = this.log.contains(document.activeElement);
    this.draw();
    if (held && document.activeElement === document.body) this.log.focus({ preventScroll: true });
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

/** Gives the keyboard back to whoever went on to this version, and has not taken it elsewhere meanwhile. @param {HTMLElement} log @param {string} id @param {boolean} back */
function focusVersion(log, id, back) {
  const { activeElement } = document;
  if (activeElement && activeElement !== document.body && !log.contains(activeElement)) return;
  const [before, after] = log.querySelectorAll(`[data-version="${CSS.escape(id)}"] button`);
  const wanted = /** @type {HTMLButtonElement[]} */ (back ? [before, after] : [after, before]);
  wanted.find((face) => face && !face.disabled)?.focus();
}
