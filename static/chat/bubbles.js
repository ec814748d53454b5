// The two bubbles of a turn. What the person asked can be copied, or said in other words, which begins a branch of its own. The
// answer is prose with the tool cards where the tools ran; while it streams, what did not change keeps its elements.

import { el, icon } from "../element.js";
import { BLOCKS } from "./markdown.js";
import { markdownTree } from "./markdown_sections.js";
import { Prose } from "./prose.js";
import { toolCard } from "./tool_card.js";
import { t } from "../locale.js";
import { button } from "./parts.js";
import { copyButton, versions } from "./turn_parts.js";

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
    const running = turn.phase === "running";
    wanted.forEach((part, at) => {
      if ("tool" in part) this.#tool(at, turn.tools.find((tool) => tool.index === part.tool), taken);
      else this.#text(at, part.text, running && at === wanted.length - 1);
    });
    for (const { node } of this.#parts.splice(wanted.length)) node.remove();
    this.bubble.hidden = wanted.length === 0;
    this.#placeCaret(running && wanted.length > 0 && "text" in wanted.at(-1));
  }

  /** @param {number} at @param {string} text @param {boolean} growing */
  #text(at, text, growing) {
    let part = this.#parts[at];
    if (part?.kind !== "text") {
      const node = el("div", { class: "prose", dir: "auto" });
      part = { kind: "text", node, prose: new Prose(node) };
      this.#put(at, part);
    }
    part.prose.update(text, { growing });
  }

  /** @param {number} at @param {ToolView | undefined} tool @param {Map<number, TakenBack>} changes */
  #tool(at, tool, changes) {
    const taken = tool?.undo ? changes.get(tool.undo.change_id) : undefined;
    const key = JSON.stringify([tool ?? null, taken ?? null]);
    const part = this.#parts[at];
    if (part?.kind === "tool" && part.key === key) return;
    const open = part?.kind === "tool" && /** @type {any} */ (part.node).open === true;
    const node = tool ? toolCard(tool, { open, taken, onTurnBack: this.onTurnBack }) : el("span", { hidden: true });
    const held = part?.kind === "tool" && part.node.contains(document.activeElement) ? document.activeElement : null;
    this.#put(at, { kind: "tool", node, key });
    // Not from the line of the card to its button: Enter is meant for the line.
    if (held) node.querySelector(held.localName)?.focus();
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

const SMALL = "btn btn--ghost btn--icon btn--sm";

export class Asked {
  /** @type {TurnView | null} */
  #turn = null;
  #running = false;
  /** @type {HTMLFormElement | null} while it is being edited */
  #form = null;

  /** @param {{edit: (turn: TurnView, text: string) => void, showVersion: (messageId: string, back: boolean) => void}} acts */
  constructor(acts) {
    this.acts = acts;
    this.node = el("div", { class: "turn turn--asked" });
  }

  /** @param {TurnView} turn @param {boolean} running  whether any turn runs: then nothing can be sent in another's place */
  update(turn, running) {
    const look = ({ userText, goesOn, askedId, askedBeside }) => JSON.stringify([userText, goesOn, askedId, askedBeside]);
    const same = this.#turn !== null && look(this.#turn) === look(turn) && this.#running === running;
    this.#turn = turn;
    if (same) return;
    this.#running = running;
    this.node.hidden = turn.userText === "";
    if (this.#form) this.#refresh();
    else this.#draw();
  }

  #draw() {
    const { userText, goesOn, askedId, askedBeside } = this.#turn;
    if (goesOn) {
      this.node.replaceChildren(goingOn(userText));
      return;
    }
    const edit = button(t("Edit and send again"), { onclick: () => this.#begin(), icon: "pencil", iconOnly: true, class: SMALL });
    edit.dataset.part = "edit";
    edit.disabled = this.#running;
    this.node.replaceChildren(
      el("div", { class: "bubble bubble--user" }, userText),
      el("div", { class: "turn__meta turn__meta--asked" },
        versions(askedBeside, askedId, { running: this.#running, show: this.acts.showVersion }), copyButton(userText), edit));
  }

  #begin() {
    const field = el("textarea", { class: "input", rows: "3", "aria-label": t("Your message, in other words"), maxlength: "32000" });
    field.value = this.#turn.userText;
    const send = el("button", { class: "btn btn--primary btn--sm", type: "submit" }, t("Send"));
    const form = /** @type {HTMLFormElement} */ (el("form", { class: "asked" }, field,
      el("p", { class: "asked__note" }, t("What followed is set aside. Changes that were applied stay.")),
      el("div", { class: "acts" }, button(t("Cancel"), { onclick: () => this.#end() }), send)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(field.value.trim());
    });
    field.addEventListener("input", () => this.#refresh());
    field.addEventListener("keydown", (event) => {
      // While an input method composes, Enter chooses a word; 229 is how older browsers say so.
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        this.#end();
      } else if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        form.requestSubmit();
      }
    });
    this.#form = form;
    this.node.replaceChildren(form);
    this.#refresh();
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  #refresh() {
    const send = /** @type {HTMLButtonElement} */ (this.#form.querySelector("[type=submit]"));
    send.disabled = this.#running || this.#form.querySelector("textarea").value.trim() === "";
  }

  /** @param {string} text */
  #send(text) {
    if (text === "" || this.#running) return;
    const turn = this.#turn;
    this.#end();
    this.acts.edit(turn, text);
  }

  /** The bubble is back, and the focus where it was. */
  #end() {
    this.#form = null;
    this.#draw();
    /** @type {HTMLElement | null} */ (this.node.querySelector("[data-part=edit]"))?.focus();
  }
}

/** What the assistant announced and now does; the person did not type it. @param {string} words */
function goingOn(words) {
  return el("p", { class: "turn__next" }, icon("arrow-right", "icon--12"), el("span", {}, el("b", {}, t("Then:"), " "), words));
}
