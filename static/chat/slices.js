// Long work in slices: between two of them the browser takes what a person typed and draws a frame.

const SLICE_MS = 24;

/** @param {() => void} run  after whatever waits already */
function soon(run) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(null);
}

/**
 * Run steps until they end; the first slice at once, each further one in a task of its own.
 * @param {Iterator<unknown>} steps  each much shorter than a slice
 * @param {{now?: () => number, later?: (run: () => void) => void}} [clock]
 * @returns {() => void} ends it after the present step
 */
export function runInSlices(steps, { now = () => performance.now(), later = soon } = {}) {
  let cancelled = false;
  const slice = () => {
    const began = now();
    while (!cancelled) {
      if (steps.next().done) return;
      if (now() - began >= SLICE_MS) {
        later(slice);
        return;
      }
    }
  };
  slice();
  return () => {
    cancelled = true;
  };
}
