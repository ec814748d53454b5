// The turns in the log: one element each, kept while their turn is there, in order.

import { TurnElement } from "./turn_view.js";

export class TurnList {
  /** @type {Map<string, TurnElement>} */
  #elements = new Map();

  /** @param {HTMLElement} log @param {TurnActs} acts */
  constructor(log, acts) {
    this.log = log;
    this.acts = acts;
  }

  /**
   * @param {TurnView[]} turns
   * @param {Omit<Around, "last">} around
   * @param {HTMLElement} greeting  shown while there is no turn
   */
  draw(turns, around, greeting) {
    const keys = new Set(turns.map((turn) => turn.key));
    for (const key of [...this.#elements.keys()]) {
      if (!keys.has(key)) this.#elements.delete(key);
    }
    const nodes = turns.flatMap((turn, at) => {
      const element = this.#elements.get(turn.key) ?? new TurnElement(this.acts);
      this.#elements.set(turn.key, element);
      const last = at === turns.length - 1;
      element.update(turn, { ...around, last, connection: last ? around.connection : "" });
      return element.nodes;
    });
    this.#place(nodes.length ? nodes : [greeting]);
  }

  /** Moves only what is not in its place, so that focus and open lids stay. @param {HTMLElement[]} nodes */
  #place(nodes) {
    const wanted = new Set(nodes);
    for (const child of [...this.log.children]) {
      if (!wanted.has(/** @type {HTMLElement} */ (child))) child.remove();
    }
    nodes.forEach((node, at) => {
      if (this.log.children[at] !== node) this.log.insertBefore(node, this.log.children[at] ?? null);
    });
  }
}
