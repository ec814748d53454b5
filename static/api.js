// Talks to the REST API: JSON both ways, the CSRF token, one kind of error; knows which changes this tab made itself. And the
// sockets through which a page hears of what others do, opened again whenever they break.

import { t } from "./locale.js";

/** What the API answers when it refuses: `code` is stable, `message` a sentence, `errors` a list with paths. */
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

/** @param {any} error  a refused undo or redo @returns {boolean} whether a word about later changes would help: none gives a name back that was taken */
export function isDecidable(error) {
  return error.status === 409 && error.errors.length > 0 && !error.errors.some(({ code }) => code === "doubled_name");
}

/** @returns {string} the token that proves that a request comes from our own page */
export function csrfToken() {
  const pair = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return pair ? decodeURIComponent(pair.slice("csrftoken=".length)) : "";
}

/**
 * @param {string} method @param {string} url @param {unknown} [body] @param {{signal?: AbortSignal, once?: string, calledAs?: string}} [options]
 *   once: a key by which the server sees that it is the same request again; calledAs: a name that is told with what it changes
 * @returns {Promise<any>} the parsed answer; rejects with ApiError, or TypeError when the server is out of reach
 */
async function send(method, url, body, options = {}) {
  // The history tells what was done on a page from what a script of somebody's did with their session.
  const headers = { Accept: "application/json", "X-CSRFToken": csrfToken(), "X-From-Page": options.calledAs ?? "yes" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (options.once) headers["Idempotency-Key"] = options.once;
  const asked = { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: options.signal };
  const response = await reached(fetch(url, { ...asked, credentials: "same-origin" }));
  const text = await reached(response.text());
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    answer = null;
  }
  if (!response.ok) throw new ApiError(response.status, answer ?? {});
  return answer;
}

/** @template T @param {Promise<T>} way @returns {Promise<T>} rejects in our words where the browser's would be about the network */
async function reached(way) {
  try {
    return await way;
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(t("The server could not be reached."), { cause: error }) : error;
  }
}

/** @returns {string} a key for one request. randomUUID is only there on secure origins; a server in one's own network often is none */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
  return [4, 2, 2, 2, 6].map((length) => hex.splice(0, length).join("")).join("-");
}

/** The news of a change that this tab made comes back over the socket and is none. */
export class OwnChanges {
  constructor() {
    /** @type {Set<number>} */
    this.ids = new Set();
    /** What was heard of the changes of requests that are still on their way, by the names of those. @type {Map<string, Set<number>>} */
    this.asked = new Map();
    this.begun = 0;
    /** @type {(() => void)[]} */
    this.waiting = [];
    /** Something that was taken for this tab's own came of a request whose answer does not tell of it. */
    this.onUnknown = () => {};
  }

  get running() {
    return this.asked.size;
  }

  /** @returns {string} how a request that goes out, and may change something, is called */
  begin() {
    const name = newId();
    this.begun += 1;
    this.asked.set(name, new Set());
    return name;
  }

  /** @param {string} name @param {any} [answer]  what it was answered, if it was */
  end(name, answer) {
    for (const id of [answer?.change, answer?.outcome?.change]) if (typeof id === "number") this.ids.add(id);
    const heard = [...(this.asked.get(name) ?? [])];
    this.asked.delete(name);
    if (this.running === 0) for (const go of this.waiting.splice(0)) go();
    if (heard.some((id) => !this.ids.has(id))) this.onUnknown();
  }

  /** @param {{change_id: number | null, asked_as?: string}} change */
  has({ change_id: id, asked_as: name = "" }) {
    if (id === null) return false;
    this.asked.get(name)?.add(id);
    return this.ids.has(id) || this.asked.has(name);
  }

  /** @returns {() => boolean} tells later whether what was read since may be older than what this tab has written */
  watch() {
    const { begun, running } = this;
    return () => running > 0 || this.begun !== begun;
  }

  /** @returns {Promise<void>} when no request is on its way any more: what is read meanwhile may be older */
  quiet() {
    if (this.running === 0) return Promise.resolve();
    return new Promise((go) => this.waiting.push(() => go()));
  }
}

export const ownChanges = new OwnChanges();

/** The same for what may change something: which changes were this tab's own is remembered. @type {typeof send} */
async function write(method, url, body, options) {
  let answer = null;
  const calledAs = ownChanges.begin();
  try {
    answer = await send(method, url, body, { ...options, calledAs });
    return answer;
  } finally {
    ownChanges.end(calledAs, answer);
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
// Not signed in any more, or nothing there to see.
const REFUSED = [4403, 4404];
// The same user has opened too many newer sockets: this page connects again when the user comes back to it.
const TOO_MANY = 4429;
// The server has as many sockets as it can serve: the page tries again after the longest delay.
const FULL = 4503;

export class LiveSocket {
  /**
   * @param {{
   *   open: () => WebSocket,
   *   later: (ms: number, run: () => void) => () => void,
   *   onMessage: (message: any) => void,
   *   onRefused: () => void,
   *   chance?: () => number,
   * }} means  `later` runs something after a while and returns how to call that off; `chance` is from 0 to 1
   */
  constructor({ open, later, onMessage, onRefused, chance = Math.random }) {
    this.means = { open, later, onMessage, onRefused, chance };
    this.failures = 0;
    this.refused = false;
    // Whether the server has sent a message through the present socket: the user may see what there is.
    this.admitted = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.callOff = () => {};
  }

  /** The page is seen: at once, whatever was waited for. */
  start() {
    this.callOff();
    if (this.socket || this.refused) return;
    const socket = (this.socket = this.means.open());
    this.admitted = false;
    socket.addEventListener("message", (event) => {
      if (this.socket !== socket) return;
      this.failures = 0;
      this.admitted = true;
      this.means.onMessage(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (this.socket === socket) this.ended(event.code);
    });
  }

  /** The page is out of sight. */
  stop() {
    this.callOff();
    const { socket } = this;
    this.socket = null;
    socket?.close();
  }

  /** @param {number} code */
  ended(code) {
    this.socket = null;
    // A session that ended while the page was open may have a successor, as after a change of the password.
    if (REFUSED.includes(code) && !this.admitted) {
      this.refused = true;
      this.means.onRefused();
      return;
    }
    if (code === TOO_MANY) return;
    if (code === FULL) this.failures = DELAYS_MS.length;
    const delay = DELAYS_MS[Math.min(this.failures, DELAYS_MS.length - 1)];
    this.failures += 1;
    // Not all at the same moment when a server comes back.
    this.callOff = this.means.later(delay * (0.5 + this.means.chance() / 2), () => this.start());
  }
}
