// What waits until the running turn has ended: messages of the person, and actions that were carried out meanwhile.

import { moveWaiting, readWaiting, writeWaiting } from "./drafts.js";

export class Queue {
  /** Messages, oldest first; they outlast a reload. @type {readonly string[]} */
  texts = [];
  /** @type {[{action: string, data: any}, {key: string, words: string}][]} */
  #reports = [];

  /** @param {Store} store */
  constructor(store) {
    this.store = store;
  }

  /** @param {Scope} scope  whose messages wait from now on @param {boolean} same  whether it is still that conversation */
  open(scope, same) {
    if (!same) this.#reports = [];
    this.texts = readWaiting(this.store, scope);
  }

  /** @param {Scope} scope @param {readonly string[]} texts */
  keep(scope, texts) {
    this.texts = texts;
    writeWaiting(this.store, scope, [...texts]);
  }

  /** @param {Scope} from @param {Scope} to  a new conversation has got its id */
  move(from, to) {
    moveWaiting(this.store, from, to);
  }

  /** @param {{action: string, data: any}} action @param {{key: string, words: string}} how @param {boolean} [first] */
  addReport(action, how, first = false) {
    if (first) this.#reports.unshift([action, how]);
    else this.#reports.push([action, how]);
  }

  takeReport() {
    return this.#reports.shift();
  }
}
