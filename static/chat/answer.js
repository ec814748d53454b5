// The bubble of an answer: prose with the tool cards where the tools ran, growing while it streams.

import { el } from "../element.js";
import { segments } from "./markdown.js";
import { Prose } from "./prose.js";
import { toolCard } from "./tool_card.js";

export class Answer {
  /** @type {({kind: "text", node: HTMLElement, prose: Prose} | {kind: "tool", node: HTMLElement, key: string})[]} */
  #parts = [];

  /** @param {{onUndo: (tool: ToolView) => void}} options */
  constructor({ onUndo }) {
    this.onUndo = onUndo;
    this.bubble = el("div", { class: "bubble bubble--bot bubble--wide prose", hidden: true });
    this.caret = el("span", { class: "caret dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
  }

  /** @param {TurnView} turn @param {Set<number>} undone  ids of changes that were taken back */
  update(turn, undone) {
    const wanted = withLostTools(segments(turn.text), turn.tools);
    wanted.forEach((part, at) => {
      if ("tool" in part) this.#tool(at, turn.tools.find((tool) => tool.index === part.tool), undone);
      else this.#text(at, part.text);
    });
    for (const { node } of this.#parts.splice(wanted.length)) node.remove();
    this.bubble.hidden = wanted.length === 0;
    this.#placeCaret(turn.phase === "running" && wanted.length > 0 && "text" in wanted.at(-1));
  }

  /** @param {number} at @param {string} text */
  #text(at, text) {
    let part = this.#parts[at];
    if (part?.kind !== "text") {
      const node = el("div", { class: "prose" });
      part = { kind: "text", node, prose: new Prose(node) };
      this.#put(at, part);
    }
    part.prose.update(text);
  }

  /** @param {number} at @param {ToolView | undefined} tool @param {Set<number>} undone */
  #tool(at, tool, undone) {
    const taken = tool?.undo ? undone.has(tool.undo.change_id) : false;
    const key = JSON.stringify([tool ?? null, taken]);
    const part = this.#parts[at];
    if (part?.kind === "tool" && part.key === key) return;
    const open = part?.kind === "tool" && /** @type {any} */ (part.node).open === true;
    const node = tool ? toolCard(tool, { open, undone: taken, onUndo: this.onUndo }) : el("span", { hidden: true });
    this.#put(at, { kind: "tool", node, key });
  }

  /** @param {number} at @param {any} part */
  #put(at, part) {
    const before = this.#parts[at];
    if (before) before.node.replaceWith(part.node);
    else this.bubble.append(part.node);
    this.#parts[at] = part;
  }

  /** @param {boolean} shown */
  #placeCaret(shown) {
    if (!shown) {
      this.caret.remove();
      return;
    }
    const last = this.bubble.lastElementChild?.lastElementChild;
    const home = last?.tagName === "P" ? last : last?.tagName === "UL" || last?.tagName === "OL" ? last.lastElementChild : null;
    if (home) home.append(this.caret);
    else this.caret.remove();
  }
}

/**
 * Finished tools that no mark stands for come first, so that none is lost.
 * @param {({tool: number} | {text: string})[]} parts @param {ToolView[]} tools
 */
function withLostTools(parts, tools) {
  const marked = new Set(parts.flatMap((part) => ("tool" in part ? [part.tool] : [])));
  const lost = tools.filter((tool) => tool.index !== null && tool.state !== "running" && !marked.has(tool.index));
  return [...lost.map((tool) => ({ tool: /** @type {number} */ (tool.index) })), ...parts];
}
