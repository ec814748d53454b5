// Which changes this tab made itself: the news of them comes back over the socket and is none.

export class OwnChanges {
  constructor() {
    /** @type {Set<number>} */
    this.ids = new Set();
    this.running = 0;
    this.begun = 0;
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  /** A request that may change something goes out. */
  begin() {
    this.running += 1;
    this.begun += 1;
  }

  /** @param {any} [answer]  what it was answered, if it was */
  end(answer) {
    for (const id of [answer?.change, answer?.outcome?.change]) if (typeof id === "number") this.ids.add(id);
    this.running -= 1;
    if (this.running > 0) return;
    for (const go of this.waiting.splice(0)) go();
  }

  /** @param {number | null} id */
  has(id) {
    return id !== null && this.ids.has(id);
  }

  /** @returns {() => boolean} tells later whether what was read since may be older than what this tab has written */
  watch() {
    const { begun, running } = this;
    return () => running > 0 || this.begun !== begun;
  }

  /** @returns {Promise<void>} when no request is on its way any more: the news of a change may overtake its answer */
  quiet() {
    if (this.running === 0) return Promise.resolve();
    return new Promise((go) => this.waiting.push(() => go()));
  }
}

export const ownChanges = new OwnChanges();
