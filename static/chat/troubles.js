// What stands between the person and the assistant: signed out, something that failed, a broken connection.

import { el, icon } from "../element.js";
import { retryNow } from "./door.js";
import { button } from "./parts.js";

export class Troubles {
  #signedOut = false;
  #fault = "";
  /** @type {{label: string, run: () => void} | undefined} */
  #retry;

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /** @param {string} sentence @param {(() => void)} [retry] @param {string} [label]  of the button */
  show(sentence, retry = undefined, label = "Try again") {
    this.#fault = sentence;
    this.#retry = retry && { label, run: retry };
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
    const now = { signIn: this.#signedOut ? signIn : "", broken, demo, fault: this.#fault, again: this.#retry?.label };
    slot.fill(now, () => banners({ ...now, onNow: retryNow, retry: this.#retry }));
  }
}

/**
 * @param {{signIn: string, broken: {seconds: number} | null, demo: boolean, fault: string, onNow: () => void, retry?: {label: string, run: () => void}}} now
 * @returns {HTMLElement[]} at most one trouble, and the note about the demo
 */
function banners({ signIn, broken, demo, fault, onNow, retry }) {
  const lines = [];
  if (signIn) {
    const link = el("a", { class: "link", href: signIn }, "Sign in");
    lines.push(strip("user", "You are signed out. Your text is kept.", { warn: true, end: link }));
  } else if (fault) {
    lines.push(strip("circle-alert", fault, { warn: true, end: retry && button(retry.label, { onclick: retry.run, class: "link" }) }));
  } else if (broken && (!navigator.onLine || broken.seconds >= 2)) {
    const wait = `Trying again in ${Math.ceil(broken.seconds)} s`;
    const words = navigator.onLine ? `The connection is broken. ${wait}` : `You are offline. ${wait}`;
    lines.push(strip("wifi-off", words, { warn: true, end: button("Now", { onclick: onNow, class: "link" }) }));
  }
  if (demo) {
    lines.push(strip("flask-conical", "Demo model: a small one that is built in. It knows about ten kinds of request.", {}));
  }
  return lines;
}

/** @param {string} name @param {string} words @param {{warn?: boolean, end?: HTMLElement}} options */
function strip(name, words, { warn = false, end }) {
  return el("div", { class: warn ? "banner is-warn" : "banner", role: warn ? "alert" : "status" },
    icon(name, "icon--14"), el("span", {}, words), end ?? null);
}
