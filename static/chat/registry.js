// The page's side of the registries: which handler shows a payload, which function runs a client action.

/**
 * @typedef {object} Payload  a payload as the server gives it
 * @property {string} id @property {string} type @property {any} data @property {string} status
 * @property {string} summary @property {string} content_hash @property {Record<string, number>} counts
 *
 * @typedef {object} PayloadHandler
 * @property {(payload: Payload) => void} render  shows a payload; called again after a reload while it is pending
 * @property {(progress: {payload_type: string, operations: any[], count: number, reset?: boolean}) => void} [onProgress]
 * @property {(payload: Payload) => void} [onApply] @property {(payload: Payload) => void} [onDismiss]
 * @property {(payload: Payload) => void} [focus]  brings the shown payload into view
 * @property {{panelWidth?: string, headerTitle?: string, headerIcon?: string}} [renderOptions]
 */

/** @type {Map<string, PayloadHandler>} */
const payloadHandlers = new Map();
/** @type {Map<string, (data: any) => void>} */
const clientActions = new Map();
/** @type {() => Record<string, any>} */
let pageContext = () => ({});

/** @param {string} type @param {PayloadHandler} handler  a page's own handler wins over one registered before */
export function registerPayloadHandler(type, handler) {
  payloadHandlers.set(type, handler);
}

/** @param {string} type */
export function payloadHandler(type) {
  return payloadHandlers.get(type);
}

/** @param {string} action @param {(data: any) => void} run */
export function registerClientAction(action, run) {
  clientActions.set(action, run);
}

/** @param {string} action */
export function clientAction(action) {
  return clientActions.get(action);
}

/** @param {() => Record<string, any>} read  tells what the person is looking at (filters, selected rows, …) */
export function registerPageContext(read) {
  pageContext = read;
}

/** @returns {Record<string, any>} */
export function readPageContext() {
  return pageContext();
}
