// Stores the input of a form shortly after typing stops, one request at a time.

const PAUSE_MS = 800; // without further input
const RETRY_MS = 5000; // after a request that got no answer

/** @typedef {"" | "waiting" | "stored" | "failed" | "refused"} State  refused: not sent again before the next input */
/** @typedef {{stored: boolean, retry: boolean}} Outcome */

export class DraftSaver {
  /** @type {State} */
  state = "";
  #inputs = 0;
  #storedInputs = 0;
  #left = false;
  /** @type {any} */
  #timer = null;
  /** @type {AbortController | null} */
  #request = null;

  /**
   * @param {{send: (signal: AbortSignal) => Promise<Outcome>, onState: (state: State) => void,
   *   timers?: {setTimeout: Function, clearTimeout: Function}}} options
   */
  constructor({ send, onState, timers = { setTimeout: setTimeout.bind(globalThis), clearTimeout: clearTimeout.bind(globalThis) } }) {
    Object.assign(this, { send, onState, timers });
  }

  /** Whether some input is not stored, and would be lost with the page. */
  get unsaved() {
    return !this.#left && this.#inputs > this.#storedInputs;
  }

  changed() {
    this.#inputs += 1;
    this.#set("waiting");
    this.#schedule(PAUSE_MS);
  }

  /** The form is submitted with all input: nothing else is sent. */
  submitted() {
    this.#left = true;
    this.timers.clearTimeout(this.#timer);
    this.#request?.abort();
  }

  /** The browser shows the page again after it was submitted. */
  resume() {
    this.#left = false;
    if (this.unsaved) this.#schedule(PAUSE_MS);
  }

  async store() {
    if (this.#request || !this.unsaved) return;
    const inputs = this.#inputs;
    const request = new AbortController();
    this.#request = request;
    /** @type {Outcome} */
    const outcome = await this.send(request.signal).catch(() => ({ stored: false, retry: true }));
    this.#request = null;
    if (request.signal.aborted) return;
    if (outcome.stored) this.#storedInputs = inputs;
    if (this.#inputs > inputs) this.#schedule(PAUSE_MS);
    else if (outcome.stored) this.#set("stored");
    else {
      this.#set(outcome.retry ? "failed" : "refused");
      if (outcome.retry) this.#schedule(RETRY_MS);
    }
  }

  /** @param {number} pause */
  #schedule(pause) {
    this.timers.clearTimeout(this.#timer);
    this.#timer = this.timers.setTimeout(() => this.store(), pause);
  }

  /** @param {State} state */
  #set(state) {
    this.state = state;
    this.onState(state);
  }
}
