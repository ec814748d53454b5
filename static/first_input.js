// Defers modules that are not needed for the first paint until the first input.

const EVENTS = ["pointermove", "pointerdown", "keydown"];

/**
 * Run a function at the first pointer move, press or key; if it fails, again at the next press or key.
 * @param {() => any} run  may return a promise @param {string[]} [events]
 */
export function onFirstInput(run, events = EVENTS) {
  const controller = new AbortController();
  const once = async () => {
    controller.abort();
    try {
      await run();
    } catch {
      onFirstInput(run, EVENTS.slice(1));
    }
  };
  for (const type of events) document.addEventListener(type, once, { passive: true, signal: controller.signal });
}
