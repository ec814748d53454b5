// The answer of a turn: Markdown with tool cards at the positions where the tools ran. Prose renders the Markdown in slices;
// while it grows, only the blocks that may still change.

import { el, load, safeUrl } from "../element.js";
import { BLOCKS, markdownTree, normalized, sections } from "../markdown.js";
import { changeKey, toolHandler, toolName } from "./registry.js";
import { toolCard } from "./tool_card.js";

/**
 * @param {string} text  a message with [[tool:N]] markers
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

/** @param {string} text @returns {string} the words without markup, for screen readers */
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

  /** @param {{onUndo: UndoTool}} options */
  constructor({ onUndo }) {
    this.onUndo = onUndo;
    this.bubble = el("div", { class: "bubble bubble--bot bubble--wide prose", hidden: true });
    this.caret = el("span", { class: "caret dots", "aria-hidden": "true" }, el("i"), el("i"), el("i"));
  }

  /** @param {TurnView} turn @param {Map<string, UndoFailure>} undoFailures  by the key of the change */
  update(turn, undoFailures) {
    const wanted = withUnmarkedTools(segments(turn.text), turn.tools);
    const running = turn.phase === "running";
    wanted.forEach((part, at) => {
      if ("tool" in part) this.#tool(at, turn.tools.find((tool) => tool.index === part.tool), undoFailures);
      else this.#text(at, part.text, { growing: running && at === wanted.length - 1, links: turn.links });
    });
    for (const { node } of this.#parts.splice(wanted.length)) node.remove();
    this.bubble.hidden = wanted.length === 0;
    this.#placeCaret(running && wanted.length > 0 && "text" in wanted.at(-1));
  }

  /** @param {number} at @param {string} text @param {{growing: boolean, links: any}} how */
  #text(at, text, how) {
    let part = this.#parts[at];
    if (part?.kind !== "text") {
      const node = el("div", { class: "prose", dir: "auto" });
      part = { kind: "text", node, prose: new Prose(node) };
      this.#put(at, part);
    }
    part.prose.update(text, how);
  }

  /** @param {number} at @param {ToolView | undefined} tool @param {Map<string, UndoFailure>} changes */
  #tool(at, tool, changes) {
    const undoFailure = tool?.undo ? changes.get(changeKey(tool.undo)) : undefined;
    const key = JSON.stringify([tool ? [tool, toolName(tool.name), Boolean(toolHandler(tool.name))] : null, undoFailure ?? null]);
    const part = this.#parts[at];
    if (part?.kind === "tool" && part.key === key) return;
    const open = part?.kind === "tool" && (part.node.matches("details[open]") || part.node.querySelector("details[open]") !== null);
    const node = tool ? toolCard(tool, { open, undoFailure, onUndo: this.onUndo }) : el("span", { hidden: true });
    const focused = part?.kind === "tool" && part.node.contains(document.activeElement) ? document.activeElement : null;
    this.#put(at, { kind: "tool", node, key });
    // The focus stays on the same kind of element: it does not move from the summary to the undo button.
    if (focused) node.querySelector(focused.localName)?.focus();
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
    const parent = last?.tagName === "P" ? last : list ? last.lastElementChild : null;
    if (parent) parent.append(this.caret);
    else this.caret.remove();
  }
}

/**
 * Put finished tools without a marker first, so that all of them are shown.
 * @param {({tool: number} | {text: string})[]} parts @param {ToolView[]} tools
 */
function withUnmarkedTools(parts, tools) {
  const marked = new Set(parts.flatMap((part) => ("tool" in part ? [part.tool] : [])));
  const unmarked = tools.filter((tool) => tool.index !== null && tool.state !== "running" && !marked.has(tool.index));
  return [...unmarked.map((tool) => ({ tool: /** @type {number} */ (tool.index) })), ...parts];
}

/** A growing last block longer than this is only redrawn when it has grown by an eighth, or after a pause. */
const MAX_EAGER_LENGTH = 4000;
const PAUSE_MS = 500;
/** In longer texts only visible blocks are laid out. */
const LONG_LENGTH = 16_000;

/** Markdown text in an element, rendered in slices; while it grows, only from the first block that may still change. */
export class Prose {
  /** @type {{md: MdNode, node: Node}[]} */
  #blocks = [];
  #text = "";
  #growing = false;
  /** The part that further text does not change: blocks, their end in the text, and markup characters up to there. */
  #settled = { blocks: 0, end: 0, marks: 0 };
  #defines = false;
  #drawnLength = 0;
  #links = {};
  #cancel = () => {};
  #pause = 0;

  /** @param {HTMLElement} host  contains only these blocks */
  constructor(host) {
    this.host = host;
  }

  /** @param {string} source @param {{growing?: boolean, links?: any}} [how]  growing: more text will follow */
  update(source, { growing = false, links = this.#links } = {}) {
    const text = normalized(source);
    if (text === this.#text && growing === this.#growing && links === this.#links) return;
    this.#links = links;
    const { end } = this.#settled;
    const continues = end <= text.length && text.slice(0, end) === this.#text.slice(0, end);
    // A link definition at the end may belong to a link at the beginning.
    if (!continues || (!growing && this.#defines)) this.#restart();
    this.#text = text;
    this.#growing = growing;
    this.host.classList.toggle("prose--long", text.length > LONG_LENGTH);
    const length = text.length - this.#settled.end;
    if (growing && length > MAX_EAGER_LENGTH && length < this.#drawnLength * 1.125) {
      this.#pause ||= setTimeout(() => this.#draw(), PAUSE_MS);
    } else this.#draw();
  }

  #restart() {
    this.#settled = { blocks: 0, end: 0, marks: 0 };
    this.#defines = false;
    this.#drawnLength = 0;
  }

  #draw() {
    this.#cancel();
    clearTimeout(this.#pause);
    this.#pause = 0;
    this.#drawnLength = this.#text.length - this.#settled.end;
    this.#cancel = runInSlices(this.#steps());
  }

  *#steps() {
    const { end: from, marks, blocks } = this.#settled;
    let at = blocks;
    for (const section of sections(this.#text, { from, marks })) {
      yield;
      if (!section) continue;
      const first = at;
      // New blocks are inserted together: each insertion costs a layout of the whole text. A cancelled draw inserts none.
      const added = [];
      for (const { node: md } of section.blocks) {
        const before = this.#blocks[at];
        if (JSON.stringify(before?.md) !== JSON.stringify(md)) {
          const block = { md, node: yield* nodeSteps(md) };
          if (before) {
            before.node.parentNode?.replaceChild(block.node, before.node);
            this.#blocks[at] = block;
          } else added.push(block);
        }
        at += 1;
      }
      for (const block of added) this.host.append(block.node);
      this.#blocks.push(...added);
      this.#defines ||= section.defines;
      this.#settled = { blocks: first + section.settled, end: section.settledEnd, marks: section.settledMarks };
    }
    for (const { node } of this.#blocks.splice(at)) node.parentNode?.removeChild(node);
    if (Object.keys(this.#links).length) load(() => import("./object_link.js")).then(({ drawLinks }) => drawLinks(this.host, this.#links), () => {});
  }
}

/** @param {MdNode} md @returns {Generator<void, Node, void>} the node, with a pause after each element */
function* nodeSteps(md) {
  if (typeof md === "string") return document.createTextNode(md);
  const children = [];
  for (const child of md.children) children.push(typeof child === "string" ? child : yield* nodeSteps(child));
  yield;
  if (md.tag === "table") return el("div", { class: "tablewrap", tabindex: "0" }, filled(el("table"), children));
  if (md.attrs?.address) return filled(el("span", { "data-address": md.attrs.address }), children);
  if (md.tag === "a") return linkNode(md, children);
  const element = filled(el(md.tag), children);
  if (md.attrs?.start) element.setAttribute("start", md.attrs.start);
  if (md.attrs?.class) element.className = md.attrs.class;
  return element;
}

/** @param {HTMLElement} element @param {(Node | string)[]} children  may be too many for one call of append(...) */
function filled(element, children) {
  for (const child of children) element.append(child);
  return element;
}

/** Always show the host of a link, unless its text is the URL itself. */
function linkNode(md, children) {
  const { href, rel, target, host } = md.attrs;
  const anchor = filled(el("a", { href, rel, target }), children);
  if (anchor.textContent === host || safeUrl(anchor.textContent)?.href === href) return anchor;
  return el("span", {}, anchor, el("span", { class: "host" }, ` (${host})`));
}

// Long work runs in slices, so that the browser can handle input and draw frames in between.

const SLICE_MS = 24;

/** @param {() => void} run  after the tasks that are already queued */
function queueTask(run) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(null);
}

/**
 * Run steps until they end; the first slice immediately, each further slice in its own task.
 * @param {Iterator<unknown>} steps  each much shorter than a slice
 * @param {{now?: () => number, later?: (run: () => void) => void}} [clock]
 * @returns {() => void} stops after the current step
 */
export function runInSlices(steps, { now = () => performance.now(), later = queueTask } = {}) {
  let cancelled = false;
  const slice = () => {
    const startedAt = now();
    while (!cancelled) {
      if (steps.next().done) return;
      if (now() - startedAt >= SLICE_MS) {
        later(slice);
        return;
      }
    }
  };
  slice();
  return () => {
    cancelled = true;
  };
}
