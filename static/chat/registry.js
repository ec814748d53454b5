// The page's side of the registries: which handler shows a payload, which function runs a client action.

/**
 * @typedef {object} Payload  a payload as the server gives it
 * @property {string} id @property {string} type @property {any} data @property {string} status
 * @property {string} summary @property {string} content_hash @property {Record<string, number>} counts
 *
 * @typedef {object} RenderOptions
 * @property {string} [panelWidth]   a length, such as "640px"
 * @property {string} [headerTitle]
 * @property {string} [headerIcon]   a name of the icon set, or a character
 *
 * @typedef {object} PayloadHandler
 * @property {(payload: Payload, callbacks: {apply: () => void, dismiss: () => void}) => Node | void} render
 *   gives what the floating panel shows; a handler that shows the payload in the page itself gives nothing. Called again
 *   after a reload while the payload is pending
 * @property {(progress: {payload_type: string, operations: any[], count: number, reset?: boolean}) => void} [onProgress]
 * @property {(payload: Payload, pageState: Record<string, any>) => void} [onApply]  the person said yes; for a proposal,
 *   after the server has applied it
 * @property {(payload: Payload, pageState: Record<string, any>) => void} [onDismiss]
 * @property {(payload: Payload) => void} [focus]  brings a payload shown in the page into view
 * @property {(rowIds: number[]) => void} [showAdded]  brings the rows into view that an applied proposal has added
 * @property {RenderOptions} [renderOptions]  what is left out comes from the type's frontend_config
 *
 * @typedef {object} ClientActionOptions
 * @property {(state: any) => any} [takeBack]  restores what `run` returned as state; may return, or promise, what to say then
 * @property {boolean} [writes]  it changes more than this person's view: where it was run elsewhere it is not offered again
 */

/** @type {Map<string, PayloadHandler>} */
const pageHandlers = new Map();
/** @type {Map<string, PayloadHandler>} */
const globalHandlers = new Map();
/** @type {(() => Promise<void>)[]} */
const laterHandlers = [];
/** @type {Map<string, Record<string, string>>} */
const configs = new Map();
/** @type {Map<string, string>} */
const toolLabels = new Map();
/** @type {Map<string, ClientActionOptions & {run: (data: any) => any}>} */
const clientActions = new Map();
export const linkHandlers = new Map();
/** @type {() => Record<string, any>} */
let readView = () => ({});
/** @type {(error: any) => Promise<string[]>} */
let nameConflicts = async () => [];
let version = 0;

/**
 * @param {string} type @param {PayloadHandler} handler  takes the place of one registered before at the same level
 * @param {{global?: boolean}} [options]  global: for any page; a page's own handler wins over it
 */
export function registerPayloadHandler(type, handler, { global = false } = {}) {
  (global ? globalHandlers : pageHandlers).set(type, handler);
  version += 1;
}

/**
 * Handlers that are fetched with what shows turns: before that, there is nothing for them to show.
 * @param {() => Promise<void>} fetch  registers them
 */
export function registerPayloadHandlersLater(fetch) {
  laterHandlers.push(fetch);
}

/** @returns {Promise<void>} rejects where they could not be had; what is there stays */
export async function fetchPayloadHandlers() {
  while (laterHandlers.length) {
    const fetching = laterHandlers.slice();
    await Promise.all(fetching.map((fetch) => fetch()));
    laterHandlers.splice(0, fetching.length);
  }
}

/** @param {string} type */
export function payloadHandler(type) {
  return pageHandlers.get(type) ?? globalHandlers.get(type);
}

/** @param {(error: any) => Promise<string[]>} words  what stands in the way of an undo that was refused, as this page names it */
export function registerConflictWords(words) {
  nameConflicts = words;
}

/** @param {any} error @returns {Promise<string[]>} */
export function conflictWords(error) {
  return nameConflicts(error);
}

/** @param {{name: string, frontend_config?: Record<string, string>}[]} entries  payload types as the server lists them */
export function declarePayloadTypes(entries) {
  for (const { name, frontend_config: config } of entries) configs.set(name, config ?? {});
  version += 1;
}

/** @returns {number} another one when payloads may look otherwise than before */
export function registryVersion() {
  return version;
}

/** @param {{name: string, label: string}[]} entries  the page's tools, with what is read while one of them runs */
export function declareTools(entries) {
  for (const { name, label } of entries) toolLabels.set(name, label);
}

/** @param {string} name @returns {string} "" where the server has said none */
export function toolLabel(name) {
  return toolLabels.get(name) ?? "";
}

/** @param {string} type  whether the server has told of it */
export function isDeclared(type) {
  return configs.has(type);
}

/**
 * @param {string} type
 * @returns {Required<RenderOptions>} the handler's own, then the server's, then plain ones
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
 * @param {(data: any) => any} run  may return, or promise, `{text, state?, label?}`: what was done, what takeBack needs, and the
 *   label of its button; throws an Error with a sentence for the person
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

/** @param {string} kind @param {(data: any) => boolean} show  false: follow the link */
export function registerLinkHandler(kind, show) {
  linkHandlers.set(kind, show);
}

/** @param {() => Record<string, any>} read  tells what the person is looking at (filters, selected rows, the open tab) */
export function registerPageContext(read) {
  readView = read;
}

/** @returns {Record<string, any>} */
export function readPageContext() {
  return readView();
}

/** What the server is told of the page when a turn starts. @param {DOMStringMap} data  of the tray: its page, and what that is about */
export function pageContext({ page, objectId, objectKey }) {
  const context = { current_page: page, ...readPageContext() };
  if (objectId && objectKey && !(objectKey in context)) context[objectKey] = /^\d+$/.test(objectId) ? Number(objectId) : objectId;
  return context;
}

/** Tells the page what has happened. @param {string} name @param {unknown} detail */
export function tell(name, detail) {
  document.dispatchEvent(new CustomEvent(name, { detail }));
}

/** @param {string} type */
function words(type) {
  const text = String(type).replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
