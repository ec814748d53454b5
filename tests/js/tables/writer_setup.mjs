// The writer of a grid on a minimal page for Node: the test answers requests, reads messages and presses their buttons.

import { RowStore } from "../../../static/tables/row_store.js";
import { heldRequests, settled } from "../held_requests.mjs";

/** A document or element that only stores its children. */
class StubElement extends EventTarget {
  dataset = {};
  cookie = "";
  /** @type {any[]} */
  children = [];
  /** @type {StubElement | null} */
  parent = null;
  textContent = "";
  append(...children) {
    for (const child of children) if (child instanceof StubElement) child.parent = this;
    this.children.push(...children);
  }
  remove() {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = null;
  }
  /** @returns {StubElement[]} the descendants */
  get within() { return this.children.flatMap((child) => (child instanceof StubElement ? [child, ...child.within] : [])); }
  checkVisibility() { return this.isConnected; }
  get isConnected() { return this.parent !== null; }
  get text() { return this.children.map((child) => child.text ?? child).join("") + this.textContent; }
  matches() { return false; }
  /** @type {Record<string, string>} */
  attributes = {};
  setAttribute(name, value) { this.attributes[name] = value; }
  contains(other) { return other === this || this.within.includes(other); }
  focus() { if (this.isConnected) document.activeElement = this; }
  select() {}
  querySelector() { return null; }
  querySelectorAll() { return []; }
  getElementById(id) { return id === "toasts" ? toasts : null; }
  createElement() { return new StubElement(); }
  createElementNS() { return new StubElement(); }
  get documentElement() { return new StubElement(); }
}
const toasts = new StubElement();
/** Receives the events of pointers, in all tests. */
export const pointers = new StubElement();
globalThis.document = /** @type {any} */ (pointers);
/** Listeners of the window, which does not exist in Node. @type {Map<string, (event: any) => void>} */
const listeners = new Map();
globalThis.addEventListener ??= /** @type {any} */ ((name, listener) => listeners.set(name, listener));
globalThis.sessionStorage ??= /** @type {any} */ ({ getItem: () => null, setItem: () => {} });
const { GridWriter } = await import("../../../static/tables/grid_writer.js");
const { GridClipboard } = await import("../../../static/tables/grid_clipboard.js");
const { GridReading } = await import("../../../static/tables/row_loading.js");
// The writer loads these lazily, which would take longer than `settled` waits.
await import("../../../static/tables/refused_cells.js");
await import("../../../static/tables/undo_redo.js");

export const DONE = { id: "c1", name: "Done", type: "boolean" };
export const NAME = { id: "c2", name: "Name", type: "text" };
export const PAY = { id: "c3", name: "Pay", type: "number" };

/** @param {string} label @returns {StubElement | undefined} the button with this name in the newest message */
const buttonOf = (label) => toasts.children.at(-1)?.within.find((child) => child.textContent === label);

/** @param {string} label @returns {boolean} whether the newest message has a button of this name */
export const offers = (label) => Boolean(buttonOf(label));

/** @param {string} label @returns {Promise<void>} resolved after pressing the button with this name in the newest message */
export async function press(label) {
  const button = buttonOf(label);
  if (!button) throw new Error(`No button “${label}”`);
  button.dispatchEvent(new Event("click"));
  await settled();
}

/** @returns {string[]} the shown messages */
export const messages = () => toasts.children.map((note) => note.children.find((child) => child.textContent)?.textContent);

/** Create a writer over one row, whose requests the test answers: `requests[n].answer(status, body)`. */
export function createWriter() {
  globalThis.document = /** @type {any} */ (new StubElement());
  toasts.children = [];
  const requests = heldRequests();
  const store = new RowStore([{ id: 7, version: 1, data: { c1: false, c2: "Acme" } }]);
  const columns = [DONE, NAME, PAY];
  const grid = Object.assign(new EventTarget(), {
    tableId: "5", dataset: {}, store, columns, allColumns: columns, mayEdit: true, rowElement: () => undefined, drafts: { lastEdit: () => undefined }, editor: {}, cursor: {}, table: new StubElement(),
    pager: new StubElement(), view: {}, window: { slots: new Map() }, ranges: { figures: { known: () => store.rows } },
    /** How often rows were read again. */
    reloads: 0,
    reload: async () => { grid.reloads += 1; },
  });
  const writer = new GridWriter(/** @type {any} */ (grid));
  const reading = new GridReading(/** @type {any} */ (grid));
  const clipboard = new GridClipboard(/** @type {any} */ (grid));
  Object.assign(grid, { clipboard, reading, writer });
  const tr = /** @type {any} */ ({ dataset: { row: "7" } });
  /** Whether the page can be left without a warning. */
  const leaves = () => {
    let asks = false;
    listeners.get("beforeunload")?.({ preventDefault: () => (asks = true) });
    return !asks;
  };
  return { requests, clipboard, grid, leaves, store, tr, writer };
}

export const row = (data, change) => ({ id: 7, version: 2, data: { c1: false, c2: "Acme", ...data }, change });
