// The bubble of an answer: prose with the tool cards where the tools ran. While it streams, what did not change keeps
// its elements.

import { el } from "../element.js";
import { markdownTree } from "./markdown.js";
import { safeUrl } from "./prose.js";
import { toolCard } from "./tool_card.js";

const BLOCKS = new Set(["p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"]);

/**
 * @param {string} text  a message with the server's [[tool:N]] marks
 * @returns {({tool: number} | {text: string})[]}
 */
export function segments(text) {
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(/\[\[tool:(\d{1,4})\]\]/g)) {
    if (text.slice(at, found.index).trim()) parts.push({ text: text.slice(at, found.index) });
    parts.push({ tool: Number(found[1]) });
    at = found.index + found[0].length;
  }
  if (text.slice(at).trim()) parts.push({ text: text.slice(at) });
  return parts;
}

/** @param {string} text @returns {string} what a person would hear: the words without marks */
export function plainText(text) {
  const words = (/** @type {MdNode} */ node) =>
    typeof node === "string" ? node : node.tag === "br" ? " " : node.children.map(words).join("") + (BLOCKS.has(node.tag) ? " " : "");
  return segments(text)
    .flatMap((part) => ("text" in part ? markdownTree(part.text).map(words) : []))
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}

export class Answer {
  /** @type {({kind: "text", node: HTMLElement, prose: Prose} | {kind: "tool", node: HTMLElement, key: string})[]} */
  #parts = [];

  /** @param {{onTurnBack: TurnBackTool}} options */
  constructor({ onTurnBack }) {
    this.onTurnBack = onTurnBack;
    this.bubble = el("div", { class: "bubble bubble--bot bubble--wide prose", hidden: true });
    this.caret = el("span", { class: "caret dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
  }

  /** @param {TurnView} turn @param {Map<number, TakenBack>} taken  by the id of a change */
  update(turn, taken) {
    const wanted = withLostTools(segments(turn.text), turn.tools);
    wanted.forEach((part, at) => {
      if ("tool" in part) this.#tool(at, turn.tools.find((tool) => tool.index === part.tool), taken);
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

  /** @param {number} at @param {ToolView | undefined} tool @param {Map<number, TakenBack>} changes */
  #tool(at, tool, changes) {
    const taken = tool?.undo ? changes.get(tool.undo.change_id) : undefined;
    const key = JSON.stringify([tool ?? null, taken ?? null]);
    const part = this.#parts[at];
    if (part?.kind === "tool" && part.key === key) return;
    const open = part?.kind === "tool" && /** @type {any} */ (part.node).open === true;
    const node = tool ? toolCard(tool, { open, taken, onTurnBack: this.onTurnBack }) : el("span", { hidden: true });
    const held = part?.kind === "tool" && part.node.contains(document.activeElement);
    this.#put(at, { kind: "tool", node, key });
    if (held) node.querySelector("button")?.focus();
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
    const list = last?.tagName === "UL" || last?.tagName === "OL";
    const home = last?.tagName === "P" ? last : list ? last.lastElementChild : null;
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

class Prose {
  /** @type {{key: string, node: Node}[]} */
  #blocks = [];
  #text = "";

  /** @param {HTMLElement} host  holds these blocks and nothing else */
  constructor(host) {
    this.host = host;
  }

  /** @param {string} text */
  update(text) {
    if (text === this.#text) return;
    this.#text = text;
    const wanted = markdownTree(text);
    let same = 0;
    const keys = wanted.map((node) => JSON.stringify(node));
    while (same < keys.length && same < this.#blocks.length && this.#blocks[same].key === keys[same]) same += 1;
    for (const { node } of this.#blocks.splice(same)) node.parentNode?.removeChild(node);
    for (let at = same; at < wanted.length; at += 1) {
      const node = domNode(wanted[at]);
      this.#blocks.push({ key: keys[at], node });
      this.host.append(node);
    }
  }
}

/** @param {MdNode} node @returns {Node} */
function domNode(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const children = node.children.map(domNode);
  if (node.tag === "table") return el("div", { class: "tablewrap", tabindex: "0" }, el("table", {}, ...children));
  if (node.tag === "a") return linkNode(node, children);
  const element = el(node.tag, {}, ...children);
  if (node.attrs?.start) element.setAttribute("start", node.attrs.start);
  if (node.attrs?.class === "r") element.className = "r";
  return element;
}

/** Where a link leads is always to be seen: its host follows, unless the words are that address themselves. */
function linkNode(node, children) {
  const { href, rel, target, host } = node.attrs;
  const anchor = el("a", { href, rel, target }, ...children);
  if (anchor.textContent === host || safeUrl(anchor.textContent)?.href === href) return anchor;
  return el("span", {}, anchor, el("span", { class: "host" }, ` (${host})`));
}
