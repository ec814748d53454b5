// Modules that are fetched when they are first needed. What the person wanted is carried out when they arrive; where they
// do not, a sentence says so, and another try is theirs to make.

import { toast } from "./toast.js";

/** What could not be fetched, with the note that says so. @type {Map<string, HTMLElement>} */
const failed = new Map();

/**
 * @template T
 * @param {string} what  that is on its way, as a sentence begins: "The members"
 * @param {() => Promise<T>} fetch  an `import()`
 * @returns {Promise<T>} stays open while it cannot be had; whoever asks again takes the place of whoever asked before
 */
export async function late(what, fetch) {
  for (let again = false; ; again = true) {
    try {
      const found = await fetch();
      failed.get(what)?.remove();
      failed.delete(what);
      return found;
    } catch {
      await new Promise((resolve) => {
        failed.get(what)?.remove();
        failed.set(what, toast(`${what} could not be loaded.`, { kind: "error", action: anotherTry(again, () => resolve(undefined)) }));
      });
    }
  }
}

/**
 * @param {boolean} again  whether that was tried before: then the page may be older than the server, which has other files now
 * @param {() => void} run @returns {{label: string, run: () => void}}
 */
export function anotherTry(again, run) {
  return again ? { label: "Reload", run: () => location.reload() } : { label: "Try again", run };
}

/** Tells the browser of everything that comes with a module, so that it does not find it piece by piece.
 * @param {string} name  of a template that the page holds */
export function announce(name) {
  const template = /** @type {HTMLTemplateElement | null} */ (document.querySelector(`template[data-modules="${name}"]`));
  if (!template) return;
  document.head.append(template.content);
  template.remove();
}
