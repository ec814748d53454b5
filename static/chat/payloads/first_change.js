// Scrolls the grid to the first change of a proposal, once, unless the user is working in the grid or has scrolled it.

/** Proposals that have been scrolled to since the page was loaded, by their id. @type {Set<any>} */
const seen = new Set();

/** Whether the last key or button was pressed in the grid; null until one is pressed. @type {boolean | null} */
let usedGridLast = null;

for (const name of ["keydown", "pointerdown"]) {
  const note = (/** @type {Event} */ { target }) => (usedGridLast = target instanceof Element && target.closest(".grid-scroll") !== null);
  document.addEventListener(name, note, { capture: true, passive: true });
}

export class FirstChangeScroll {
  /** @param {TableGrid} grid @param {any} id  of the proposal */
  constructor(grid, id) {
    this.grid = grid;
    this.id = id;
    this.listening = new AbortController();
    for (const name of ["wheel", "touchmove", "pointerdown"]) {
      grid.scroller.addEventListener(name, () => this.skip(), { passive: true, signal: this.listening.signal });
    }
  }

  /** An ended review also focuses the grid, which does not mean that the user works in it. */
  get isWorkedIn() {
    return this.grid.scroller.contains(document.activeElement) && usedGridLast !== false;
  }

  /** The user has moved elsewhere: do not scroll to this proposal any more. */
  skip() {
    seen.add(this.id);
    this.end();
  }

  /** @param {() => void} scroll  called at most once per proposal */
  run(scroll) {
    if (seen.has(this.id)) return;
    const isFree = !this.isWorkedIn;
    this.skip();
    if (isFree) scroll();
  }

  end() {
    this.listening.abort();
  }
}
