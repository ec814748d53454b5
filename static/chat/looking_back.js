// Back to what was said: earlier messages, other versions of one, and the same in other words.

import { readEarlier, showBranch } from "./reading.js";
import { focusVersion } from "./versions.js";

export class LookingBack {
  /**
   * @param {{conversation: Conversation, log: HTMLElement, composed: Composed, draw: () => void,
   *   failed: (error: any, again: () => void) => void}} around  draw: at once
   */
  constructor({ conversation, log, composed, draw, failed }) {
    Object.assign(this, { conversation, log, composed, draw, failed });
  }

  /** What is read stays where it is on the screen. */
  async earlier() {
    await readEarlier(this.conversation).catch((error) => this.failed(error, () => this.earlier()));
    const below = this.log.scrollHeight - this.log.scrollTop;
    this.draw();
    this.log.scrollTop = this.log.scrollHeight - below;
  }

  /** @param {string} id @param {boolean} back */
  async version(id, back) {
    try {
      await showBranch(this.conversation, id);
    } catch (error) {
      this.failed(error, () => this.version(id, back));
      return;
    }
    this.draw();
    focusVersion(this.log, id, back);
  }

  /** @param {TurnView} turn @param {string} text */
  async inOtherWords(turn, text) {
    try {
      if (!(await this.conversation.edit(turn, text))) this.composed.giveBack(text);
    } catch (error) {
      this.failed(error, () => this.inOtherWords(turn, text));
    }
  }
}
