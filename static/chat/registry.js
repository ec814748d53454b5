// Registries of the page: payload handlers, tool handlers, client actions, link handlers, page context; and what the cards of all
// payloads have in common.

import { el } from "../element.js";
import { t } from "../locale.js";

/**
 * @typedef {object} Payload  a payload as the server sends it
 * @property {string} id @property {string} type @property {any} data @property {string} status
 * @property {string} summary @property {string} content_hash @property {Record<string, number>} counts
 *
 * @typedef {object} RenderOptions
 * @property {string} [panelWidth]   a length, such as "640px"
 * @property {string} [headerTitle]
 * @property {string} [headerIcon]   a name of the icon set, or a character
 *
 * @typedef {object} PayloadHandler
 * @property {(payload: Payload, callbacks: {apply: () => void, dismiss: () => void}) => Node | void} [render]
 *   returns the content of the floating panel, or nothing if the handler shows the payload in the page. Called again after a
 *   reload while the payload is pending
 * @property {(progress: {payload_type: string, operations: any[], count: number, reset?: boolean}) => void} [onProgress]
 * @property {(payload: Payload, pageState: Record<string, any>) => void} [onApply]  the user has accepted; proposals: the server has applied it
 * @property {(payload: Payload, pageState: Record<string, any>) => void} [onDismiss]
 * @property {(payload: Payload) => void} [focus]  scrolls a payload in the page into view
 * @property {(proposal: ProposalItems) => Node} [renderItems]  draws the items of a proposal in its card, in place of the list
 * @property {(payload: Payload, options: any) => HTMLElement} [card]  draws the card of a proposal
 * @property {(payload: Payload) => string} [announce]  for screen readers, in place of the summary
 * @property {(payload: Payload, way: "undo"|"redo", onConflict?: "skip"|"overwrite") => Promise<{status: string, fromOtherTab?: boolean}>} [undo]
 *   undoes or redoes an applied proposal with a card of its own, and resolves to its status; fromOtherTab: another was faster
 * @property {(ids: number[]) => void} [showAdded]  scrolls what an applied proposal has added into view
 * @property {RenderOptions} [renderOptions]  defaults come from the type's frontend_config
 *
 * @typedef {object} ToolHandler
 * @property {(tool: {input: any, output: string}) => string} [summary]  the result in a few words, shown on the tool's card
 * @property {(undo: any, way: "undo"|"redo", onConflict?: "skip"|"overwrite") => Promise<void>} [undo]  undoes or redoes the
 *   change that the `undo` of the tool's result names; also resolves if this was done elsewhere
 *
 * @typedef {object} ClientActionOptions
 * @property {(state: any) => any} [undo]  restores the state that `run` returned; may return (or promise) a message
 * @property {boolean} [writes]  it changes data: when it ran in another tab it is not offered again
 * @property {boolean} [reveals]  false: it shows nothing on the page, so a chat that covers the page stays open
 */

/** @type {Map<string, PayloadHandler>} */
const pageHandlers = new Map();
/** @type {Map<string, PayloadHandler>} */
const globalHandlers = new Map();
/** @type {(() => Promise<void>)[]} */
const lazyHandlers = [];
/** @type {Promise<void> | null} */
let loadingHandlers = null;
/** @type {Map<string, Record<string, string>>} */
const configs = new Map();
/** @type {Map<string, Record<string, {pending: string, applied: string, tone: string}>>} */
const verbs = new Map();
/** @type {Map<string, {label: string, icon: string}>} */
const tools = new Map();
/** @type {Map<string, ToolHandler>} */
const toolHandlers = new Map();
/** @type {Map<string, ClientActionOptions & {run: (data: any) => any}>} */
const clientActions = new Map();
export const linkHandlers = new Map();
/** @type {() => Record<string, any>} */
let readContext = () => ({});
/** @type {(error: any) => Promise<string[]>} */
let describeConflicts = async () => [];
let version = 0;

/**
 * @param {string} type @param {PayloadHandler} handler  replaces an earlier one of the same level
 * @param {{global?: boolean}} [options]  global: for all pages; a page's own handler has precedence
 */
export function registerPayloadHandler(type, handler, { global = false } = {}) {
  (global ? globalHandlers : pageHandlers).set(type, handler);
  version += 1;
}

/**
 * Register handlers that are loaded together with the turn list.
 * @param {() => Promise<void>} fetch  loads and registers them
 */
export function registerLazyHandlers(fetch) {
  lazyHandlers.push(fetch);
}

/** @returns {Promise<void>} rejects if loading fails; it can be called again */
export function loadPayloadHandlers() {
  // Handlers are registered once, even if they are needed again while they load.
  loadingHandlers ??= loadLazyHandlers().finally(() => { loadingHandlers = null; });
  return loadingHandlers;
}

async function loadLazyHandlers() {
  while (lazyHandlers.length) {
    const fetching = lazyHandlers.slice();
    await Promise.all(fetching.map((fetch) => fetch()));
    lazyHandlers.splice(0, fetching.length);
  }
}

/** @param {string} type */
export function payloadHandler(type) {
  return pageHandlers.get(type) ?? globalHandlers.get(type);
}

/** @param {(error: any) => Promise<string[]>} describe  returns the conflicts of a refused undo as texts */
export function registerConflictWords(describe) {
  describeConflicts = describe;
}

/** @param {any} error @returns {Promise<string[]>} */
export function conflictWords(error) {
  return describeConflicts(error);
}

/** @param {{name: string, frontend_config?: any, verbs?: any}[]} entries  payload types from the server */
export function declarePayloadTypes(entries) {
  for (const entry of entries) {
    configs.set(entry.name, entry.frontend_config ?? {});
    verbs.set(entry.name, entry.verbs ?? {});
  }
  version += 1;
}

/** @returns {number} changes when payloads or tools may look different */
export function registryVersion() {
  return version;
}

/** @param {{name: string, label: string, icon: string}[]} entries  tools from the server */
export function declareTools(entries) {
  for (const { name, ...shown } of entries) tools.set(name, shown);
  version += 1;
}

/** @param {string} name @returns {{title: string, icon: string}} tools without a label are shown with their own names */
export function toolName(name) {
  const { label, icon } = tools.get(name) ?? {};
  return { title: label || words(name), icon: icon || "activity" };
}

/** @param {string} name @param {ToolHandler} handler  replaces an earlier one */
export function registerToolHandler(name, handler) {
  toolHandlers.set(name, handler);
  version += 1;
}

/** @param {string} name */
export function toolHandler(name) {
  return toolHandlers.get(name);
}

/** @param {any} undo  of a tool's result @returns {string} the same for the same change, whether it is undone or not */
export function changeKey({ undone: _, ...reference }) {
  return JSON.stringify(Object.entries(reference).sort());
}

/** @param {string} type  how the items of a proposal are counted, by verb */
export function declaredVerbs(type) {
  return verbs.get(type) ?? {};
}

/** @param {string} type  whether the server has declared it */
export function isDeclared(type) {
  return configs.has(type);
}

/**
 * @param {string} type
 * @returns {Required<RenderOptions>} options of the handler, else of the server, else defaults
 */
export function renderOptions(type) {
  const config = configs.get(type) ?? {};
  const own = payloadHandler(type)?.renderOptions ?? {};
  return {
    panelWidth: own.panelWidth ?? config.panel_width ?? "",
    headerTitle: own.headerTitle ?? config.title ?? words(type),
    headerIcon: own.headerIcon ?? config.icon ?? "info",
  };
}

/**
 * @param {string} action
 * @param {(data: any) => any} run  may return (or promise) `{text, state?, label?, opens?}`: what was done, the state for
 *   `undo`, the label of its button, whether a dialog or page was opened; throws an Error with a message for the user
 * @param {ClientActionOptions} [options]
 */
export function registerClientAction(action, run, options = {}) {
  clientActions.set(action, { ...options, run });
}

/** @param {string} action */
export function clientAction(action) {
  return clientActions.get(action)?.run;
}

/** @param {string} action @returns {ClientActionOptions} */
export function clientActionOptions(action) {
  return clientActions.get(action) ?? {};
}

/** @param {string} kind @param {(data: any) => boolean} show  returns false to follow the link */
export function registerLinkHandler(kind, show) {
  linkHandlers.set(kind, show);
}

/** @param {() => Record<string, any>} read  returns what the user sees (filters, what is selected, the open tab) */
export function registerPageContext(read) {
  readContext = read;
}

/** @returns {Record<string, any>} */
export function readPageContext() {
  return readContext();
}

/** Build the page context that is sent when a turn starts. @param {DOMStringMap} data  of the tray: the page and its object */
export function pageContext({ page, objectId, objectKey }) {
  const context = { current_page: page, ...readPageContext() };
  if (objectId && objectKey && !(objectKey in context)) context[objectKey] = /^\d+$/.test(objectId) ? Number(objectId) : objectId;
  return context;
}

/** Dispatch an event on the document. @param {string} name @param {unknown} detail */
export function dispatch(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/** @param {string} type */
function words(type) {
  const text = String(type).replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {Proposal} payload @returns {boolean} whether a handler of the page draws its card */
export function hasOwnCard(payload) {
  return isProposal(payload) && Boolean(payloadHandler(payload.type)?.card);
}

/** @param {{tone: string, text: string}} tag */
export function tagNode({ tone, text }) {
  return el("span", { class: tone ? `tag tag--${tone}` : "tag" }, text);
}

/** @typedef {Payload & {outcome?: any, last_error?: string}} Proposal */

const PROPOSAL_STATES = new Set(["pending", "applied", "partially_applied", "dismissed", "superseded", "undone"]);
/** @typedef {(count: number) => string} CountLabel */
/** @type {["chg", CountLabel, CountLabel]} */
const CHANGE = ["chg", (count) => t("{count} to change", { count }), (count) => t("{count} changed", { count })];
/** By kind: color, label while pending, label when applied. @type {[string, "add"|"chg"|"del"|"", CountLabel, CountLabel][]} */
export const KINDS = [
  ["add", "add", (count) => t("{count} to add", { count }), (count) => t("{count} added", { count })],
  ["update", ...CHANGE],
  ["modify", ...CHANGE],
  ["delete", "del", (count) => t("{count} to delete", { count }), (count) => t("{count} deleted", { count })],
  ["remove", "del", (count) => t("{count} to remove", { count }), (count) => t("{count} removed", { count })],
  ["reorder", "", (count) => t("{count} to move", { count }), (count) => t("{count} moved", { count })],
];

/** @param {Proposal} payload  whether it can be or was answered */
export function isProposal(payload) {
  return Boolean(payload.id) && PROPOSAL_STATES.has(payload.status);
}
