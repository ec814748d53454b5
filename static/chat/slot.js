// A place on the page that is rebuilt only when what it shows has changed: a click is never lost to a redraw.

export class Slot {
  #key = "";

  /** @param {HTMLElement} node */
  constructor(node) {
    this.node = node;
  }

  /**
   * @template T
   * @param {T} shown  plain data; "" and [] show nothing
   * @param {(shown: T) => Node[]} build
   */
  fill(shown, build) {
    const empty = shown === "" || (Array.isArray(shown) && shown.length === 0);
    const key = empty ? "" : JSON.stringify(shown);
    if (key === this.#key) return;
    this.#key = key;
    this.node.replaceChildren(...(empty ? [] : build(shown)));
  }
}
