// The first sign of a person on the page: what is not needed to see it is loaded from then on.

const SIGNS = ["pointermove", "pointerdown", "keydown"];

/** Runs at the first move of the pointer, press or key. @param {() => void} run */
export function atFirstSign(run) {
  const over = new AbortController();
  const once = () => {
    over.abort();
    run();
  };
  for (const sign of SIGNS) document.addEventListener(sign, once, { passive: true, signal: over.signal });
}
