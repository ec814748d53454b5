// Talks to the REST API: JSON both ways, the CSRF token, and one kind of error.

import { ownChanges } from "./own_changes.js";

/** What the API answers when it refuses: `code` is stable, `message` a sentence, `errors` a list with paths. */
export class ApiError extends Error {
  /** @param {number} status @param {Record<string, any>} body */
  constructor(status, body) {
    super(body.detail ?? "The server did not answer as expected.");
    this.status = status;
    this.code = body.error ?? "unknown";
    this.errors = body.errors ?? [];
    this.body = body;
  }
}

/** @returns {string} the token that proves that a request comes from our own page */
export function csrfToken() {
  const pair = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
  return pair ? decodeURIComponent(pair.slice("csrftoken=".length)) : "";
}

/**
 * @param {string} method @param {string} url @param {unknown} [body] @param {{signal?: AbortSignal, once?: string}} [options]
 *   once: a key by which the server sees that it is the same request again
 * @returns {Promise<any>} the parsed answer; rejects with ApiError, or TypeError when the server is out of reach
 */
async function send(method, url, body, options = {}) {
  // The history tells what was done on a page from what a script of somebody's did with their session.
  const headers = { Accept: "application/json", "X-CSRFToken": csrfToken(), "X-From-Page": "yes" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (options.once) headers["Idempotency-Key"] = options.once;
  const response = await fetch(url, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: "same-origin",
    signal: options.signal,
  });
  const text = await response.text();
  let answer = null;
  try {
    answer = text ? JSON.parse(text) : null;
  } catch {
    answer = null;
  }
  if (!response.ok) throw new ApiError(response.status, answer ?? {});
  return answer;
}

/** The same for what may change something: which changes were this tab's own is remembered. @type {typeof send} */
async function write(method, url, body, options) {
  let answer = null;
  ownChanges.begin();
  try {
    answer = await send(method, url, body, options);
    return answer;
  } finally {
    ownChanges.end(answer);
  }
}

export const api = {
  get: (url, options) => send("GET", url, undefined, options),
  post: (url, body, options) => write("POST", url, body ?? {}, options),
  put: (url, body, options) => write("PUT", url, body, options),
  patch: (url, body, options) => write("PATCH", url, body, options),
  delete: (url, options) => write("DELETE", url, undefined, options),
};
