// Requests whose responses are sent by the test.

/** @returns {Promise<void>} resolved after all pending promise callbacks */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Requests that the test answers with `requests[n].answer(status, body)` or loses with `requests[n].lose()`.
 * @returns {{method: string, url: string, body: any, once: string, answer: (status: number, body: any) => Promise<void>, lose: () => Promise<void>}[]} the requests from now on
 */
export function heldRequests() {
  const requests = [];
  globalThis.fetch = /** @type {any} */ ((url, { method, body, headers }) => new Promise((resolve, reject) => {
    const answer = async (status, given) => {
      resolve({ ok: status < 400, status, text: async () => JSON.stringify(given) });
      await settled();
    };
    const lose = async () => {
      reject(new TypeError("Failed to fetch"));
      await settled();
    };
    requests.push({ method, url, body: body && JSON.parse(body), once: headers?.["Idempotency-Key"], answer, lose });
  }));
  return requests;
}
