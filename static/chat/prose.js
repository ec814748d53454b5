// A text in Markdown on the page: drawn in slices, and where it grows only from the block that may still change.

import { el } from "../element.js";
import { safeUrl } from "./markdown.js";
import { normalized, sections } from "./markdown_sections.js";
import { runInSlices } from "./slices.js";

/** While a text grows, a last block longer than this is drawn again only when it has grown by an eighth, or after a pause. */
const OFTEN_DRAWN = 4000;
const PAUSE_MS = 500;
/** Of a longer text only the blocks in sight are laid out. */
const LONG = 16_000;

/** @typedef {import("./markdown.js").MdNode} MdNode */

export class Prose {
  /** @type {{md: MdNode, node: Node}[]} */
  #blocks = [];
  #text = "";
  #growing = false;
  /** What no further text changes: the blocks, the text they were drawn from, the marks in it. */
  #settled = { blocks: 0, end: 0, marks: 0 };
  #defines = false;
  #drawnLength = 0;
  #cancel = () => {};
  #pause = 0;

  /** @param {HTMLElement} host  holds these blocks and nothing else */
  constructor(host) {
    this.host = host;
  }

  /** @param {string} source @param {{growing?: boolean}} [how]  growing: more of it is on its way */
  update(source, { growing = false } = {}) {
    const text = normalized(source);
    if (text === this.#text && growing === this.#growing) return;
    const { end } = this.#settled;
    const continues = end <= text.length && text.slice(0, end) === this.#text.slice(0, end);
    // A definition at the end of a text may belong to a link at its beginning.
    if (!continues || (!growing && this.#defines)) this.#restart();
    this.#text = text;
    this.#growing = growing;
    this.host.classList.toggle("prose--long", text.length > LONG);
    const length = text.length - this.#settled.end;
    if (growing && length > OFTEN_DRAWN && length < this.#drawnLength * 1.125) {
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
      // New blocks of a section are laid out together: each addition costs a layout of all that is there.
      const added = document.createDocumentFragment();
      for (const { node } of section.blocks) {
        yield* this.#put(at, node, added);
        at += 1;
      }
      this.host.append(added);
      this.#defines ||= section.defines;
      this.#settled = { blocks: first + section.settled, end: section.settledEnd, marks: section.settledMarks };
    }
    for (const { node } of this.#blocks.splice(at)) node.parentNode?.removeChild(node);
  }

  /** @param {number} at @param {MdNode} md @param {DocumentFragment} added  takes what is new @returns {Generator<void, void, void>} */
  *#put(at, md, added) {
    const before = this.#blocks[at];
    if (before && JSON.stringify(before.md) === JSON.stringify(md)) return;
    const node = yield* nodeSteps(md);
    if (before) before.node.parentNode?.replaceChild(node, before.node);
    else added.append(node);
    this.#blocks[at] = { md, node };
  }
}

/** @param {MdNode} md @returns {Generator<void, Node, void>} the node, with a pause after each element */
function* nodeSteps(md) {
  if (typeof md === "string") return document.createTextNode(md);
  const children = [];
  for (const child of md.children) children.push(typeof child === "string" ? child : yield* nodeSteps(child));
  yield;
  if (md.tag === "table") return el("div", { class: "tablewrap", tabindex: "0" }, filled(el("table"), children));
  if (md.tag === "a") return linkNode(md, children);
  const element = filled(el(md.tag), children);
  if (md.attrs?.start) element.setAttribute("start", md.attrs.start);
  if (md.attrs?.class) element.className = md.attrs.class;
  return element;
}

/** @param {HTMLElement} element @param {(Node | string)[]} children  any number: too many for the arguments of one call */
function filled(element, children) {
  for (const child of children) element.append(child);
  return element;
}

/** Where a link leads is always to be seen: its host follows, unless the words are that address themselves. */
function linkNode(md, children) {
  const { href, rel, target, host } = md.attrs;
  const anchor = filled(el("a", { href, rel, target }), children);
  if (anchor.textContent === host || safeUrl(anchor.textContent)?.href === href) return anchor;
  return el("span", {}, anchor, el("span", { class: "host" }, ` (${host})`));
}
