// What stands between the person and the assistant: signed out, something that failed, a broken connection.

import { retryNow } from "./stream.js";
import { banners } from "./tray_parts.js";

export class Troubles {
  #signedOut = false;
  #fault = "";
  /** @type {(() => void) | undefined} */
  #retry;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /** @param {string} sentence @param {(() => void)} [retry] */
  show(sentence, retry = undefined) {
    this.#fault = sentence;
    this.#retry = retry;
    this.onChange();
  }

  signOut() {
    this.#signedOut = true;
    this.onChange();
  }

  /** What failed is over; drawn with what comes instead. */
  settle() {
    this.#fault = "";
  }

  /** The person goes on: if they are still signed out, the server says it again. */
  goOn() {
    this.settle();
    this.#signedOut = false;
  }

  /**
   * @param {{fill: (shown: any, build: () => Node[]) => void}} slot
   * @param {{signIn: string, broken: {seconds: number} | null, demo: boolean}} around  signIn: where to
   */
  draw(slot, { signIn, broken, demo }) {
    const now = { signIn: this.#signedOut ? signIn : "", broken, demo, fault: this.#fault };
    slot.fill(now, () => banners({ ...now, onNow: retryNow, onRetry: this.#retry }));
  }
}
