// What the test holds back until it says so: answers to requests.

/** @returns {Promise<void>} once all that needs nothing more has gone on */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Requests that the test answers: `asked[n].answer(status, body)`, or that never reach the server: `asked[n].lose()`.
 * @returns {{method: string, url: string, body: any, once: string, answer: (status: number, body: any) => Promise<void>, lose: () => Promise<void>}[]} those asked from now on
 */
export function heldRequests() {
  const asked = [];
  globalThis.fetch = /** @type {any} */ ((url, { method, body, headers }) => new Promise((resolve, reject) => {
    const answer = async (status, given) => {
      resolve({ ok: status < 400, status, text: async () => JSON.stringify(given) });
      await settled();
    };
    const lose = async () => {
      reject(new TypeError("Failed to fetch"));
      await settled();
    };
    asked.push({ method, url, body: body && JSON.parse(body), once: headers?.["Idempotency-Key"], answer, lose });
  }));
  return asked;
}
