// Defers modules that are not needed for the first paint until the first input.

const EVENTS = ["pointermove", "pointerdown", "keydown"];

/** Run a function at the first pointer move, press or key. @param {() => void} run */
export function onFirstInput(run) {
  const controller = new AbortController();
  const once = () => {
    controller.abort();
    run();
  };
  for (const type of EVENTS) document.addEventListener(type, once, { passive: true, signal: controller.signal });
}
