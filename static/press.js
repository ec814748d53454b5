// Whether somebody holds a pointer down: what is drawn anew between down and up would swallow their click.

// Longer holds select text or drag; a scrollbar may never tell of its end.
const MOST_MS = 1000;

export class Press {
  /** @type {(() => void)[]} */
  #waiting = [];
  #callOff = () => {};
  held = false;

  /**
   * @param {EventTarget} target  hears of every pointer
   * @param {(ms: number, run: () => void) => () => void} later  runs something after a while; how to call that off
   */
  constructor(target, later) {
    this.later = later;
    target.addEventListener("pointerdown", () => this.#hold(), { capture: true });
    // The click comes right after.
    for (const end of ["pointerup", "pointercancel"]) target.addEventListener(end, () => this.#releaseAfter(0), { capture: true });
  }

  /** @param {() => void} run  at once where nothing is held down */
  whenReleased(run) {
    if (this.held) this.#waiting.push(run);
    else run();
  }

  /** @returns {Promise<void>} */
  released() {
    return new Promise((resolve) => this.whenReleased(resolve));
  }

  #hold() {
    this.held = true;
    this.#releaseAfter(MOST_MS);
  }

  /** @param {number} ms */
  #releaseAfter(ms) {
    this.#callOff();
    this.#callOff = this.later(ms, () => {
      this.held = false;
      for (const run of this.#waiting.splice(0)) run();
    });
  }
}

export const press = new Press(globalThis.document ?? new EventTarget(), (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
});
