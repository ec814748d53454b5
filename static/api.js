// The REST client (JSON, CSRF token, one error class), the record of changes by this tab, and WebSockets that
// reconnect.

import { t } from "./locale.js";

/** An error response: `code` is stable, `message` a sentence, `errors` a list with paths. */
export class ApiError extends Error {
  /** @param {number} status @param {Record<string, any>} body */
  constructor(status, body) {
    super(status === 401 ? t("You are signed out. Sign in, then try again.") : body.detail ?? t("The server did not answer as expected."));
    this.status = status;
    this.code = body.error ?? "unknown";
    this.errors = body.errors ?? [];
    this.body = body;
  }
}

/**
 * @param {any} error  a refused undo or redo @returns {boolean} whether retrying with `on_conflict` can succeed; not if a name is
 *   taken
 */
export function isResolvable(error) {
  return error.status === 409 && error.errors.length > 0 && !error.errors.some(({ code }) => code === "doubled_name");
}

/** @returns {string} the CSRF token */
export function csrfToken() {
  const pair = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return pair ? decodeURIComponent(pair.slice("csrftoken=".length)) : "";
}

/**
 * @param {string} method @param {string} url @param {unknown} [body] @param {{signal?: AbortSignal, idempotencyKey?: string,
 *   requestName?: string}} [options]
 *   idempotencyKey: sent as Idempotency-Key; requestName: sent in X-From-Page and returned with the changes that the request makes
 * @returns {Promise<any>} the parsed response; rejects with ApiError, or TypeError when the server cannot be reached
 */
async function send(method, url, body, options = {}) {
  // The history distinguishes requests of our pages from those of other scripts that use the session.
  const headers = { Accept: "application/json", "X-CSRFToken": csrfToken(), "X-From-Page": options.requestName ?? "yes" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
  const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: options.signal };
  const response = await translateNetworkError(fetch(url, { ...init, credentials: "same-origin" }));
  const text = await translateNetworkError(response.text());
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    answer = null;
  }
  if (!response.ok) throw new ApiError(response.status, answer ?? {});
  return answer;
}

/** @template T @param {Promise<T>} promise @returns {Promise<T>} replaces the browser's message of a network error with ours */
async function translateNetworkError(promise) {
  try {
    return await promise;
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(t("The server could not be reached."), { cause: error }) : error;
  }
}

/** @returns {string} a UUID; randomUUID is missing on insecure origins, such as a server in a local network */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  return [4, 2, 2, 2, 6].map((length) => hex.splice(0, length).join("")).join("-");
}

/** Recognizes the changes of this tab among the messages of the socket. */
export class OwnChanges {
  constructor() {
    /** @type {Set<number>} */
    this.ids = new Set();
    /** Ids of changes received while a request is in flight, by the name of the request. @type {Map<string, Set<number>>} */
    this.pending = new Map();
    this.started = 0;
    /** @type {(() => void)[]} */
    this.waiting = [];
    /** Called when a change that seemed to be this tab's own is missing in the response of its request. */
    this.onUnknown = () => {};
  }

  get running() {
    return this.pending.size;
  }

  /** @returns {string} the name of a request that is about to be sent and may change something */
  start() {
    const name = newId();
    this.started += 1;
    this.pending.set(name, new Set());
    return name;
  }

  /** @param {string} name @param {any} [answer]  the response, if there was one */
  end(name, answer) {
    for (const id of [answer?.change, answer?.outcome?.change]) if (typeof id === "number") this.ids.add(id);
    const received = [...(this.pending.get(name) ?? [])];
    this.pending.delete(name);
    if (this.running === 0) for (const resolve of this.waiting.splice(0)) resolve();
    if (received.some((id) => !this.ids.has(id))) this.onUnknown();
  }

  /** @param {{change_id: number | null, asked_as?: string}} change */
  has({ change_id: id, asked_as: name = "" }) {
    if (id === null) return false;
    this.pending.get(name)?.add(id);
    return this.ids.has(id) || this.pending.has(name);
  }

  /** @returns {() => boolean} whether this tab may have written since, so that data read before may be outdated */
  watch() {
    const { started, running } = this;
    return () => running > 0 || this.started !== started;
  }

  /** @returns {Promise<void>} resolves when no request is in flight */
  idle() {
    if (this.running === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(() => resolve()));
  }
}

export const ownChanges = new OwnChanges();

/** Like `send`, for requests that may change something: records the change as this tab's own. @type {typeof send} */
async function write(method, url, body, options) {
  let answer = null;
  const requestName = ownChanges.start();
  try {
    answer = await send(method, url, body, { ...options, requestName });
    return answer;
  } finally {
    ownChanges.end(requestName, answer);
  }
}

export const api = {
  get: (url, options) => send("GET", url, undefined, options),
  post: (url, body, options) => write("POST", url, body ?? {}, options),
  put: (url, body, options) => write("PUT", url, body, options),
  patch: (url, body, options) => write("PATCH", url, body, options),
  delete: (url, options) => write("DELETE", url, undefined, options),
};

const DELAYS_MS = [500, 1000, 2000, 5000, 10_000, 30_000];
// Signed out, or the object does not exist for this user.
const REFUSED = [4403, 4404];
// The same user has opened too many newer sockets: this page connects again when the user returns to it.
const TOO_MANY = 4429;
// The server has no free socket: retry after the longest delay.
const FULL = 4503;

export class LiveSocket {
  /**
   * @param {{
   *   open: () => WebSocket,
   *   later: (ms: number, run: () => void) => () => void,
   *   onMessage: (message: any) => void,
   *   onRefused: () => void,
   *   chance?: () => number,
   * }} options  `later` is setTimeout that returns a cancel function; `chance` returns a number from 0 to 1
   */
  constructor({ open, later, onMessage, onRefused, chance = Math.random }) {
    this.options = { open, later, onMessage, onRefused, chance };
    this.failures = 0;
    this.refused = false;
    // Whether the server has sent a message through this socket, so that the user may read the object.
    this.admitted = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.cancel = () => {};
  }

  /** The page became visible: connect immediately. */
  start() {
    this.cancel();
    if (this.socket || this.refused) return;
    const socket = (this.socket = this.options.open());
    this.admitted = false;
    socket.addEventListener("message", (event) => {
      if (this.socket !== socket) return;
      this.failures = 0;
      this.admitted = true;
      this.options.onMessage(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (this.socket === socket) this.onClose(event.code);
    });
  }

  /** The page was hidden. */
  stop() {
    this.cancel();
    const { socket } = this;
    this.socket = null;
    socket?.close();
  }

  /** @param {number} code */
  onClose(code) {
    this.socket = null;
    // The session may have been replaced while the page was open, for example by a change of password.
    if (REFUSED.includes(code) && !this.admitted) {
      this.refused = true;
      this.options.onRefused();
      return;
    }
    if (code === TOO_MANY) return;
    if (code === FULL) this.failures = DELAYS_MS.length;
    const delay = DELAYS_MS[Math.min(this.failures, DELAYS_MS.length - 1)];
    this.failures += 1;
    // Random, so that not all clients reconnect at once.
    this.cancel = this.options.later(delay * (0.5 + this.options.chance() / 2), () => this.start());
  }
}
